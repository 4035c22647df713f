#include "recipes/engine/report/table_layout.h"

#include <algorithm>
#include <set>

#include "framework/core/error.h"
#include "recipes/engine/config/value.h"
#include "recipes/engine/report/table_words.h"

namespace locus {

namespace {

/// Axes of rows and columns. What varies and is laid out nowhere goes to the rows, for a mean must never run
/// over two things; where the rows are lengths, to the columns.
void choose_axes(const TableSource& source, Table& table) {
    table.row_axes = {source.options.rows};
    table.column_axes = source.options.columns;
    if (source.options.rows == "arm" && !source.runs.front().varies("arm")) table.row_axes.clear();
    auto& rest = is_score_axis(source.options.rows) ? table.column_axes : table.row_axes;
    for (const Coordinate& at : source.runs.front().cell)
        if (at.axis != source.options.over && !contains(table.column_axes, at.axis)) add_once(rest, at.axis);
    if (table.row_axes.empty()) table.row_axes = {"encoding.kind"};
    if (!contains(table.row_axes, "protocol") && !contains(table.column_axes, "protocol"))
        table.column_axes.insert(table.column_axes.begin(), "protocol");
    if (!contains(table.row_axes, "length") && !contains(table.column_axes, "length"))
        table.column_axes.push_back("length");
}

/// The values of every axis in the order of the table.
class Ranks {
  public:
    explicit Ranks(const TableSource& source) : source_(source) {
        for (const std::string& protocol : source.protocols) order("protocol").push_back(protocol);
        std::map<std::string, Index> first;
        for_each_score(source, [&](const std::string&, const Score& score) {
            first.emplace(length_text(score), score.bin ? score.bin->first : score.length.value_or(0));
        });
        for (const auto& [text, at] : first) order("length").push_back(text);
        std::stable_sort(order("length").begin(), order("length").end(),
                         [&](const auto& a, const auto& b) { return first[a] < first[b]; });
    }

    template <typename Visit>
    static void for_each_score(const TableSource& source, Visit visit) {
        for (const RunFolder& run : source.runs)
            for (const Evaluation& evaluation : run.evaluations)
                if (evaluation.split == source.split && contains(source.protocols, evaluation.protocol))
                    for (const Score& score : evaluation.scores) visit(evaluation.protocol, score);
    }

    /// The recipe's order where the manifests tell it, else natural.
    void add_run_axis(const std::string& axis) {
        for (const RunFolder& run : source_.runs) add_once(order(axis), run.value(axis));
        const bool ordered = std::all_of(source_.runs.begin(), source_.runs.end(),
                                         [](const auto& run) { return run.number("index").has_value(); });
        if (!ordered) std::sort(order(axis).begin(), order(axis).end(), natural_less);
    }

    bool less(const std::vector<std::string>& axes, const std::vector<std::string>& a,
              const std::vector<std::string>& b) const {
        for (std::size_t i = 0; i < axes.size(); ++i)
            if (a[i] != b[i]) return rank(axes[i], a[i]) < rank(axes[i], b[i]);
        return false;
    }

  private:
    std::vector<std::string>& order(const std::string& axis) { return orders_[axis]; }
    std::ptrdiff_t rank(const std::string& axis, const std::string& value) const {
        const auto& all = orders_.at(axis);
        return std::find(all.begin(), all.end(), value) - all.begin();
    }

    const TableSource& source_;
    std::map<std::string, std::vector<std::string>> orders_;
};

/// Every combination of what the runs are and what was measured, on these axes.
std::vector<TableKey> keys_of(const TableSource& source, const std::vector<std::string>& axes, Ranks& ranks) {
    std::set<std::vector<std::string>> of_runs, of_scores;
    for (const RunFolder& run : source.runs) {
        std::vector<std::string> key;
        for (const std::string& axis : axes) key.push_back(is_score_axis(axis) ? "" : run.value(axis));
        of_runs.insert(key);
    }
    Ranks::for_each_score(source, [&](const std::string& protocol, const Score& score) {
        std::vector<std::string> key;
        for (const std::string& axis : axes)
            key.push_back(axis == "protocol" ? protocol : axis == "length" ? length_text(score) : "");
        of_scores.insert(key);
    });
    const bool has_scores = std::any_of(axes.begin(), axes.end(), is_score_axis);
    if (!has_scores) of_scores = {std::vector<std::string>(axes.size())};
    std::vector<TableKey> keys;
    for (const auto& run : of_runs) {
        for (const auto& score : of_scores) {
            TableKey key{run, "", "", ""};
            for (std::size_t i = 0; i < axes.size(); ++i)
                if (is_score_axis(axes[i])) key.values[i] = score[i];
            keys.push_back(std::move(key));
        }
    }
    for (const std::string& axis : axes)
        if (!is_score_axis(axis)) ranks.add_run_axis(axis);
    std::sort(keys.begin(), keys.end(),
              [&](const TableKey& a, const TableKey& b) { return ranks.less(axes, a.values, b.values); });
    return keys;
}

// "16 (1/4x)", "64 (1x)", "128 (2x)": lengths beside the trained one.
std::string multiple(const std::string& length, std::optional<Index> trained) {
    const auto tokens = integer_from(length);
    if (!tokens || *tokens <= 0 || !trained || *trained <= 0) return length;
    if (*tokens < *trained && *trained % *tokens == 0)
        return fmt::format("{} (1/{}x)", length, *trained / *tokens);
    return fmt::format("{} ({:.4g}x)", length, static_cast<double>(*tokens) / static_cast<double>(*trained));
}

void label(std::vector<TableKey>& keys, const std::vector<std::string>& axes, const TableSource& source) {
    const auto add = [](std::string& text, const std::string& part) {
        text += (text.empty() ? "" : " ") + part;
    };
    for (TableKey& key : keys) {
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const std::string part = axes[i] == "length" ? multiple(key.values[i], source.trained_length)
                                                         : coordinate_text(axes[i], key.values[i]);
            add(key.label, part);
            add(axes[i] == "protocol" ? key.block : key.in_block, part);
        }
    }
}

/// What a row and a column ask for together, by axis.
std::map<std::string, std::string> asked(const Table& table, const TableKey& row, const TableKey& column) {
    std::map<std::string, std::string> wanted;
    for (std::size_t i = 0; i < table.row_axes.size(); ++i) wanted[table.row_axes[i]] = row.values[i];
    for (std::size_t i = 0; i < table.column_axes.size(); ++i)
        wanted[table.column_axes[i]] = column.values[i];
    return wanted;
}

// The run of these coordinates, or nullptr.
const RunFolder* find_run(const TableSource& source, const std::map<std::string, std::string>& wanted,
                          const std::string& over) {
    const RunFolder* found = nullptr;
    for (const RunFolder& run : source.runs) {
        bool fits = over.empty() || run.value(source.options.over) == over;
        for (const auto& [axis, value] : wanted)
            fits = fits && (is_score_axis(axis) || run.value(axis) == value);
        if (!fits) continue;
        require(found == nullptr, Failure::storage, "two runs of the same cell: {} and {}",
                found == nullptr ? "" : found->name, run.name);
        found = &run;
    }
    return found;
}

void fill(TableCell& cell, const TableSource& source, const std::map<std::string, std::string>& wanted) {
    for (const std::string& over : source.over) {
        const RunFolder* run = find_run(source, wanted, over);
        cell.runs.push_back(run != nullptr ? run->name
                            : over.empty() ? ""
                                           : coordinate_text(source.options.over, over));
        cell.values.emplace_back();
        cell.states.push_back(run != nullptr ? run->state : "missing");
        if (run == nullptr || !run->finished()) continue;
        const Score* score = source.score(*run, wanted.at("protocol"), wanted.at("length"));
        if (score == nullptr) {
            cell.states.back() = "not evaluated";
            continue;
        }
        cell.values.back() = score->values[static_cast<std::size_t>(source.options.cell)];
        const bool named = !score->state.empty() && score->state != "ok" && score->state != "done";
        cell.states.back() = cell.values.back() ? "ok" : named ? score->state : "no value";
    }
}

}  // namespace

Table lay_out(const TableSource& source) {
    Table table;
    table.question = source.runs.front().value("question");
    table.metric = source.options.cell;
    table.over = source.options.over;
    choose_axes(source, table);
    Ranks ranks(source);
    table.rows = keys_of(source, table.row_axes, ranks);
    table.columns = keys_of(source, table.column_axes, ranks);
    label(table.rows, table.row_axes, source);
    label(table.columns, table.column_axes, source);
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        for (std::size_t column = 0; column < table.columns.size(); ++column) {
            TableCell cell;
            cell.row = row;
            cell.column = column;
            fill(cell, source, asked(table, table.rows[row], table.columns[column]));
            table.cells.push_back(std::move(cell));
        }
    }
    return table;
}

}  // namespace locus
