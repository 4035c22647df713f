// Whether a model can fit into this machine, before it is made.
#pragma once

#include <cstdint>

#include "recipes/engine/config/recipe.h"

namespace locus {

enum class ModelUse { reading, training };

/// Bytes that a model takes beside its text; what training takes is met within a fifth.
struct MemoryNeed {
    double parameters = 0;   // their number
    double weights = 0;      // bytes
    double moments = 0;      // of the optimizer
    double gradients = 0;    // of each thread, and open sums of the tree over the shards
    double activations = 0;  // kept by each thread for the pullbacks of a shard
    double copies = 0;       // of weights: packed for products, and in the checkpoint that is written

    double total() const { return weights + moments + gradients + activations + copies; }
};

/// `threads`: those that train.
MemoryNeed memory_need(const Recipe& recipe, Index parameters, ModelUse use, int threads = 1);

/// Throws a usage Error with the figures where the need is larger than `available` bytes; 0: not known.
void require_memory(const MemoryNeed& need, std::int64_t available);

}  // namespace locus
