// What the tests of training steps train.
#pragma once

#include "framework/core/batch_source.h"
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
    Loss loss(const Batch& batch) const {
        const auto tokens = batch.ids().numbers();
        WorkVector<Token> ids;
        ids.assign(tokens.begin(), tokens.end());
        return linear_cross_entropy(inner(embedding(table, std::move(ids), batch.sequences, batch.length)),
                                    table, {batch.targets.numbers(), batch.weights.numbers()});
    }
    ParameterStore store;
    ParameterScope scope;
    Parameter table;
    Linear inner;
};

// Sequences of unequal numbers of targets: sequence s has s % length + 1 targets; those of `silent` none.
inline Batch uneven_batch(Index sequences, Index silent = -1) {
    std::vector<Token> tokens, targets;
    for (Index s = 0; s < sequences; ++s) {
        for (Index t = 0; t < length; ++t) {
            tokens.push_back(static_cast<Token>((3 * s + 5 * t) % vocabulary));
            const bool asked = t <= s % length && s != silent;
            targets.push_back(asked ? static_cast<Token>((s + 7 * t) % vocabulary) : Batch::no_target);
        }
    }
    return Batch::of_text(sequences, std::move(tokens), std::move(targets));
}

// The same batch in every step.
class OneBatch : public BatchSource {
  public:
    explicit OneBatch(Batch batch) : batch_(std::move(batch)) {}
    void fill(Index, Batch& batch) const override { batch = batch_; }
    Index sequences() const override { return batch_.sequences; }
    Index length() const override { return batch_.length; }
    double epochs(Index steps) const override { return static_cast<double>(steps); }
    std::string hash(Index) const override { return ""; }
    std::string summary() const override { return "one batch"; }

  private:
    Batch batch_;
};

}  // namespace LOCUS_SCALAR
}  // namespace locus
