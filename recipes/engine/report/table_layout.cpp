#include "recipes/engine/report/table_layout.h"

#include <algorithm>
#include <set>

#include "framework/core/error.h"
#include "recipes/engine/config/value.h"
#include "recipes/engine/report/table_words.h"

namespace locus {

namespace {

/// Axes of rows and columns. What varies, or what records are placed by, and is laid out nowhere is added,
/// for a mean must never run over two things: to the rows, or to the columns where the rows are of results.
void choose_axes(const TableSource& source, Table& table) {
    table.row_axes = {source.options.rows};
    table.column_axes = source.options.columns;
    if (source.options.rows == "arm" && !source.runs.front().varies("arm")) table.row_axes.clear();
    const auto is_laid_out = [&](const std::string& axis) {
        return contains(table.row_axes, axis) || contains(table.column_axes, axis);
    };
    auto& rest = source.is_record_axis(source.options.rows) ? table.column_axes : table.row_axes;
    for (const Coordinate& at : source.runs.front().cell)
        if (at.axis != source.options.over && !contains(table.column_axes, at.axis)) add_once(rest, at.axis);
    if (table.row_axes.empty()) table.row_axes = {"encoding.kind"};
    if (!is_laid_out("protocol")) table.column_axes.insert(table.column_axes.begin(), "protocol");
    for (const RunFolder& run : source.runs)
        source.for_each_record(run, [&](const Evaluation& evaluation, const Record& record) {
            for (const auto& [axis, value] : record.coordinates) {
                const std::string name = axis == evaluation.axis ? "length" : axis;
                if (!is_laid_out(axis) && !is_laid_out(name)) table.column_axes.push_back(name);
            }
        });
    if (source.protocols.empty() && !is_laid_out("length")) table.column_axes.push_back("length");
}

// Where a value stands among others of its axis.
double order_of(const AxisPlace& value) {
    if (const auto* number = std::get_if<Index>(&value)) return static_cast<double>(*number);
    if (const auto* range = std::get_if<std::array<Index, 2>>(&value))
        return static_cast<double>((*range)[0]);
    return 0;
}

/// The values of every axis in the order of the table.
class Ranks {
  public:
    explicit Ranks(const TableSource& source) : source_(source) {
        for (const std::string& protocol : source.protocols) order("protocol").push_back(protocol);
    }

    void add(const std::string& axis) {
        if (axis == "protocol") return;
        source_.is_record_axis(axis) ? add_record_axis(axis) : add_run_axis(axis);
    }

    bool less(const std::vector<std::string>& axes, const std::vector<std::string>& a,
              const std::vector<std::string>& b) const {
        for (std::size_t i = 0; i < axes.size(); ++i)
            if (a[i] != b[i]) return rank(axes[i], a[i]) < rank(axes[i], b[i]);
        return false;
    }

  private:
    void add_record_axis(const std::string& axis) {
        std::map<std::string, double> first;
        for (const RunFolder& run : source_.runs)
            source_.for_each_record(run, [&](const Evaluation& evaluation, const Record& record) {
                if (const auto value = evaluation.place(record, axis))
                    first.emplace(text_of(*value), order_of(*value));
            });
        for (const auto& [text, at] : first) order(axis).push_back(text);
        std::stable_sort(order(axis).begin(), order(axis).end(),
                         [&](const auto& a, const auto& b) { return first[a] < first[b]; });
    }

    /// The recipe's order where the manifests tell it, else natural.
    void add_run_axis(const std::string& axis) {
        for (const RunFolder& run : source_.runs) add_once(order(axis), run.value(axis));
        const bool ordered = std::all_of(source_.runs.begin(), source_.runs.end(),
                                         [](const auto& run) { return run.manifest.index.has_value(); });
        if (!ordered) std::sort(order(axis).begin(), order(axis).end(), natural_less);
    }

    std::vector<std::string>& order(const std::string& axis) { return orders_[axis]; }
    std::ptrdiff_t rank(const std::string& axis, const std::string& value) const {
        const auto& all = orders_.at(axis);
        return std::find(all.begin(), all.end(), value) - all.begin();
    }

    const TableSource& source_;
    std::map<std::string, std::vector<std::string>> orders_;
};

/// Every combination of what the runs are and what was measured, on these axes.
std::vector<TableKey> keys_of(const TableSource& source, const std::vector<std::string>& axes) {
    std::set<std::vector<std::string>> of_runs, of_records;
    for (const RunFolder& run : source.runs) {
        std::vector<std::string> key;
        for (const std::string& axis : axes)
            key.push_back(source.is_record_axis(axis) ? "" : run.value(axis));
        of_runs.insert(key);
        source.for_each_record(run, [&](const Evaluation& evaluation, const Record& record) {
            std::vector<std::string> place;
            for (const std::string& axis : axes) {
                const auto value =
                    source.is_record_axis(axis) ? TableSource::place(evaluation, record, axis) : "";
                if (!value) return;
                place.push_back(*value);
            }
            of_records.insert(place);
        });
    }
    const bool has_records =
        std::any_of(axes.begin(), axes.end(), [&](const auto& axis) { return source.is_record_axis(axis); });
    if (!has_records) of_records = {std::vector<std::string>(axes.size())};
    std::vector<TableKey> keys;
    for (const auto& run : of_runs) {
        for (const auto& record : of_records) {
            TableKey key{run, "", "", ""};
            for (std::size_t i = 0; i < axes.size(); ++i)
                if (source.is_record_axis(axes[i])) key.values[i] = record[i];
            keys.push_back(std::move(key));
        }
    }
    Ranks ranks(source);
    for (const std::string& axis : axes) ranks.add(axis);
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
    const std::vector<std::string> own = own_axes();
    for (TableKey& key : keys) {
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const std::string part = contains(own, axes[i]) ? multiple(key.values[i], source.trained_length)
                                                            : coordinate_text(axes[i], key.values[i]);
            add(key.label, part);
            add(axes[i] == "protocol" ? key.block : key.in_block, part);
        }
    }
}

/// What a row and a column ask for together, by axis.
Place asked(const Table& table, const TableKey& row, const TableKey& column) {
    Place wanted;
    for (std::size_t i = 0; i < table.row_axes.size(); ++i) wanted[table.row_axes[i]] = row.values[i];
    for (std::size_t i = 0; i < table.column_axes.size(); ++i)
        wanted[table.column_axes[i]] = column.values[i];
    return wanted;
}

// The run of these coordinates, or nullptr.
const RunFolder* find_run(const TableSource& source, const Place& wanted, const std::string& over) {
    const RunFolder* found = nullptr;
    for (const RunFolder& run : source.runs) {
        bool fits = over.empty() || run.value(source.options.over) == over;
        for (const auto& [axis, value] : wanted)
            fits = fits && (source.is_record_axis(axis) || run.value(axis) == value);
        if (!fits) continue;
        require(found == nullptr, Failure::storage, "two runs of the same cell: {} and {}",
                found == nullptr ? "" : found->name, run.name);
        found = &run;
    }
    return found;
}

void fill(TableCell& cell, const TableSource& source, const Place& wanted) {
    for (const std::string& over : source.over) {
        const RunFolder* run = find_run(source, wanted, over);
        cell.runs.push_back(run != nullptr ? run->name
                            : over.empty() ? ""
                                           : coordinate_text(source.options.over, over));
        cell.values.emplace_back();
        cell.states.push_back(run != nullptr ? run->state : "missing");
        cell.reasons.emplace_back();
        if (run == nullptr || !run->finished()) continue;
        const Record* record = source.record(*run, wanted);
        if (record == nullptr) {
            cell.states.back() = "not evaluated";
            continue;
        }
        cell.values.back() = record->value(source.options.cell);
        const bool named = record->state != RecordState::ok;
        cell.states.back() = cell.values.back() ? "ok" : named ? to_string(record->state) : "no value";
        cell.reasons.back() = record->reason;
    }
}

}  // namespace

Table lay_out(const TableSource& source) {
    Table table;
    table.question = source.runs.front().value("question");
    table.metric = source.options.cell;
    table.over = source.options.over;
    choose_axes(source, table);
    table.rows = keys_of(source, table.row_axes);
    table.columns = keys_of(source, table.column_axes);
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
