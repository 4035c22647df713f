#include <algorithm>

#include "framework/core/error.h"
#include "recipes/engine/report/table_format.h"
#include "recipes/engine/report/table_words.h"

namespace locus {

namespace {

using Row = std::vector<std::string>;

constexpr std::size_t terminal_columns = 110;  // columns of a terminal

// Characters, not bytes, of UTF-8.
std::size_t width_of(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string markdown_cell(const Table& table, const TableCell& cell) {
    if (!cell.mean) return cell.state == "beyond_table" ? "\u2014" : cell.state;
    std::string text = shown(*cell.mean, table.measure());
    if (cell.best) text = "**" + text + "**";
    if (cell.interval)
        text += " \u00b1 " + shown((cell.interval->high - cell.interval->low) / 2, table.measure());
    if (!cell.complete()) text += fmt::format(" ({} of {})", cell.count(), cell.values.size());
    return text;
}

std::string contrast_cell(const Table& table, const TableContrast& contrast) {
    if (!contrast.mean) return "no pair of runs";
    std::string text = signed_text(*contrast.mean, table.measure());
    if (contrast.interval)
        text += " \u00b1 " + shown((contrast.interval->high - contrast.interval->low) / 2, table.measure());
    if (contrast.pairs() < contrast.values.size())
        text += fmt::format(" ({} of {})", contrast.pairs(), contrast.values.size());
    if (contrast.verdict != Verdict::exploratory) text += fmt::format(" {}", to_string(contrast.verdict));
    return text + (contrast.primary ? " (primary)" : "");
}

// A bar would end the cell.
std::string markdown(std::string text) {
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
    return text;
}

std::string head(const Table& table) {
    Row names;
    for (const std::string& axis : table.row_axes) names.push_back(axis);
    return markdown(joined_words(names, " "));
}

/// Header and rows for some of the columns. `whole`: with the protocol in every header.
std::vector<Row> grid(const Table& table, const std::vector<std::size_t>& columns, bool whole) {
    std::vector<Row> rows = {{head(table)}};
    for (const std::size_t column : columns) {
        const TableKey& key = table.columns[column];
        rows.front().push_back(markdown(whole || key.in_block.empty() ? key.label : key.in_block));
    }
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        rows.push_back({markdown(table.rows[row].label)});
        for (const std::size_t column : columns)
            rows.back().push_back(markdown(markdown_cell(table, table.at(row, column))));
    }
    return rows;
}

std::vector<std::size_t> widths_of(const std::vector<Row>& rows) {
    std::vector<std::size_t> widths(rows.front().size(), 3);
    for (const Row& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
    return widths;
}

std::size_t width_of(const std::vector<Row>& rows) {
    std::size_t total = 1;
    for (const std::size_t width : widths_of(rows)) total += width + 3;
    return total;
}

std::string aligned(const std::vector<Row>& rows) {
    const std::vector<std::size_t> widths = widths_of(rows);
    std::string text;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        for (std::size_t i = 0; i < widths.size(); ++i) {
            const std::string gap(widths[i] - width_of(rows[r][i]), ' ');
            text += (i == 0 ? "| " + rows[r][i] + gap : gap + rows[r][i]) + " |" +
                    (i + 1 < widths.size() ? " " : "\n");
        }
        if (r > 0) continue;
        text += "|" + std::string(widths[0] + 2, '-') + "|";
        for (std::size_t i = 1; i < widths.size(); ++i) text += std::string(widths[i] + 1, '-') + ":|";
        text += "\n";
    }
    return text;
}

/// The columns of each protocol, in order.
std::vector<std::pair<std::string, std::vector<std::size_t>>> blocks_of(const Table& table) {
    std::vector<std::pair<std::string, std::vector<std::size_t>>> blocks;
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
        const std::string& name = table.columns[column].block;
        auto place =
            std::find_if(blocks.begin(), blocks.end(), [&](const auto& at) { return at.first == name; });
        if (place == blocks.end()) place = blocks.insert(blocks.end(), {name, {}});
        place->second.push_back(column);
    }
    return blocks;
}

std::string body(const Table& table) {
    std::vector<std::size_t> all(table.columns.size());
    for (std::size_t column = 0; column < all.size(); ++column) all[column] = column;
    const std::vector<Row> whole = grid(table, all, true);
    const auto blocks = blocks_of(table);
    if (width_of(whole) <= terminal_columns || blocks.size() < 2) return aligned(whole);
    std::string text;
    for (const auto& [name, columns] : blocks)
        text +=
            fmt::format("{}{}\n\n{}", text.empty() ? "" : "\n", name, aligned(grid(table, columns, false)));
    return text;
}

/// The differences of arms: a row each, under the columns that they have.
std::string contrasts(const Table& table) {
    if (table.contrasts.empty()) return "";
    Row heads;
    for (const TableContrast& contrast : table.contrasts) add_once(heads, contrast.column);
    std::vector<Row> rows = {{"difference"}};
    for (const std::string& name : heads) rows.front().push_back(markdown(name));
    for (const TableContrast& contrast : table.contrasts) {
        const std::string name = markdown(contrast.row);
        if (rows.back().front() != name) {
            rows.push_back({name});
            rows.back().resize(heads.size() + 1, "");
        }
        const auto place = std::find(heads.begin(), heads.end(), contrast.column) - heads.begin();
        rows.back()[static_cast<std::size_t>(place) + 1] = contrast_cell(table, contrast);
    }
    return "\nPaired differences\n\n" + aligned(rows);
}

std::string list(const std::string& title, const std::vector<std::string>& lines) {
    if (lines.empty()) return "";
    std::string text = "\n" + title + "\n\n";
    for (const std::string& line : lines) text += "- " + line + "\n";
    return text;
}

std::string markdown_table(const Table& table) {
    std::string text;
    if (!table.warning.empty()) text += table.warning + "\n\n";
    if (!table.question.empty()) text += table.question + "\n\n";
    for (const std::string& line : table.answer) text += "- " + line + "\n";
    if (!table.answer.empty()) text += "\n";
    text += body(table) + contrasts(table);
    return text + list("Definitions", table.definitions) + list("Fairness", table.ledger) +
           list("Notes", table.notes);
}

const bool markdown_registered =
    TableFormats::instance().add("md", {"aligned for a terminal", markdown_table});

}  // namespace

}  // namespace locus
