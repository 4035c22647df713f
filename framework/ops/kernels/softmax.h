// Softmax over rows, and softmax with cross-entropy.
#pragma once

#include "framework/core/scalar.h"
#include "framework/core/token.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace kernels {

/// out = softmax(x) over `rows` rows of `width`. A row of -inf only gives zeros.
void softmax(const Scalar* x, Scalar* out, Index rows, Index width);

/// dx = y (dy - sum(dy y)), or += where `add`.
void softmax_pullback(const Scalar* y, const Scalar* dy, Scalar* dx, bool add, Index rows, Index width);

/// nats[row] = log(sum exp(logits)) - logits[target]; 0 where it is no_target. With `gradient` the logits are
/// overwritten by d nats / d logits.
void cross_entropy(Scalar* logits, const Token* targets, double* nats, bool gradient, Index rows,
                   Index width);

}  // namespace kernels
}  // namespace LOCUS_SCALAR
}  // namespace locus
