#include "recipes/engine/report/table_answer.h"

#include <fmt/core.h>

#include <algorithm>

#include "framework/core/error.h"
#include "recipes/engine/config/value.h"
#include "recipes/engine/measure/policy.h"
#include "recipes/engine/report/table_words.h"

namespace locus {

namespace {

using Texts = std::vector<std::string>;

// "a", "a and b", "a, b and c"
std::string listed(const Texts& words) {
    if (words.size() < 2) return joined_words(words);
    return joined_words({words.begin(), words.end() - 1}) + " and " + words.back();
}

// ---- primary contrasts

std::string difference_text(const Table& table, const TableContrast& contrast) {
    std::string text = fmt::format("{} = {}", contrast.row, signed_text(*contrast.mean, table.measure()));
    if (contrast.interval)
        text += " \u00b1 " + shown((contrast.interval->high - contrast.interval->low) / 2, table.measure());
    return text + fmt::format(" {} (n = {})", table.measure().unit, contrast.pairs());
}

// Why a primary contrast is not decided; `tested`: primary contrasts.
std::string why_undecided(const TableContrast& contrast, std::size_t tested) {
    if (!contrast.interval) return "one pair has no interval";
    if (!contrast.told()) return "the interval holds 0";
    const int needed = pairs_needed(tested);
    if (static_cast<int>(contrast.pairs()) < needed)
        return fmt::format("{} pairs cannot decide {} primary contrast{}, {} can", contrast.pairs(), tested,
                           tested == 1 ? "" : "s", needed);
    return fmt::format("the {} has p = {:.3g} after Holm's correction over {}",
                       sign_flip_method(contrast.pairs()), *contrast.p_holm, tested);
}

std::string contrast_line(const Table& table, const TableContrast& contrast, std::size_t tested) {
    const std::string at = " at " + contrast.column;
    if (!contrast.mean) return fmt::format("no pair of runs: {}{}", contrast.row, at);
    const std::string numbers = difference_text(table, contrast);
    if (contrast.verdict != Verdict::decided)
        return fmt::format("undecided{}: {}; {}", at, numbers, why_undecided(contrast, tested));
    const auto arms = contrast.contrast.find(" - ");
    const std::string a = contrast.contrast.substr(0, arms), b = contrast.contrast.substr(arms + 3);
    const bool for_a = (*contrast.mean > 0) == table.measure().higher_is_better;
    return fmt::format("decided{}: {} is better than {}: {}, p = {:.3g} ({}, Holm over {})", at,
                       for_a ? a : b, for_a ? b : a, numbers, *contrast.p_holm,
                       sign_flip_method(contrast.pairs()), tested);
}

void add_contrast_lines(Table& table) {
    const std::size_t tested = table.primary_contrasts;
    std::size_t decided = 0;
    if (tested == 0) return;
    for (const TableContrast& contrast : table.contrasts) {
        if (!contrast.primary) continue;
        table.answer.push_back(contrast_line(table, contrast, tested));
        decided += contrast.verdict == Verdict::decided ? 1 : 0;
    }
    table.answer.push_back(
        fmt::format("in all: {} of {} primary contrast{} decided; every other difference is "
                    "exploratory",
                    decided, tested, tested == 1 ? "" : "s"));
}

// ---- lengths

constexpr double kept_within = 0.05;  // nats per token above the loss at the trained length

/// The columns of one protocol that differ in their length only, ascending.
struct LengthColumns {
    std::string protocol;
    std::vector<std::size_t> columns;
    std::vector<Index> lengths;
};

// Of the primary column's protocol, else of the first one; nothing where columns have other axes.
std::optional<LengthColumns> length_columns(const Table& table, const TableSource& source) {
    if (table.column_axes.size() != 2 || table.column_axes.front() != "protocol" || table.columns.empty())
        return std::nullopt;
    if (!contains(own_axes(), table.column_axes.back())) return std::nullopt;
    const std::string first = table.columns.front().values.front();
    LengthColumns found{primary_value(source.options, "protocol").value_or(first), {}, {}};
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
        const Texts& values = table.columns[column].values;
        const auto length = integer_from(values.back());
        if (values.front() != found.protocol || !length) continue;
        found.columns.push_back(column);
        found.lengths.push_back(*length);
    }
    return found;
}

// Mean nats per token of the runs of a cell that have them; nothing where one lacks them.
std::optional<double> mean_nats(const Table& table, const TableSource& source, const TableCell& cell) {
    Place at;
    for (std::size_t i = 0; i < table.row_axes.size(); ++i)
        at[table.row_axes[i]] = table.rows[cell.row].values[i];
    for (std::size_t i = 0; i < table.column_axes.size(); ++i)
        at[table.column_axes[i]] = table.columns[cell.column].values[i];
    std::vector<double> values;
    for (const RunFolder& run : source.runs) {
        if (!contains(cell.runs, run.name) || !run.finished()) continue;
        const Record* record = source.record(run, at);
        const auto nats = record == nullptr ? std::nullopt : record->value(loss_metric);
        if (!nats) return std::nullopt;
        values.push_back(*nats);
    }
    if (values.empty()) return std::nullopt;
    return mean_of(values);
}

// The longest length to which an arm keeps its loss, as a place among the columns; nothing where it does not
// beyond the trained one, at place `trained`.
std::optional<std::size_t> kept_to(const Table& table, const TableSource& source, const LengthColumns& at,
                                   std::size_t trained, std::size_t row) {
    const auto base = mean_nats(table, source, table.at(row, at.columns[trained]));
    std::optional<std::size_t> kept;
    for (std::size_t i = trained + 1; base && i < at.columns.size(); ++i) {
        const auto nats = mean_nats(table, source, table.at(row, at.columns[i]));
        if (!nats || *nats > *base + kept_within) break;
        kept = i;
    }
    return kept;
}

// "alibi and t5 to 512 (8x); rope not beyond 64 (1x)"
std::string kept_text(const Table& table, const TableSource& source, const LengthColumns& at,
                      std::size_t trained) {
    Texts parts, not_beyond;
    for (std::size_t i = at.columns.size(); i-- > trained + 1;) {
        Texts arms;
        for (std::size_t row = 0; row < table.rows.size(); ++row)
            if (kept_to(table, source, at, trained, row) == i) arms.push_back(table.rows[row].label);
        if (!arms.empty()) parts.push_back(listed(arms) + " to " + table.columns[at.columns[i]].in_block);
    }
    for (std::size_t row = 0; row < table.rows.size(); ++row)
        if (!kept_to(table, source, at, trained, row)) not_beyond.push_back(table.rows[row].label);
    if (!not_beyond.empty())
        parts.push_back(listed(not_beyond) + " not beyond " + table.columns[at.columns[trained]].in_block);
    return joined_words(parts, "; ");
}

// "rope and t5 at 8 (1/8x) to 64 (1x); t5 at 128 (2x) to 512 (8x)": neighbours with the same marks together.
std::string best_text(const Table& table, const LengthColumns& at) {
    const auto best_at = [&](std::size_t column) {
        Texts arms;
        for (std::size_t row = 0; row < table.rows.size(); ++row)
            if (table.at(row, column).best) arms.push_back(table.rows[row].label);
        return listed(arms);
    };
    Texts parts;
    for (std::size_t first = 0; first < at.columns.size();) {
        const std::string arms = best_at(at.columns[first]);
        std::size_t last = first;
        while (last + 1 < at.columns.size() && best_at(at.columns[last + 1]) == arms) ++last;
        const std::string from = table.columns[at.columns[first]].in_block;
        const std::string to = table.columns[at.columns[last]].in_block;
        if (!arms.empty()) parts.push_back(arms + " at " + (first == last ? from : from + " to " + to));
        first = last + 1;
    }
    return joined_words(parts, "; ");
}

void add_length_lines(Table& table, const TableSource& source) {
    if (table.rows.size() < 2 || !source.trained_length) return;
    const auto at = length_columns(table, source);
    if (!at) return;
    const auto place = std::find(at->lengths.begin(), at->lengths.end(), *source.trained_length);
    if (place == at->lengths.end() || place + 1 == at->lengths.end()) return;
    const auto trained = static_cast<std::size_t>(place - at->lengths.begin());
    table.answer.push_back(
        fmt::format("{}: within {} nats per token of its loss at {} stay: {}", at->protocol, kept_within,
                    table.columns[at->columns[trained]].in_block, kept_text(table, source, *at, trained)));
    const std::string best = best_text(table, *at);
    if (best.empty()) return;
    table.answer.push_back(fmt::format(
        "{}: best, {}: {}", at->protocol,
        source.over.size() > 1 ? "or not told from the best" : "of one run each and so undecided", best));
}

}  // namespace

void add_answer(Table& table, const TableSource& source) {
    add_contrast_lines(table);
    add_length_lines(table, source);
}

}  // namespace locus
