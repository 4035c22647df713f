#include "recipes/engine/run/memory.h"

#include <fmt/core.h>

#include <algorithm>

#include "framework/core/error.h"

namespace locus {

namespace {

// Vectors of the model's width that a block keeps per token at least: its two inputs, q, k and v, what
// attention gives, and the inner states of an MLP of ratio 1.
constexpr double vectors_of_a_block = 7;

double log2_of(Index shards) {
    double depth = 0;
    for (; shards > 1; shards /= 2) ++depth;
    return depth;
}

std::string size_of(double bytes) {
    return bytes < (1 << 30) ? fmt::format("{:.0f} MiB", bytes / (1 << 20))
                             : fmt::format("{:.1f} GiB", bytes / (1 << 30));
}

}  // namespace

MemoryNeed memory_need(const Recipe& recipe, Index parameters, ModelUse use) {
    MemoryNeed need;
    need.parameters = static_cast<double>(parameters);
    need.weights = need.parameters * sizeof(Scalar);
    if (use == ModelUse::reading) return need;
    const TrainOptions& train = recipe.train;
    const Index shards = std::clamp<Index>(train.shards, 1, std::max<Index>(train.sequences(), 1));
    const Index sequences = (train.sequences() + shards - 1) / shards;
    need.moments = 2 * need.weights;
    need.gradients = (1 + log2_of(shards)) * need.weights;
    need.activations = static_cast<double>(sequences) * static_cast<double>(train.length) *
                       static_cast<double>(recipe.model.layers) * static_cast<double>(recipe.model.width) *
                       vectors_of_a_block * sizeof(Scalar);
    return need;
}

void require_memory(const MemoryNeed& need, std::int64_t available) {
    if (available <= 0 || need.total() <= static_cast<double>(available)) return;
    std::string parts = "weights " + size_of(need.weights);
    if (need.moments > 0)
        parts += fmt::format(", moments {}, gradients {}, activations of a shard {}", size_of(need.moments),
                             size_of(need.gradients), size_of(need.activations));
    fail(Failure::usage, "model: {:.0f} parameters need at least {} of memory ({}), but {} are available",
         need.parameters, size_of(need.total()), parts, size_of(static_cast<double>(available)));
}

}  // namespace locus
