#include "recipes/engine/report/table.h"

#include <algorithm>

#include "framework/core/error.h"
#include "framework/io/atomic_file.h"
#include "recipes/engine/report/table_answer.h"
#include "recipes/engine/report/table_contrasts.h"
#include "recipes/engine/report/table_format.h"
#include "recipes/engine/report/table_ledger.h"
#include "recipes/engine/report/table_notes.h"

namespace locus {

namespace {

// One state for a cell without a number: what all runs share, else the first reason.
std::string state_of(const TableCell& cell) {
    if (cell.complete()) return "ok";
    if (cell.count() > 0) return "partial";
    return cell.states.empty() ? "missing" : cell.states.front();
}

void summarize(TableCell& cell) {
    std::vector<double> values;
    for (const auto& value : cell.values)
        if (value) values.push_back(*value);
    if (!values.empty()) cell.mean = mean_of(values);
    cell.interval = student_interval(values);
    cell.state = state_of(cell);
}

// Among complete cells only. With several runs, a cell that cannot be told from the best shares its mark, by
// the rule of the contrasts.
void mark_best(Table& table, std::size_t column) {
    std::vector<TableCell*> complete;
    for (TableCell& cell : table.cells)
        if (cell.column == column && cell.complete()) complete.push_back(&cell);
    const bool higher = table.measure().higher_is_better;
    const auto is_better = [&](const TableCell* a, const TableCell* b) {
        return higher ? *a->mean > *b->mean : *a->mean < *b->mean;
    };
    if (complete.size() < 2) return;
    const auto [best, worst] = std::minmax_element(complete.begin(), complete.end(), is_better);
    if (*(*best)->mean == *(*worst)->mean) return;
    for (TableCell* cell : complete)
        cell->best = *cell->mean == *(*best)->mean || table.undecided(*cell, **best);
}

// Results at other places, such as lengths, do not compete.
bool compares_arms(const Table& table, const TableSource& source) {
    return std::none_of(table.row_axes.begin(), table.row_axes.end(),
                        [&](const auto& axis) { return source.is_record_axis(axis); });
}

}  // namespace

bool Table::undecided(const TableCell& a, const TableCell& b) const {
    for (const TableContrast& contrast : contrasts) {
        const TableCell *first = &cells[contrast.a], *second = &cells[contrast.b];
        const bool same = (first == &a && second == &b) || (first == &b && second == &a);
        if (same && contrast.primary) return contrast.verdict != Verdict::decided;
    }
    const PairedDifference difference = paired_difference(a.values, b.values);
    return difference.pairs() > 1 && !difference.told();
}

std::size_t TableCell::count() const {
    return static_cast<std::size_t>(
        std::count_if(values.begin(), values.end(), [](const auto& value) { return value.has_value(); }));
}

Table make_table(const std::filesystem::path& folder, const std::vector<std::string>& arms) {
    RunFolders folders = read_run_folders(folder);
    if (!arms.empty()) choose_arms(folders, arms);
    const auto shared = std::make_shared<const TableSource>(make_source(std::move(folders)));
    const TableSource& source = *shared;
    Table table = lay_out(source);
    table.source = shared;
    for (TableCell& cell : table.cells) summarize(cell);
    add_contrasts(table, source);
    if (compares_arms(table, source))
        for (std::size_t column = 0; column < table.columns.size(); ++column) mark_best(table, column);
    add_answer(table, source);
    add_ledger(table, source);
    add_definitions(table, source);
    add_notes(table, source);
    add_contrast_notes(table);
    return table;
}

Table write_tables(const std::filesystem::path& folder) {
    Table table = make_table(folder);
    for (const std::string& name : TableFormats::instance().names())
        if (TableFormats::instance().at(name).kept)
            write_file_atomically(folder / ("table." + name), text_of(table, name));
    return table;
}

}  // namespace locus
