// Whether a model can fit into this machine, before it is made.
#pragma once

#include <cstdint>

#include "recipes/engine/config/recipe.h"

namespace locus {

enum class ModelUse { reading, training };

/// Bytes that a model needs whatever the number of threads: less than what it will take, so that nothing is
/// refused that could run.
struct MemoryNeed {
    double parameters = 0;   // their number
    double weights = 0;      // bytes
    double moments = 0;      // of the optimizer
    double gradients = 0;    // open sums of the tree over the shards of one worker
    double activations = 0;  // kept for the pullbacks of one shard

    double total() const { return weights + moments + gradients + activations; }
};

MemoryNeed memory_need(const Recipe& recipe, Index parameters, ModelUse use);

/// Throws a usage Error with the figures where the need is larger than `available` bytes; 0: not known.
void require_memory(const MemoryNeed& need, std::int64_t available);

}  // namespace locus
