// The AdamW update.
#pragma once

#include "framework/core/scalar.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace kernels {

/// Numbers of one AdamW step (arXiv:1711.05101).
struct AdamwStep {
    double lr, beta1, beta2, epsilon, weight_decay;
    double correction1, correction2;  // 1 - beta^step
    double gradient_scale;            // of clipping
};

/// m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g^2,
/// w = w (1 - lr weight_decay) - lr (m / correction1) / (sqrt(v / correction2) + epsilon), with g scaled
/// first.
void adamw(const AdamwStep& step, const Scalar* gradient, Scalar* first, Scalar* second, Scalar* weight,
           Index count);

}  // namespace kernels
}  // namespace LOCUS_SCALAR
}  // namespace locus
