#include "recipes/engine/experiment/foresight.h"

#include <fmt/ranges.h>

#include <map>

#include "recipes/engine/config/write.h"
#include "recipes/engine/measure/policy.h"

namespace locus {

namespace {

/// What an evaluation will not find.
struct Lack {
    bool everything = false;
    std::vector<std::string> lines;  // protocol, lengths and the reason
};

// What a plan depends on: cells that agree in it lack the same.
std::string plan_key(const Recipe& recipe) {
    std::string key = fmt::format("{} {}\n", root_length(recipe), recipe.data.folder);
    for (const Key& part : recipe_schema().fixed_keys()) {
        if (!part.path.starts_with("data.") && !part.path.starts_with("evaluate.")) continue;
        const auto value = part.write(recipe);
        if (value) key += fmt::format("{}: {}\n", part.path, written(*value));
    }
    return key;
}

Lack lack_of(const Recipe& recipe, const LoadedData& data) {
    const EvaluateOptions& options = recipe.evaluate;
    const Split& split = options.split == EvaluatedSplit::test ? data.splits.test : data.splits.valid;
    const EvaluationPlan plan = checked({options.lengths,
                                         options.protocols,
                                         options.targets,
                                         root_length(recipe),
                                         data.splits.contiguous,
                                         recipe.data.positions,
                                         {}});
    Lack lack{true, {}};
    for (const Protocol& protocol : plan.protocols) {
        const EvaluationJob job = make_job(protocol, plan, split, std::nullopt);
        std::vector<Index> lengths;
        std::string reason;
        for (std::size_t r = 0; r < job.run.records.size(); ++r) {
            const Record& record = job.run.records[r];
            if (record.state != RecordState::too_short) {
                lack.everything = false;
                continue;
            }
            const Index length = job.run.losses.lengths[policy_of(protocol.name).losses_of(r)];
            if (lengths.empty() || lengths.back() != length) lengths.push_back(length);
            reason = record.reason;
        }
        if (!lengths.empty())
            lack.lines.push_back(
                fmt::format("{} at {}: {}", text_of(protocol), fmt::join(lengths, ", "), reason));
    }
    return lack;
}

std::string names_of(const std::vector<std::string>& names) {
    constexpr std::size_t max = 8;
    if (names.size() <= max) return fmt::format("{}", fmt::join(names, "; "));
    return fmt::format("{}; and {} more", fmt::join(names.begin(), names.begin() + max, "; "),
                       names.size() - max);
}

}  // namespace

void foresee(const std::vector<Cell>& cells, const std::vector<std::size_t>& to_do, Workbench& bench,
             Reporter& reporter) {
    std::map<std::string, Lack> lacks;
    std::map<std::string, std::vector<std::string>> empty, partly;  // names of cells, by what they lack
    std::size_t numberless = 0;
    for (const std::size_t i : to_do) {
        const Recipe& recipe = cells[i].recipe;
        const std::string key = plan_key(recipe);
        if (!lacks.contains(key)) {
            try {
                lacks[key] = lack_of(recipe, bench.data(recipe.data));
            } catch (const Error& error) {
                if (error.kind() == Failure::interrupted) throw;
                lacks[key] = {};
            }
        }
        const Lack& lack = lacks[key];
        if (lack.lines.empty()) continue;
        numberless += lack.everything ? 1 : 0;
        (lack.everything ? empty : partly)[fmt::format("{}", fmt::join(lack.lines, "; "))].push_back(
            cells[i].name);
    }
    require(to_do.empty() || numberless < to_do.size(), Failure::data,
            "no cell can give a number, and nothing was trained: {}",
            empty.empty() ? "" : empty.begin()->first);
    for (const auto& [reason, names] : empty)
        reporter.message(fmt::format("can give no number ({}): {}", reason, names_of(names)));
    for (const auto& [reason, names] : partly)
        reporter.message(names.size() == to_do.size()
                             ? fmt::format("will have no number: {}", reason)
                             : fmt::format("will have no number: {} (in {})", reason, names_of(names)));
}

}  // namespace locus
