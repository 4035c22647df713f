#include "recipes/engine/config/power.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "recipes/engine/config/contrasts.h"
#include "recipes/engine/statistics/statistics.h"

namespace locus {

namespace {

// What a cell is, but for its arm, for what the mean runs over and for what the primary column fixes.
std::string rest_of(const Cell& cell) {
    const TableOptions& table = cell.recipe.table;
    std::string rest;
    for (const Coordinate& at : cell.recipe.cell) {
        const bool fixed =
            std::find(table.columns.begin(), table.columns.end(), at.axis) != table.columns.end();
        if (at.axis != "arm" && at.axis != table.over && !fixed) rest += at.axis + "=" + at.value + ",";
    }
    return rest;
}

std::string value_on(const Cell& cell, const std::string& axis) {
    for (const Coordinate& at : cell.recipe.cell)
        if (at.axis == axis) return at.value;
    return "";
}

}  // namespace

std::string caution_of_power(const std::vector<Cell>& cells) {
    const TableOptions& table = cells.front().recipe.table;
    if (table.contrasts.empty()) return "";
    if (table.primary_contrasts.empty())
        return "table.contrasts: none is primary (table.primary_contrasts): all are exploratory, none can be "
               "decided";
    std::set<std::string> over, tests;
    for (const Cell& cell : cells) {
        over.insert(value_on(cell, table.over));
        for (const std::string& contrast : table.primary_contrasts)
            if (arms_of_contrast(contrast)->first == value_on(cell, "arm"))
                tests.insert(contrast + "," + rest_of(cell));
    }
    const int needed = pairs_needed(tests.size());
    if (static_cast<int>(over.size()) >= needed) return "";
    return fmt::format(
        "table.primary_contrasts: {} value{} of {} cannot decide {} primary contrast{}: {} can", over.size(),
        over.size() == 1 ? "" : "s", table.over, tests.size(), tests.size() == 1 ? "" : "s", needed);
}

}  // namespace locus
