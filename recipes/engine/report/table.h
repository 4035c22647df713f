// Comparison tables, made from run folders only.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "recipes/engine/config/recipe.h"
#include "recipes/engine/statistics/statistics.h"

namespace locus {

/// A row or a column: one value for each of its axes.
struct TableKey {
    std::vector<std::string> values;
    std::string label;     // "rope"; "non_overlapping 128 (1x)"
    std::string block;     // of a column: its protocol, where that is an axis of the columns
    std::string in_block;  // the label without the protocol
};

/// One number of a table, and the runs that it is made of.
struct TableCell {
    std::size_t row = 0, column = 0;
    std::vector<std::string> runs;  // every run that belongs here, in the order of what the mean runs over
    std::vector<std::optional<double>> values;  // of each; nothing where it has none
    std::vector<std::string> states;            // of each: ok, or why it has none
    std::optional<double> mean;                 // of the values that are there
    std::optional<Interval> interval;           // Student's t over them; nothing below two
    std::string state;  // ok, partial, or why there is no mean: beyond_table, failed, ...
    bool best = false;  // of its column, or not to be told from the best

    std::size_t count() const;  // of values that are there
    bool complete() const { return !values.empty() && count() == values.size(); }
};

/// The difference of two arms in one column, run by run.
struct TableContrast {
    std::string row;     // "yarn - plain", and what else its rows vary in
    std::string column;  // the label of a column, without its arm
    std::vector<std::optional<double>>
        values;                        // A - B of each value of `over`; nothing where one of both lacks
    std::optional<double> mean;        // of the values that are there
    std::optional<Interval> interval;  // Student's t over them; nothing below two
    std::optional<double> p, p_holm;   // of the exact sign-flip test; the latter over all of the table

    /// Whether the interval leaves out 0.
    bool told() const { return interval && !interval->holds(0); }
};

struct Table {
    std::string question;
    Metric metric = Metric::bits_per_byte;
    std::string over;  // what means and intervals run over
    std::vector<std::string> row_axes, column_axes;
    std::vector<TableKey> rows, columns;
    std::vector<TableCell> cells;          // [rows x columns]
    std::vector<TableContrast> contrasts;  // by row, then column
    std::string warning;                   // what makes the comparison unfair; empty: nothing
    std::vector<std::string> definitions;  // what the numbers are
    std::vector<std::string> ledger;       // what the arms share and do not share
    std::vector<std::string> notes;        // what is missing, and what the marks mean

    const TableCell& at(std::size_t row, std::size_t column) const {
        return cells[row * columns.size() + column];
    }
};

/// Reads the run folders in `folder` (or the one that it is) and lays out their table. Throws a storage
/// Error: no folder, no run, a broken file, runs of different experiments, or two runs of one cell.
Table make_table(const std::filesystem::path& folder);

enum class TableFormat { markdown, csv, tex, json };

/// The format called md, csv, tex or json; throws a usage Error for others.
TableFormat parse_table_format(const std::string& name);

/// The table as a file's whole text. Equal tables give equal bytes.
std::string text_of(const Table& table, TableFormat format);

/// Makes the table of `folder` and puts table.md, table.csv, table.tex and table.json there, each whole or
/// not at all. Throws a storage Error.
Table write_tables(const std::filesystem::path& folder);

}  // namespace locus
