#include "recipes/engine/report/table_notes.h"

#include <algorithm>
#include <map>
#include <set>

#include "framework/core/error.h"
#include "recipes/engine/config/value.h"
#include "recipes/engine/measure/policy.h"
#include "recipes/engine/report/table_words.h"

namespace locus {

namespace {

using Texts = std::vector<std::string>;

// ---- what is missing

/// Labels with each protocol named once: "non_overlapping 256 (2x), 512 (4x); same_target 256 (2x)".
std::string named(const Table& table, const std::vector<std::size_t>& columns) {
    std::string text, block;
    for (const std::size_t column : columns) {
        const TableKey& key = table.columns[column];
        const bool same = !text.empty() && key.block == block && !key.in_block.empty();
        text += (text.empty() ? "" : same ? ", " : "; ") + (same ? key.in_block : key.label);
        block = key.block;
    }
    return text;
}

/// A run that gave no number, in words: its own failure says more than the state.
std::string reason(const std::string& run_name, const std::string& state, const std::string& why,
                   const TableSource& source) {
    for (const RunFolder& run : source.runs) {
        if (run.name != run_name || run.finished()) continue;
        const auto& failure = run.manifest.failure;
        if (failure && !failure->empty()) return fmt::format("{} {}: {}", run_name, state, *failure);
    }
    const std::string text = run_name.empty() ? state : run_name + " " + state;
    return why.empty() ? text : text + ": " + why;
}

/// Notes of what a row lacks: one for each set of reasons, naming the columns where they are not all.
void add_missing(Table& table, const TableSource& source, std::size_t row) {
    std::vector<std::pair<std::string, std::vector<std::size_t>>> notes;
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
        const TableCell& cell = table.at(row, column);
        Texts reasons;
        for (std::size_t i = 0; i < cell.values.size(); ++i)
            if (!cell.values[i] && cell.state != "beyond_table")
                reasons.push_back(reason(cell.runs[i], cell.states[i], cell.reasons[i], source));
        if (reasons.empty()) continue;
        const std::string kind = cell.mean
                                     ? fmt::format("mean of {} of {} runs", cell.count(), cell.values.size())
                                     : std::string("no number");
        const std::string note = fmt::format("{}, never bold: {}", kind, joined_words(reasons, "; "));
        auto place =
            std::find_if(notes.begin(), notes.end(), [&](const auto& at) { return at.first == note; });
        if (place == notes.end()) place = notes.insert(notes.end(), {note, {}});
        place->second.push_back(column);
    }
    for (const auto& [note, columns] : notes) {
        const bool everywhere = columns.size() == table.columns.size();
        table.notes.push_back(fmt::format("{}{}: {}", table.rows[row].label,
                                          everywhere ? "" : " at " + named(table, columns), note));
    }
}

void add_beyond(Table& table) {
    Texts parts;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        std::vector<std::size_t> columns;
        for (std::size_t column = 0; column < table.columns.size(); ++column)
            if (table.at(row, column).state == "beyond_table") columns.push_back(column);
        if (!columns.empty())
            parts.push_back(fmt::format("{} at {}", table.rows[row].label, named(table, columns)));
    }
    if (!parts.empty())
        table.notes.push_back("\u2014 (beyond_table): the table of the encoding holds no such position: " +
                              joined_words(parts, " and "));
}

// Nothing of the experiment was measured.
void add_unmeasured(Table& table, const TableSource& source) {
    if (!table.columns.empty()) return;
    Texts parts;
    for (const RunFolder& run : source.runs)
        parts.push_back(run.finished() ? run.name + " has no evaluation"
                                       : reason(run.name, run.state, "", source));
    table.notes.push_back(fmt::format("nothing to show for {}: {}", table.metric, joined_words(parts, "; ")));
}

std::string why_hidden(const std::string& protocol, const std::string& metric) {
    const ProtocolPolicy* policy = find_policy(protocol);
    if (policy == nullptr || !contains(policy->metrics(), metric)) return "it has no " + metric;
    return policy->is_table() ? "it has no such coordinates" : "its records are for the figure";
}

void add_hidden(Table& table, const TableSource& source) {
    std::set<std::string> splits, protocols;
    for (const RunFolder& run : source.runs) {
        for (const Evaluation& evaluation : run.evaluations) {
            if (evaluation.split != source.split)
                splits.insert(evaluation.split);
            else if (!contains(source.protocols, evaluation.protocol))
                protocols.insert(evaluation.protocol);
        }
    }
    for (const std::string& split : splits)
        table.notes.push_back("evaluations of split " + split + " are not shown");
    for (const std::string& protocol : protocols)
        table.notes.push_back(protocol + " is not shown: " + why_hidden(protocol, table.metric));
}

void add_left_out(Table& table, const TableSource& source) {
    if (!source.left_out.empty())
        table.notes.push_back("left out, as the recipe that was run last no longer has these cells: " +
                              joined_words(source.left_out));
    if (!source.not_chosen.empty())
        table.notes.push_back("not shown, as other arms were asked for: " + joined_words(source.not_chosen));
}

// What an evaluation itself wants a reader to know.
void add_recorded(Table& table, const TableSource& source) {
    Texts lines;
    for (const RunFolder& run : source.runs)
        for (const Evaluation& evaluation : run.evaluations)
            for (const std::string& note : evaluation.notes)
                if (evaluation.split == source.split && contains(source.protocols, evaluation.protocol) &&
                    !contains(lines, evaluation.protocol + ": " + note))
                    lines.push_back(evaluation.protocol + ": " + note);
    table.notes.insert(table.notes.end(), lines.begin(), lines.end());
}

// In words; "" where none was looked for.
std::string effective_context(const Evaluation& evaluation) {
    if (!evaluation.facts.contains("effective_context")) return "";
    if (const auto context = evaluation.fact("effective_context")) return text_of(*context);
    const auto beyond = evaluation.fact("effective_context_none_beyond");
    return beyond ? "none beyond " + text_of(*beyond) : "not known";
}

// The longest context that still helped, of every run.
void add_effective_contexts(Table& table, const TableSource& source) {
    std::vector<std::pair<std::string, Texts>> arms;
    for (const RunFolder& run : source.runs) {
        for (const Evaluation& evaluation : run.evaluations) {
            const std::string context = effective_context(evaluation);
            if (!run.finished() || evaluation.split != source.split || context.empty()) continue;
            const std::string name = source.arm_of(run);
            if (arms.empty() || arms.back().first != name) arms.push_back({name, {}});
            arms.back().second.push_back(context);
        }
    }
    Texts parts;
    for (const auto& [name, contexts] : arms) parts.push_back(name + " " + joined_words(contexts));
    if (!parts.empty())
        table.notes.push_back(
            "effective context, tokens (the largest c that helps beyond c / 2, with no harm from the "
            "training "
            "length to c, by each run): " +
            joined_words(parts, "; "));
}

// ---- what the marks claim

/// The column to look at first: the first one of the longest length up to the training length, else the
/// first.
std::size_t in_range_column(const Table& table, const TableSource& source) {
    const std::vector<std::string> own = own_axes();
    const auto length =
        std::find_first_of(table.column_axes.begin(), table.column_axes.end(), own.begin(), own.end());
    if (length == table.column_axes.end() || !source.trained_length) return 0;
    const auto at = static_cast<std::size_t>(length - table.column_axes.begin());
    std::size_t chosen = 0;
    Index longest = 0;
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
        const auto tokens = integer_from(table.columns[column].values[at]);
        if (!tokens || *tokens > *source.trained_length || *tokens <= longest) continue;
        chosen = column;
        longest = *tokens;
    }
    return chosen;
}

// The record behind a cell of one run and how its interval was made, or nullptr.
std::pair<const Record*, std::string> record_of(const Table& table, const TableCell& cell,
                                                const TableSource& source) {
    Place at;
    for (std::size_t i = 0; i < table.row_axes.size(); ++i)
        at[table.row_axes[i]] = table.rows[cell.row].values[i];
    for (std::size_t i = 0; i < table.column_axes.size(); ++i)
        at[table.column_axes[i]] = table.columns[cell.column].values[i];
    for (const RunFolder& run : source.runs) {
        if (run.name != cell.runs.front()) continue;
        for (const Evaluation& evaluation : run.evaluations)
            if (source.shows(evaluation) && evaluation.protocol == at["protocol"])
                return {source.record(run, at), evaluation.interval_method};
    }
    return {nullptr, ""};
}

void add_undecided(Table& table, const TableSource& source) {
    constexpr std::size_t max = 6;  // pairs to name
    if (table.columns.empty()) return;
    const std::size_t column = in_range_column(table, source);
    Texts pairs;
    for (std::size_t a = 0; a < table.rows.size(); ++a) {
        for (std::size_t b = a + 1; b < table.rows.size(); ++b) {
            if (table.undecided(table.at(a, column), table.at(b, column)))
                pairs.push_back(table.rows[a].label + " and " + table.rows[b].label);
        }
    }
    if (pairs.empty()) return;
    const std::size_t rest = pairs.size() > max ? pairs.size() - max : 0;
    pairs.resize(pairs.size() - rest);
    table.notes.push_back(fmt::format("undecided at {} (as for bold): {}{}", table.columns[column].label,
                                      joined_words(pairs, "; "),
                                      rest > 0 ? fmt::format("; and {} more", rest) : ""));
}

/// How wide the runs' own intervals are where it matters first, in the table's unit: " (at X half a width is
/// ...)".
std::string own_intervals(const Table& table, const TableSource& source) {
    if (table.columns.empty() || !table.measure().proportional_to_nats) return "";
    const std::size_t column = in_range_column(table, source);
    std::vector<double> widths;
    std::string method;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        const TableCell& cell = table.at(row, column);
        const auto [record, how] = record_of(table, cell, source);
        if (record == nullptr) continue;
        const double nats = record->value(loss_metric).value_or(0);
        const auto interval = record->interval(loss_metric);
        if (!cell.mean || !interval || nats <= 0) continue;
        widths.push_back((interval->high - interval->low) / 2 * *cell.mean / nats);
        method = how;
    }
    if (widths.empty()) return "";
    const auto [min, max] = std::minmax_element(widths.begin(), widths.end());
    return fmt::format(" (its half-width at {} is {} to {}; {})", table.columns[column].label,
                       shown(*min, table.measure()), shown(*max, table.measure()),
                       method.empty() ? "method not recorded" : method);
}

void add_marks(Table& table, const TableSource& source) {
    const bool bold =
        std::any_of(table.cells.begin(), table.cells.end(), [](const TableCell& cell) { return cell.best; });
    if (source.over.size() > 1) {
        if (bold)
            table.notes.push_back(
                "bold: the best mean of a column among complete cells, and every other whose paired "
                "difference from it has an interval that holds 0: undecided between them");
        add_undecided(table, source);
        return;
    }
    const bool seeds = table.over == "train.seed";
    const std::string widths = own_intervals(table, source);
    table.notes.push_back(seeds ? "one seed: no interval over seeds"
                                : fmt::format("one value of {}: no interval over it", table.over));
    if (bold)
        table.notes.push_back(
            fmt::format("bold: the best number of a column; one {}: differences below the run's "
                        "bootstrap interval are undecided{}",
                        seeds ? "seed" : "run", widths));
}

}  // namespace

void add_notes(Table& table, const TableSource& source) {
    add_beyond(table);
    for (std::size_t row = 0; row < table.rows.size(); ++row) add_missing(table, source, row);
    add_unmeasured(table, source);
    add_hidden(table, source);
    add_left_out(table, source);
    add_recorded(table, source);
    add_effective_contexts(table, source);
    add_marks(table, source);
}

}  // namespace locus
