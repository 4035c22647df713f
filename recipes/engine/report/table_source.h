// What of an experiment's runs a table shows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "recipes/engine/report/run_folder.h"

namespace locus {

/// Where a table gets its numbers.
struct TableSource {
    std::vector<RunFolder> runs;
    std::vector<std::string> left_out;  // folders of cells that the recipe no longer has
    TableOptions options;
    std::string split;                   // that is shown
    std::vector<std::string> protocols;  // that are shown, in the recipe's order, then as found
    std::vector<std::string> over;  // the values that `options.over` takes; one "" where it does not vary
    std::optional<Index> trained_length;  // at the root, where all runs share one

    /// The result that stands in `run` for a protocol and a length, or nullptr.
    const Score* score(const RunFolder& run, const std::string& protocol, const std::string& length) const;
    /// The runs' own name in a table: what varies, without what the mean runs over.
    std::string arm_of(const RunFolder& run) const;
};

/// Chooses what is shown of these runs.
TableSource make_source(RunFolders folders);

/// "128", or "[8, 16)" for a bin of positions.
std::string length_text(const Score& score);

}  // namespace locus
