#include "recipes/engine/report/table_contrasts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "framework/core/error.h"
#include "recipes/engine/config/contrasts.h"
#include "recipes/engine/report/table_words.h"

namespace locus {

namespace {

constexpr double test_level = 0.05;  // of the sign-flip test, within the table

Place table_place(const Table& table, const TableCell& cell) {
    Place place;
    for (std::size_t i = 0; i < table.row_axes.size(); ++i)
        place[table.row_axes[i]] = table.rows[cell.row].values[i];
    for (std::size_t i = 0; i < table.column_axes.size(); ++i)
        place[table.column_axes[i]] = table.columns[cell.column].values[i];
    return place;
}

std::string without_arm(const TableKey& key, const std::vector<std::string>& axes) {
    if (!contains(axes, "arm")) return key.label;
    std::string text;
    for (std::size_t i = 0; i < axes.size(); ++i)
        if (axes[i] != "arm") text += (text.empty() ? "" : " ") + coordinate_text(axes[i], key.values[i]);
    return text;
}

Verdict verdict_of(const TableContrast& contrast) {
    if (contrast.pairs() == 0) return Verdict::no_pair;
    if (!contrast.told()) return Verdict::undecided;
    return contrast.p_holm && *contrast.p_holm <= test_level ? Verdict::decided : Verdict::exploratory;
}

// The least number of runs at which the sign-flip test can decide one of `count` contrasts: 2 / 2^n after
// Holm's first step.
int runs_needed(std::size_t count) {
    int runs = 1;
    while (static_cast<double>(count) * std::exp2(1 - runs) > test_level) ++runs;
    return runs;
}

// What the test says of all differences together; `pairs`: the most that one of them has.
std::string test_line(const Table& table, std::size_t pairs, std::size_t tested) {
    std::vector<std::string> decided;
    for (const TableContrast& contrast : table.contrasts)
        if (contrast.verdict == Verdict::decided) decided.push_back(contrast.row + " at " + contrast.column);
    const std::string test = fmt::format(
        "{}, Holm-corrected over {} differences, at {}: ", sign_flip_method(pairs), tested, test_level);
    if (!decided.empty()) return test + "decided: " + joined_words(decided, "; ") + "; nothing else is";
    if (static_cast<int>(pairs) >= runs_needed(tested)) return test + "none is decided";
    return test +
           fmt::format("none is decided: {} pairs cannot give a p below {:.3g}, {} differences need {}",
                       pairs, std::exp2(1 - static_cast<int>(pairs)), tested, runs_needed(tested));
}

// "n = 4", or "n = 2 to 4".
std::string pairs_text(const Table& table) {
    std::size_t fewest = table.contrasts.front().pairs(), max = fewest;
    for (const TableContrast& contrast : table.contrasts) {
        fewest = std::min(fewest, contrast.pairs());
        max = std::max(max, contrast.pairs());
    }
    return fewest == max ? fmt::format("n = {} pairs", max)
                         : fmt::format("n = {} to {} pairs, as each says", fewest, max);
}

}  // namespace

void add_contrasts(Table& table, const TableSource& source) {
    for (const std::string& wanted : source.options.contrasts) {
        const auto arms = arms_of_contrast(wanted);
        require(arms.has_value(), Failure::storage, "table.contrasts: expected 'A - B', found '{}'", wanted);
        for (const TableCell& a : table.cells) {
            Place place = table_place(table, a);
            const auto arm = place.find("arm");
            if (arm == place.end() || arm->second != arms->first) continue;
            arm->second = arms->second;
            const auto b = std::find_if(table.cells.begin(), table.cells.end(), [&](const TableCell& other) {
                return table_place(table, other) == place;
            });
            if (b == table.cells.end()) continue;
            place.erase("arm");
            const std::string rest = without_arm(table.rows[a.row], table.row_axes);
            table.contrasts.push_back({paired_difference(a.values, b->values),
                                       wanted,
                                       wanted + (rest.empty() ? "" : ", " + rest),
                                       without_arm(table.columns[a.column], table.column_axes),
                                       place,
                                       {},
                                       Verdict::no_pair});
        }
    }
    std::vector<double> p;
    for (const TableContrast& contrast : table.contrasts)
        if (contrast.p) p.push_back(*contrast.p);
    const std::vector<double> corrected = holm_corrected(p);
    auto next = corrected.begin();
    for (TableContrast& contrast : table.contrasts) {
        if (contrast.p) contrast.p_holm = *next++;
        contrast.verdict = verdict_of(contrast);
    }
}

void add_contrast_notes(Table& table) {
    if (table.contrasts.empty()) return;
    const Metric& metric = table.measure();
    std::size_t max = 0, tested = 0;
    for (const TableContrast& contrast : table.contrasts) {
        max = std::max(max, contrast.pairs());
        tested += contrast.p ? 1 : 0;
    }
    table.notes.push_back(fmt::format(
        "differences A - B, paired by {}, in {}: {} 0 is for A; mean \u00b1 half of the 95 % interval "
        "(Student's t, {}); undecided: {}",
        table.over, metric.unit, metric.higher_is_better ? "above" : "below", pairs_text(table),
        max > 1 ? "the interval holds 0" : "one run has no interval"));
    if (tested == 0) return;
    table.notes.push_back(
        "decided: the test bears the interval out; where no word stands, only the interval leaves out 0, "
        "which is exploratory");
    table.notes.push_back(test_line(table, max, tested));
}

const char* to_string(Verdict verdict) {
    constexpr std::array names = {"no_pair", "undecided", "exploratory", "decided"};
    return names[static_cast<std::size_t>(verdict)];
}

}  // namespace locus
