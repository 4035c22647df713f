// Comparison tables, made from run folders only.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "recipes/engine/config/recipe.h"
#include "recipes/engine/measure/metric.h"
#include "recipes/engine/statistics/paired.h"
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
    std::vector<std::string> reasons;           // of each, in words, where its record has one
    std::optional<double> mean;                 // of the values that are there
    std::optional<Interval> interval;           // Student's t over them; nothing below two
    std::string state;  // ok, partial, or why there is no mean: beyond_table, failed, ...
    bool best = false;  // of its column, or its paired difference from the best is undecided

    std::size_t count() const;  // of values that are there
    bool complete() const { return !values.empty() && count() == values.size(); }
};

/// What the pairs say of a difference. Of a primary one, decided: its interval leaves out 0 and the test,
/// corrected over all primary ones, bears it out; undecided: else. Of any other, which is not tested,
/// exploratory: its interval leaves out 0; undecided: else.
enum class Verdict { no_pair, undecided, exploratory, decided };

/// "no_pair"
const char* to_string(Verdict verdict);

/// The difference of two arms in one column, by each value of `over`.
struct TableContrast : PairedDifference {
    std::string contrast;                      // "yarn - plain"
    std::string row;                           // the same, and what else its rows vary in
    std::string column;                        // the label of a column, without its arm
    std::map<std::string, std::string> place;  // coordinates by axis, without the arm
    std::size_t a = 0, b = 0;                  // its cells
    bool primary = false;                      // it answers the question
    std::optional<double> p_holm;              // of a primary one: p, corrected over all of these
    Verdict verdict = Verdict::no_pair;
};

struct TableSource;

struct Table {
    std::string question;
    std::string metric = "bits_per_byte";
    std::string over;  // what means and intervals run over
    std::vector<std::string> row_axes, column_axes;
    std::shared_ptr<const TableSource> source;  // what it was made from
    std::vector<TableKey> rows, columns;
    std::vector<TableCell> cells;          // [rows x columns]
    std::vector<TableContrast> contrasts;  // by row, then column
    std::size_t primary_contrasts = 0;     // that the correction is over
    std::string warning;                   // what makes the comparison unfair; empty: nothing
    std::vector<std::string> answer;       // what follows from the numbers, in words
    std::vector<std::string> definitions;  // what the numbers are
    std::vector<std::string> ledger;       // what the arms share and do not share
    std::vector<std::string> notes;        // what is missing, and what the marks mean

    /// What its numbers are.
    const Metric& measure() const { return MetricRegistry::instance().at(metric); }
    const TableCell& at(std::size_t row, std::size_t column) const {
        return cells[row * columns.size() + column];
    }
    /// Whether two cells of several runs cannot be told apart: by the verdict of their contrast where it is a
    /// primary one, else because the interval of their paired difference holds 0.
    bool undecided(const TableCell& a, const TableCell& b) const;
};

/// Reads the run folders in `folder` (or the one that it is) and lays out their table, of all arms or of
/// these. Throws a storage Error: no folder, no run, a broken file, runs of different experiments, or two
/// runs of one cell; a usage Error for an arm that is not there.
Table make_table(const std::filesystem::path& folder, const std::vector<std::string>& arms = {});

/// The table as a file's whole text, in a registered format: md, csv, tex, json, ... Equal tables give equal
/// bytes. Throws a usage Error for a format that is not known.
std::string text_of(const Table& table, const std::string& format);

/// Throws a usage Error that names the known formats where `name` is none.
void check_table_format(const std::string& name);

/// Makes the table of `folder` and puts table.md, table.csv, ... there, every format that is kept, each whole
/// or not at all. Throws a storage Error.
Table write_tables(const std::filesystem::path& folder);

}  // namespace locus
