#include <algorithm>

#include "data/rule_task.h"

namespace locus {

namespace {

const bool reverse_registered = TaskRegistry::instance().add(
    "reverse", reordering("a row of symbols from its end to its start (arXiv:2207.02098)", 16,
                          [](std::vector<Token>& row) { std::reverse(row.begin(), row.end()); }));

}  // namespace

}  // namespace locus
