#pragma once

#include <span>
#include <vector>

#include "framework/autodiff/variable.h"
#include "framework/core/token.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// What training makes small: total / weight.
struct Loss {
    Variable sum;                   // [1]: over all that is asked, each with its weight; tracked
    double total = 0;               // the same in double
    double weight = 0;              // of all that is asked
    std::vector<double> each = {};  // [N], only where asked for: of each place, unweighted; 0 where none is
};

/// What is asked of rows of states.
struct Targets {
    std::span<const Token> tokens;        // [N]; no_target where nothing is asked
    std::span<const float> weights = {};  // [N]; empty: 1 each
};

/// Cross-entropy of softmax(x weight^T) against targets, in nats, without ever holding all logits. x [N,
/// width] (leading axes are folded into N), weight [vocabulary, width]. Throws for a target outside the
/// vocabulary.
Loss linear_cross_entropy(const Variable& x, const Variable& weight, const Targets& targets,
                          bool keep_each = false);

}  // namespace LOCUS_SCALAR
}  // namespace locus
