#include "framework/core/error.h"
#include "recipes/engine/report/table_format.h"
#include "recipes/engine/report/table_words.h"

namespace locus {

namespace {

std::string tex(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (std::string_view("_%&#${}").find(c) != std::string_view::npos)
            out += std::string("\\") + c;
        else if (c == '\\')
            out += "\\textbackslash{}";
        else if (c == '~' || c == '^')
            out += std::string("\\") + c + "{}";
        else if (c == '<' || c == '>')
            out += std::string("$") + c + "$";
        else if (c == '\n')
            out += ' ';
        else
            out += c;
    }
    const auto replace = [&](const std::string& from, const std::string& to) {
        for (std::size_t at = 0; (at = out.find(from, at)) != std::string::npos; at += to.size())
            out.replace(at, from.size(), to);
    };
    replace("\u00b1", "$\\pm$");
    replace("\u2014", "---");
    return out;
}

std::string tex_cell(const Table& table, const TableCell& cell) {
    if (!cell.mean) return cell.state == "beyond_table" ? "---" : tex(cell.state);
    std::string text = shown(*cell.mean, table.metric);
    if (cell.best) text = "\\textbf{" + text + "}";
    if (cell.interval)
        text += " $\\pm$ " + shown((cell.interval->high - cell.interval->low) / 2, table.metric);
    if (!cell.complete()) text += fmt::format(" ({} of {})", cell.count(), cell.values.size());
    return text;
}

using Columns = std::vector<std::size_t>;

constexpr std::size_t page_columns = 8;  // columns of numbers that a page holds side by side

// Protocols that are neighbours share a heading.
std::string headings(const Table& table, const Columns& columns) {
    std::string protocols, rules, names = tex(joined_words(table.row_axes, " "));
    for (std::size_t first = 0; first < columns.size();) {
        const std::string& block = table.columns[columns[first]].block;
        std::size_t last = first;
        while (last + 1 < columns.size() && table.columns[columns[last + 1]].block == block) ++last;
        protocols += fmt::format(" & \\multicolumn{{{}}}{{c}}{{{}}}", last - first + 1, tex(block));
        rules += fmt::format("\\cmidrule(lr){{{}-{}}}", first + 2, last + 2);
        first = last + 1;
    }
    for (const std::size_t column : columns) names += " & " + tex(table.columns[column].in_block);
    return protocols + " \\\\\n" + (rules.empty() ? "" : rules + "\n") + names + " \\\\\n";
}

std::string tabular(const Table& table, const Columns& columns) {
    std::string text = "\\begin{tabular}{l" + std::string(columns.size(), 'r') + "}\n\\toprule\n";
    text += headings(table, columns) + "\\midrule\n";
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        text += tex(table.rows[row].label);
        for (const std::size_t column : columns) text += " & " + tex_cell(table, table.at(row, column));
        text += " \\\\\n";
    }
    return text + "\\bottomrule\n\\end{tabular}\n";
}

// All columns side by side, or one tabular a protocol below the other.
std::string tabulars(const Table& table) {
    std::vector<Columns> parts;
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
        const bool begins = parts.empty() || (table.columns.size() > page_columns &&
                                              table.columns[column].block != table.columns[column - 1].block);
        if (begins) parts.emplace_back();
        parts.back().push_back(column);
    }
    if (parts.empty()) parts.emplace_back();
    std::string text;
    for (const Columns& columns : parts)
        text += (text.empty() ? "" : "\n\\medskip\n") + tabular(table, columns);
    return text;
}

}  // namespace

std::string tex_of(const Table& table) {
    std::string text = table.warning.empty() ? "" : "% " + table.warning + "\n";
    text += "\\begin{table}\n\\centering\n";
    const std::string warning = table.warning.empty() ? "" : "\\textbf{" + tex(table.warning) + "} ";
    text += "\\caption{" + warning + tex(table.question) + "}\n";
    text += tabulars(table) + "\n\\medskip\n\\begin{minipage}{\\linewidth}\\footnotesize\n";
    for (const auto* lines : {&table.definitions, &table.ledger, &table.notes})
        for (const std::string& line : *lines) text += tex(line) + ".\\\\\n";
    return text + "\\end{minipage}\n\\end{table}\n";
}

}  // namespace locus
