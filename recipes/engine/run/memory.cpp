#include "recipes/engine/run/memory.h"

#include <fmt/core.h>

#include <algorithm>

#include "framework/core/error.h"

namespace locus {

namespace {

// Vectors of the model's width that are kept per token: by a block two norms, two sums, q, k and v in one
// piece and in heads, rotated q and k, what attention gives, in heads and in one piece, and what it and the
// MLP add; and the inner states of the MLP, before and after their activation. Around the blocks: the
// embedding, the last norm, gradients in flight.
constexpr double vectors_of_a_block = 15, inner_states = 2, vectors_around = 20;
constexpr double vectors_of_dropout = 4.5;  // masks, and what they leave, of a block

// Packed for the forward and the backward product, with edges; weights and two moments in a checkpoint.
constexpr double copies_of_weights = 2.6 + 3;

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

MemoryNeed memory_need(const Recipe& recipe, Index parameters, ModelUse use, int threads) {
    MemoryNeed need;
    need.parameters = static_cast<double>(parameters);
    need.weights = need.parameters * sizeof(Scalar);
    if (use == ModelUse::reading) return need;
    const TrainOptions& train = recipe.train;
    const Index shards = std::clamp<Index>(train.shards, 1, std::max<Index>(train.sequences(), 1));
    const Index sequences = (train.sequences() + shards - 1) / shards;
    need.moments = 2 * need.weights;
    const auto workers = static_cast<double>(std::min<Index>(threads, shards));
    need.gradients = (workers + log2_of(shards)) * need.weights;
    const ModelOptions& model = recipe.model;
    const double block =
        vectors_of_a_block + inner_states * model.mlp_ratio + (model.dropout > 0 ? vectors_of_dropout : 0);
    const double vectors = vectors_around + static_cast<double>(model.layers) * block;
    need.activations = workers * static_cast<double>(sequences) * static_cast<double>(train.length) *
                       static_cast<double>(model.width) * vectors * sizeof(Scalar);
    need.copies = copies_of_weights * need.weights;
    return need;
}

void require_memory(const MemoryNeed& need, std::int64_t available) {
    if (available <= 0 || need.total() <= static_cast<double>(available)) return;
    std::string parts = "weights " + size_of(need.weights);
    if (need.moments > 0)
        parts += fmt::format(", moments {}, gradients {}, activations {}, copies of weights {}",
                             size_of(need.moments), size_of(need.gradients), size_of(need.activations),
                             size_of(need.copies));
    fail(Failure::usage, "model: {:.0f} parameters need about {} of memory ({}), but {} are available",
         need.parameters, size_of(need.total()), parts, size_of(static_cast<double>(available)));
}

}  // namespace locus
