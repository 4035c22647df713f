#include "recipes/engine/report/table_source.h"

#include <algorithm>

#include "framework/core/error.h"
#include "recipes/engine/config/value.h"
#include "recipes/engine/report/table_words.h"

namespace locus {

namespace {

std::string kind_of(const std::string& protocol) {
    return protocol.substr(0, protocol.find(':'));
}

TableOptions options_of(const RunFolder& run) {
    TableOptions options;
    const auto read = [&](const char* key, auto set) {
        const auto place = run.recipe.find(key);
        if (place != run.recipe.end() && !place->second.empty()) set(place->second);
    };
    read("table.rows", [&](const auto& texts) { options.rows = texts.front(); });
    read("table.columns", [&](const auto& texts) { options.columns = texts; });
    read("table.over", [&](const auto& texts) { options.over = texts.front(); });
    read("table.contrasts", [&](const auto& texts) { options.contrasts = texts; });
    read("table.cell", [&](const auto& texts) {
        const auto name = std::find(metric_names.begin(), metric_names.end(), texts.front());
        require(name != metric_names.end(), Failure::storage,
                "{}/recipe.yaml: table.cell: '{}' is not a metric", run.name, texts.front());
        options.cell = static_cast<Metric>(name - metric_names.begin());
    });
    return options;
}

// Positions of one window are a figure; they become a table only where nothing else was measured.
std::vector<std::string> protocols_of(const TableSource& source) {
    std::vector<std::string> found;
    for (const RunFolder& run : source.runs)
        for (const Evaluation& evaluation : run.evaluations)
            if (evaluation.split == source.split) add_once(found, evaluation.protocol);
    const auto place = source.runs.front().recipe.find("evaluate.protocols");
    const auto asked = place == source.runs.front().recipe.end() ? std::vector<std::string>{} : place->second;
    // `sliding` of a recipe may be recorded with the stride that it took.
    const auto rank = [&](const std::string& protocol) {
        auto at = std::find(asked.begin(), asked.end(), protocol);
        if (at == asked.end()) at = std::find(asked.begin(), asked.end(), kind_of(protocol));
        return at - asked.begin();
    };
    std::stable_sort(found.begin(), found.end(),
                     [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
    if (source.options.cell == Metric::gain)
        std::erase_if(found, [](const auto& protocol) { return kind_of(protocol) != "same_target"; });
    const auto is_figure = [](const auto& protocol) { return kind_of(protocol) == "per_position"; };
    if (!std::all_of(found.begin(), found.end(), is_figure)) std::erase_if(found, is_figure);
    return found;
}

std::string split_of(const std::vector<RunFolder>& runs) {
    const std::string asked = runs.front().value("evaluate.split");
    std::vector<std::string> found;
    for (const RunFolder& run : runs)
        for (const Evaluation& evaluation : run.evaluations) add_once(found, evaluation.split);
    return contains(found, asked) || found.empty() ? asked : found.front();
}

}  // namespace

std::string length_text(const Score& score) {
    if (score.bin) return fmt::format("[{}, {})", score.bin->first, score.bin->second);
    return score.length ? text_of(*score.length) : "";
}

const Score* TableSource::score(const RunFolder& run, const std::string& protocol,
                                const std::string& length) const {
    const Score* found = nullptr;
    for (const Evaluation& evaluation : run.evaluations)
        if (evaluation.protocol == protocol && evaluation.split == split)
            for (const Score& candidate : evaluation.scores)
                if (length_text(candidate) == length) found = &candidate;
    return found;
}

std::string TableSource::arm_of(const RunFolder& run) const {
    std::string text;
    for (const Coordinate& at : run.cell)
        if (at.axis != options.over) text += (text.empty() ? "" : " ") + coordinate_text(at.axis, at.value);
    return text.empty() ? run.value("encoding.kind") : text;
}

TableSource make_source(RunFolders folders) {
    TableSource source;
    source.runs = std::move(folders.runs);
    source.left_out = std::move(folders.left_out);
    source.options = options_of(source.runs.front());
    source.split = split_of(source.runs);
    source.protocols = protocols_of(source);
    const bool repeated = source.runs.front().varies(source.options.over);
    for (const RunFolder& run : source.runs)
        add_once(source.over, repeated ? run.value(source.options.over) : "");
    std::sort(source.over.begin(), source.over.end(), natural_less);
    const auto trained = [](const RunFolder& run) {
        const auto root = integer_from(run.value("from.original_length"));
        return root ? root : integer_from(run.value("train.length"));
    };
    source.trained_length = trained(source.runs.front());
    for (const RunFolder& run : source.runs)
        if (trained(run) != trained(source.runs.front())) source.trained_length.reset();
    return source;
}

}  // namespace locus
