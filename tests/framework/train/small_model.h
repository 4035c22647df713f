// What the tests of training steps train.
#pragma once

#include "framework/core/batch.h"
#include "framework/nn/layers.h"
#include "framework/ops/embedding.h"
#include "framework/ops/loss.h"

namespace locus {
inline namespace LOCUS_SCALAR {

inline constexpr Index vocabulary = 11, width = 8, length = 6;

// An embedding, a linear layer and an output matrix: the least model with matrices and a loss.
struct Model {
    explicit Model(std::uint64_t seed)
        : scope(store),
          table(scope.add("table", {vocabulary, width}, Initial::normal(0.5))),
          inner(scope.inside("inner"), width, width, 0.5, true) {
        store.allocate(seed);
    }
    CrossEntropy loss(const Batch& batch, Index first, Index count) const {
        const auto tokens = batch.tokens_of(first, count);
        WorkVector<Token> ids;
        ids.assign(tokens.begin(), tokens.end());
        return linear_cross_entropy(inner(embedding(table, std::move(ids), count, batch.length)), table,
                                    batch.targets_of(first, count));
    }
    ParameterStore store;
    ParameterScope scope;
    Parameter table;
    Linear inner;
};

// Sequences of unequal numbers of targets: sequence s has s % length + 1 targets; those of `silent` none.
inline Batch uneven_batch(Index sequences, Index silent = -1) {
    Batch batch;
    batch.sequences = sequences;
    batch.length = length;
    batch.positions = Positions::consecutive(length);
    for (Index s = 0; s < sequences; ++s) {
        for (Index t = 0; t < length; ++t) {
            batch.tokens.push_back(static_cast<Token>((3 * s + 5 * t) % vocabulary));
            const bool asked = t <= s % length && s != silent;
            batch.targets.push_back(asked ? static_cast<Token>((s + 7 * t) % vocabulary) : Batch::no_target);
        }
    }
    return batch;
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
