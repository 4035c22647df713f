#include "recipes/engine/report/table_contrasts.h"

#include <algorithm>
#include <array>
#include <map>

#include "framework/core/error.h"
#include "recipes/engine/config/contrasts.h"
#include "recipes/engine/report/table_words.h"

namespace locus {

namespace {

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
    if (!contrast.primary) return Verdict::exploratory;
    return contrast.p_holm && *contrast.p_holm <= test_level ? Verdict::decided : Verdict::undecided;
}

// Whether a column is the one where the question is answered; where arms are columns, all of theirs are.
bool is_primary(const TableKey& column, const Table& table, const TableSource& source) {
    for (std::size_t i = 0; i < table.column_axes.size(); ++i) {
        const auto wanted = primary_value(source.options, table.column_axes[i]);
        if (wanted && column.values[i] != *wanted) return false;
    }
    return !source.options.primary_column.empty();
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
        for (std::size_t i = 0; i < table.cells.size(); ++i) {
            const TableCell& a = table.cells[i];
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
            TableContrast& to = table.contrasts.emplace_back();
            static_cast<PairedDifference&>(to) = paired_difference(a.values, b->values);
            to.contrast = wanted;
            to.row = wanted + (rest.empty() ? "" : ", " + rest);
            to.column = without_arm(table.columns[a.column], table.column_axes);
            to.place = place;
            to.a = i;
            to.b = static_cast<std::size_t>(b - table.cells.begin());
            to.primary = contains(source.options.primary_contrasts, wanted) &&
                         is_primary(table.columns[a.column], table, source);
        }
    }
    // Corrected over all that the recipe names: those without runs make the others no easier to decide.
    std::vector<double> p;
    for (const TableContrast& contrast : table.contrasts)
        if (contrast.primary) p.push_back(contrast.p.value_or(1));
    table.primary_contrasts = std::max(p.size(), source.options.primary_contrasts.size());
    p.resize(table.primary_contrasts, 1);
    const std::vector<double> corrected = holm_corrected(p);
    auto next = corrected.begin();
    for (TableContrast& contrast : table.contrasts) {
        const double after_holm = contrast.primary ? *next++ : 1;
        if (contrast.primary && contrast.p) contrast.p_holm = after_holm;
        contrast.verdict = verdict_of(contrast);
    }
}

void add_contrast_notes(Table& table) {
    if (table.contrasts.empty()) return;
    const Metric& metric = table.measure();
    table.notes.push_back(fmt::format(
        "differences A - B, paired by {}, in {}: {} 0 is for A; mean \u00b1 half of the 95 % interval "
        "(Student's t, {}); undecided: the interval holds 0, or there is none; without a word it leaves out "
        "0, "
        "which is exploratory: only primary contrasts are tested",
        table.over, metric.unit, metric.higher_is_better ? "above" : "below", pairs_text(table)));
}

const char* to_string(Verdict verdict) {
    constexpr std::array names = {"no_pair", "undecided", "exploratory", "decided"};
    return names[static_cast<std::size_t>(verdict)];
}

}  // namespace locus
