#include "data/split_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <unordered_map>

#include "framework/io/checksum.h"

namespace locus {

namespace {

constexpr std::size_t names_shown = 6, names_recorded = 100;
constexpr std::size_t min_line = 24;  // bytes; shorter ones stand in every text

/// The books of a split; of a book that another split has a part of, its documents.
std::vector<std::string> names_of(const Splits& splits, const Split& split, std::size_t max) {
    std::set<std::string_view> elsewhere;
    for (const Split* other : {&splits.train, &splits.valid, &splits.test}) {
        if (other == &split) continue;
        for (const SplitDocument& document : other->documents) elsewhere.insert(document.book);
    }
    std::vector<std::string> names;
    for (const SplitDocument& document : split.documents) {
        if (names.size() > max) break;
        const std::string& name = elsewhere.contains(document.book) ? document.name : document.book;
        if (names.empty() || names.back() != name) names.push_back(name);
    }
    return names;
}

double share(const Split& split, Index all) {
    return all == 0 ? 0 : static_cast<double>(split.tokens()) / static_cast<double>(all);
}

Index all_tokens(const Splits& splits) {
    return splits.train.tokens() + splits.valid.tokens() + splits.test.tokens();
}

std::string line_of(const char* verb, const Splits& splits, const Split& split,
                    const std::optional<double>& asked) {
    const Index all = all_tokens(splits);
    if (split.documents.empty()) return fmt::format("{} nothing", verb);
    std::string line =
        fmt::format("{} {} document{}, {} tokens, {:.3g} % of all", verb, split.documents.size(),
                    split.documents.size() == 1 ? "" : "s", split.tokens(), 100 * share(split, all));
    if (asked) line += fmt::format(" ({:.3g} % asked for)", 100 * *asked);
    if (splits.contiguous) return line + fmt::format(": a part of {}", split.documents.front().name);
    const std::vector<std::string> names = names_of(splits, split, names_shown);
    for (std::size_t i = 0; i < names.size() && i < names_shown; ++i)
        line += (i == 0 ? ": " : ", ") + names[i];
    return names.size() > names_shown ? line + ", ..." : line;
}

/// Calls `visit` with each line that is long enough to tell texts apart.
template <typename Visit>
void each_line(const Split& split, Visit visit) {
    for (const SplitDocument& document : split.documents) {
        const auto bytes = document.tokens.bytes();
        std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        while (!text.empty()) {
            const std::string_view line = text.substr(0, text.find('\n'));
            text.remove_prefix(std::min(text.size(), line.size() + 1));
            const std::size_t end = line.find_last_not_of(" \t\r");
            if (end != std::string_view::npos && end + 1 >= min_line) visit(line.substr(0, end + 1));
        }
    }
}

std::string overlap_line(const char* verb, const Split& held_out, const Split& train) {
    if (held_out.documents.empty() || held_out.documents.front().tokens.width() != 1) return "";
    std::unordered_map<std::string_view, bool> met;
    each_line(held_out, [&](std::string_view line) { met.emplace(line, false); });
    each_line(train, [&](std::string_view line) {
        const auto place = met.find(line);
        if (place != met.end()) place->second = true;
    });
    std::size_t also = 0;
    for (const auto& [line, is_met] : met) also += is_met;
    if (also * 10 <= met.size()) return "";
    return fmt::format("warning: it {} on text of which {:.0f} % of the lines are trained on as well", verb,
                       100.0 * static_cast<double>(also) / static_cast<double>(met.size()));
}

}  // namespace

std::vector<std::string> describe(const Splits& splits, const DataOptions& options) {
    return {line_of("trains on", splits, splits.train, {}),
            line_of("validates on", splits, splits.valid, options.valid_fraction),
            line_of("tests on", splits, splits.test, options.test_fraction)};
}

std::vector<std::string> describe_overlap(const Splits& splits) {
    std::vector<std::string> lines;
    for (const auto& [verb, split] : {std::pair{"validates", &splits.valid}, {"tests", &splits.test}}) {
        std::string line = overlap_line(verb, *split, splits.train);
        if (!line.empty()) lines.push_back(std::move(line));
    }
    return lines;
}

nlohmann::json record(const Splits& splits) {
    const Index all = all_tokens(splits);
    nlohmann::json found;
    Checksum sum;
    for (const Split* split : {&splits.train, &splits.valid, &splits.test}) {
        sum.add(split->name);
        sum.add(static_cast<std::int64_t>(split->documents.size()));
        for (const SplitDocument& document : split->documents) {
            sum.add(document.index);
            sum.add(static_cast<std::int64_t>(document.tokens.size()));
        }
        found[split->name] = {{"documents", split->documents.size()},
                              {"tokens", split->tokens()},
                              {"share", share(*split, all)},
                              {"names", names_of(splits, *split, names_recorded)}};
    }
    found["hash"] = sum.hex();
    return found;
}

}  // namespace locus
