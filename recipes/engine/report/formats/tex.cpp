#include <algorithm>

#include "framework/core/error.h"
#include "recipes/engine/report/table_format.h"
#include "recipes/engine/report/table_words.h"
#include "recipes/engine/report/tex_words.h"

namespace locus {

namespace {

constexpr double page_width = 340;    // points; a page of `article` has 345
constexpr double gap = 8;             // points between columns
constexpr double widest_label = 130;  // points; longer labels are broken
constexpr std::size_t rows_of_a_page = 40;

/// Cells in plain text; `heading` spans neighbours that share it.
struct Column {
    std::string heading, name;
    std::vector<std::string> cells;
    std::vector<bool> bold;
};

struct Grid {
    std::string corner;
    std::vector<std::string> labels;
    std::vector<Column> columns;
};

double width_of(const Column& column) {
    double width = tex_width(column.name);
    for (const std::string& cell : column.cells) width = std::max(width, tex_width(cell));
    return width + gap;
}

std::string plus_minus(const std::string& mean, const Interval& interval, const Metric& metric) {
    return mean + " \u00b1 " + shown((interval.high - interval.low) / 2, metric);
}

std::string cell_text(const Table& table, const TableCell& cell) {
    if (!cell.mean) return cell.state == "beyond_table" ? "\u2014" : cell.state;
    std::string text = shown(*cell.mean, table.measure());
    if (cell.interval) text = plus_minus(text, *cell.interval, table.measure());
    if (!cell.complete()) text += fmt::format(" ({} of {})", cell.count(), cell.values.size());
    return text;
}

std::string cell_text(const Table& table, const TableContrast& contrast) {
    if (!contrast.mean) return "no pair";
    std::string text = signed_text(*contrast.mean, table.measure());
    if (contrast.interval) text = plus_minus(text, *contrast.interval, table.measure());
    if (contrast.pairs() < contrast.values.size())
        text += fmt::format(" ({} of {})", contrast.pairs(), contrast.values.size());
    if (contrast.verdict == Verdict::undecided) text += " ?";
    if (contrast.verdict == Verdict::decided) text += " !";
    return text;
}

Grid grid_of(const Table& table) {
    Grid grid{joined_words(table.row_axes, " "), {}, {}};
    for (const TableKey& row : table.rows) grid.labels.push_back(row.label);
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
        const TableKey& key = table.columns[column];
        Column& to = grid.columns.emplace_back(Column{key.block, key.in_block, {}, {}});
        for (std::size_t row = 0; row < table.rows.size(); ++row) {
            to.cells.push_back(cell_text(table, table.at(row, column)));
            to.bold.push_back(table.at(row, column).best);
        }
    }
    return grid;
}

Grid contrasts_of(const Table& table) {
    Grid grid{"difference", {}, {}};
    std::vector<std::string> names;
    for (const TableContrast& contrast : table.contrasts) {
        add_once(grid.labels, contrast.row);
        add_once(names, contrast.column);
    }
    for (const std::string& name : names)
        grid.columns.push_back({"", name, std::vector<std::string>(grid.labels.size()),
                                std::vector<bool>(grid.labels.size(), false)});
    const auto place = [](const auto& all, const std::string& one) {
        return static_cast<std::size_t>(std::find(all.begin(), all.end(), one) - all.begin());
    };
    for (const TableContrast& contrast : table.contrasts)
        grid.columns[place(names, contrast.column)].cells[place(grid.labels, contrast.row)] =
            cell_text(table, contrast);
    return grid;
}

double label_width(const Grid& grid) {
    double width = tex_width(grid.corner);
    for (const std::string& label : grid.labels) width = std::max(width, tex_width(label));
    return std::min(width, widest_label) + gap;
}

using Columns = std::vector<const Column*>;

/// Columns that a page holds side by side: the neighbours of one heading, or several headings where they fit.
std::vector<Columns> parts_of(const Grid& grid) {
    std::vector<Columns> parts;
    double left = 0, under_heading = 0;
    for (const Column& column : grid.columns) {
        const bool same = !parts.empty() && parts.back().back()->heading == column.heading;
        under_heading = same ? under_heading + width_of(column) : width_of(column);
        // A heading may be wider than what stands under it.
        const double width =
            width_of(column) + std::max(0.0, same ? 0 : tex_width(column.heading) - under_heading);
        if (parts.empty() || width > left) {
            parts.emplace_back();
            left = page_width - label_width(grid);
        }
        left -= width;
        parts.back().push_back(&column);
    }
    if (parts.empty()) parts.emplace_back();
    return parts;
}

std::string headings(const Grid& grid, const Columns& columns) {
    std::string above, rules, names = tex_breakable(grid.corner);
    for (std::size_t first = 0; first < columns.size();) {
        const std::string& heading = columns[first]->heading;
        std::size_t last = first;
        while (last + 1 < columns.size() && columns[last + 1]->heading == heading) ++last;
        above += fmt::format(" & \\multicolumn{{{}}}{{c}}{{{}}}", last - first + 1, tex_text(heading));
        if (!heading.empty()) rules += fmt::format("\\cmidrule(lr){{{}-{}}}", first + 2, last + 2);
        first = last + 1;
    }
    for (const Column* column : columns) names += " & " + tex_text(column->name);
    return (rules.empty() ? "" : above + " \\\\\n" + rules + "\n") + names + " \\\\\n";
}

std::string tabular(const Grid& grid, const Columns& columns, std::size_t first, std::size_t last) {
    const bool broken = label_width(grid) >= widest_label;
    std::string text = fmt::format("\\begin{{tabular}}{{{}{}}}\n\\toprule\n",
                                   broken ? fmt::format("p{{{:.0f}pt}}", widest_label) : "l",
                                   std::string(columns.size(), 'r'));
    text += headings(grid, columns) + "\\midrule\n";
    for (std::size_t row = first; row < last; ++row) {
        text += broken ? "\\raggedright " + tex_breakable(grid.labels[row]) : tex_text(grid.labels[row]);
        for (const Column* column : columns) {
            const std::string cell = tex_text(column->cells[row]);
            text += " & " + (column->bold[row] ? "\\textbf{" + cell + "}" : cell);
        }
        text += " \\\\\n";
    }
    return text + "\\bottomrule\n\\end{tabular}\n";
}

/// The tabulars of a grid in as many floats as they need.
std::string floats(const Grid& grid, const std::string& caption) {
    std::string text, open;
    std::size_t rows = 0;
    const auto close = [&] {
        if (open.empty()) return;
        text += fmt::format(
            "\\begin{{table}}\n\\centering\\footnotesize\\setlength{{\\tabcolsep}}{{{:.0f}pt}}\n\\caption{{{}"
            "}}\n{}"
            "\\end{{table}}\n",
            gap / 2, caption + (text.empty() ? "" : " (continued)"), open);
        open.clear();
        rows = 0;
    };
    for (const Columns& columns : parts_of(grid)) {
        for (std::size_t first = 0; first == 0 || first < grid.labels.size(); first += rows_of_a_page) {
            const std::size_t last = std::min(first + rows_of_a_page, grid.labels.size());
            if (rows + last - first > rows_of_a_page) close();
            open += (open.empty() ? "" : "\n\\medskip\n") + tabular(grid, columns, first, last);
            rows += last - first + 4;
        }
    }
    close();
    return text;
}

std::string tex_table(const Table& table) {
    std::string warning;
    for (const char c : table.warning) warning += c == '\n' ? ' ' : c;
    std::string text = warning.empty() ? "" : "% " + warning + "\n";
    text += "% needs in the preamble: \\usepackage{booktabs}\n";
    const std::string caption =
        (warning.empty() ? "" : "\\textbf{" + tex_text(warning) + "} ") + tex_text(table.question);
    text += floats(grid_of(table), caption);
    if (!table.contrasts.empty())
        text += floats(contrasts_of(table),
                       "Paired differences (?: undecided; !: a primary one that is decided). " +
                           tex_text(table.question));
    text += "\\begingroup\\footnotesize\\sloppy\\setlength{\\parindent}{0pt}\n";
    for (const auto* lines : {&table.answer, &table.definitions, &table.ledger, &table.notes})
        for (const std::string& line : *lines) text += tex_breakable(line) + ".\\par\n";
    return text + "\\endgroup\n";
}

const bool tex_registered = TableFormats::instance().add(
    "tex", {"floats for LaTeX with booktabs, and the notes below them", tex_table});

}  // namespace

}  // namespace locus
