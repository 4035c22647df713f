// Whether the records of run folders are those that the results of their items give.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace locus {

struct VerifiedRecords {
    std::size_t evaluations = 0, records = 0;  // that were looked at
    std::vector<std::string> wrong;            // a line for each contradiction
};

/// Works every record of the run folders in `folder` (or of the one that it is) out again from the per-item
/// results beside it, and checks checksums and numbers that follow from each other. Throws a storage Error
/// where there is no run folder.
VerifiedRecords verify_records(const std::filesystem::path& folder);

}  // namespace locus
