#include "data/fact_task.h"

#include <cmath>

#include "data/draws.h"

namespace locus {

FactTask::FactTask(const Options& options) : asks_(vocabulary_.add("?")) {
    filler_ = vocabulary_.add(".", options.integer("fillers"));
}

void FactTask::lay_out(Sheet& sheet, const std::vector<Fact>& facts, Index room, RandomStream& random) {
    if (facts.empty()) return;
    const auto width = static_cast<Index>(facts.front().tokens.size());
    const auto places = scatter(static_cast<Index>(facts.size()), width, room, random);
    for (std::size_t i = 0; i < facts.size(); ++i) {
        const Fact& fact = facts[i];
        fact.is_evidence ? sheet.evidence(places[i], fact.tokens) : sheet.write(places[i], fact.tokens);
    }
}

std::vector<Token> FactTask::query(std::span<const Token> key) const {
    std::vector<Token> query = {asks_};
    query.insert(query.end(), key.begin(), key.end());
    return query;
}

Option filler_option() {
    return {.name = "fillers", .standard = Index{8}, .doc = "symbols of filler", .min = 1, .max = 4096};
}

Option depth_option() {
    return {.name = "depth",
            .standard = -1.0,
            .doc = "where the evidence begins: 0 at the start, 1 as late as it fits; -1: drawn evenly",
            .min = 0,
            .max = 1};
}

Index draw_place(const Options& options, Index last, RandomStream& random) {
    const double depth = options.number("depth");
    if (depth < 0) return draw_below(last + 1, random);
    return std::llround(depth * static_cast<double>(last));
}

}  // namespace locus
