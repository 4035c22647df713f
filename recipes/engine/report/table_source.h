// What of an experiment's runs a table shows.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "recipes/engine/report/run_folder.h"

namespace locus {

using Place = std::map<std::string, std::string>;  // coordinates by axis

/// Where a table gets its numbers.
struct TableSource {
    std::vector<RunFolder> runs;
    std::vector<std::string> left_out;    // folders of cells that the recipe no longer has
    std::vector<std::string> not_chosen;  // arms that nobody asked for
    TableOptions options;
    std::string split;                   // that is shown
    std::vector<std::string> protocols;  // that are shown, in the recipe's order, then as found
    std::set<std::string> record_axes;   // protocol, length, and what else records are placed by
    std::vector<std::string> over;  // the values that `options.over` takes; one "" where it does not vary
    std::optional<Index> trained_length;  // at the root, where all runs share one

    /// Whether an axis is one of results, not of runs: protocol, length, or another coordinate of a record.
    bool is_record_axis(const std::string& axis) const { return record_axes.contains(axis); }
    /// The records that are shown, of each evaluation that is.
    template <typename Visit>
    void for_each_record(const RunFolder& run, Visit visit) const {
        for (const Evaluation& evaluation : run.evaluations)
            if (shows(evaluation))
                for (const Record& record : evaluation.records) visit(evaluation, record);
    }
    bool shows(const Evaluation& evaluation) const;
    /// The value of a record on one of the record axes as text; nothing where it has none.
    static std::optional<std::string> place(const Evaluation& evaluation, const Record& record,
                                            const std::string& axis);
    /// The record of `run` at these coordinates, of which only those of record axes count; or nullptr.
    const Record* record(const RunFolder& run, const Place& place) const;
    /// The runs' own name in a table: what varies, without what the mean runs over.
    std::string arm_of(const RunFolder& run) const;
};

/// The value of the primary column on an axis of the columns; nothing where the recipe names none.
std::optional<std::string> primary_value(const TableOptions& options, const std::string& axis);

/// Chooses what is shown of these runs.
TableSource make_source(RunFolders folders);

}  // namespace locus
