#include <algorithm>

#include "data/rule_task.h"

namespace locus {

namespace {

const bool bucket_sort_registered = TaskRegistry::instance().add(
    "bucket_sort", reordering("a row of symbols in ascending order (arXiv:2207.02098)", 8,
                              [](std::vector<Token>& row) { std::sort(row.begin(), row.end()); }));

}  // namespace

}  // namespace locus
