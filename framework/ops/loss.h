#pragma once

#include <span>
#include <vector>

#include "framework/autodiff/variable.h"
#include "framework/core/batch.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// Cross-entropy of softmax(x weight^T) against targets, in nats, without ever holding all logits.
struct CrossEntropy {
    Variable sum;              // [1]: over all places that have a target; tracked
    double total = 0;          // the same in double
    Index targets = 0;         // places that have one
    std::vector<double> nats;  // [N], only where asked for: of each place, 0 where there is no target
};

/// x [N, width] (leading axes are folded into N), weight [vocabulary, width], targets [N] with
/// Batch::no_target where nothing is asked. Throws for a target outside the vocabulary.
CrossEntropy linear_cross_entropy(const Variable& x, const Variable& weight, std::span<const Token> targets,
                                  bool keep_nats = false);

}  // namespace LOCUS_SCALAR
}  // namespace locus
