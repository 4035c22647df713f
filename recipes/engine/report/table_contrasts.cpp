#include "recipes/engine/report/table_contrasts.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "framework/core/error.h"
#include "recipes/engine/config/contrasts.h"
#include "recipes/engine/report/table_words.h"

namespace locus {

namespace {

constexpr double test_level = 0.05;  // of the sign-flip test, within the table

using Place = std::map<std::string, std::string>;  // coordinates by axis

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

TableContrast paired_difference(const TableCell& a, const TableCell& b) {
    TableContrast contrast;
    std::vector<double> there;
    for (std::size_t i = 0; i < a.values.size(); ++i) {
        contrast.values.emplace_back();
        if (!a.values[i] || !b.values[i]) continue;
        contrast.values.back() = *a.values[i] - *b.values[i];
        there.push_back(*contrast.values.back());
    }
    if (there.empty()) return contrast;
    contrast.mean = mean_of(there);
    contrast.interval = student_interval(there);
    if (there.size() > 1) contrast.p = sign_flip_p(there);
    return contrast;
}

// The least number of runs at which the sign-flip test can decide one of `count` contrasts: 2 / 2^n after
// Holm's first step.
int runs_needed(std::size_t count) {
    int runs = 1;
    while (static_cast<double>(count) * std::exp2(1 - runs) > test_level) ++runs;
    return runs;
}

std::string test_line(const Table& table, std::size_t runs, std::size_t tested) {
    std::vector<std::string> decided;
    double least = 1;
    for (const TableContrast& contrast : table.contrasts) {
        if (!contrast.p) continue;
        least = std::min(least, *contrast.p);
        if (*contrast.p_holm <= test_level) decided.push_back(contrast.row + " at " + contrast.column);
    }
    const std::string test =
        fmt::format("exact sign-flip test, Holm-corrected over {} differences, at {}: ", tested, test_level);
    if (!decided.empty()) return test + "decided: " + joined_words(decided, "; ") + "; all others undecided";
    if (static_cast<int>(runs) >= runs_needed(tested)) return test + "undecided, all of them";
    return test + fmt::format(
                      "undecided, all of them: {} runs cannot give a p below {:.3g}, {} differences need {} "
                      "runs",
                      runs, std::exp2(1 - static_cast<int>(runs)), tested, runs_needed(tested));
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
            TableContrast contrast = paired_difference(a, *b);
            const std::string rest = without_arm(table.rows[a.row], table.row_axes);
            contrast.row = wanted + (rest.empty() ? "" : ", " + rest);
            contrast.column = without_arm(table.columns[a.column], table.column_axes);
            table.contrasts.push_back(std::move(contrast));
        }
    }
    std::vector<double> p;
    for (const TableContrast& contrast : table.contrasts)
        if (contrast.p) p.push_back(*contrast.p);
    const std::vector<double> corrected = holm_corrected(p);
    auto next = corrected.begin();
    for (TableContrast& contrast : table.contrasts)
        if (contrast.p) contrast.p_holm = *next++;
}

void add_contrast_notes(Table& table, const TableSource& source) {
    if (table.contrasts.empty()) return;
    const bool gain = table.metric == Metric::gain;
    const std::size_t runs = source.over.size();
    table.notes.push_back(fmt::format(
        "differences A - B, paired by {}, in {}: {} 0 is for A; mean \u00b1 half of the 95 % interval "
        "(Student's t, n = {}); undecided: {}",
        table.over, metric_units[static_cast<std::size_t>(table.metric)], gain ? "above" : "below", runs,
        runs > 1 ? "the interval holds 0" : "one run has no interval"));
    const auto tested = static_cast<std::size_t>(std::count_if(
        table.contrasts.begin(), table.contrasts.end(), [](const auto& each) { return each.p.has_value(); }));
    if (tested > 0) table.notes.push_back(test_line(table, runs, tested));
}

}  // namespace locus
