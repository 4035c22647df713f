#pragma once

#include "framework/core/parallel.h"
#include "framework/nn/module.h"

namespace locus {
inline namespace LOCUS_SCALAR {

struct AdamwOptions {
    double beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8;
    double weight_decay = 0.1;  // decoupled, on matrices only
};

/// AdamW (arXiv:1711.05101) over the flat store.
class Adamw {
  public:
    Adamw(ParameterStore& store, const AdamwOptions& options);

    /// One update with step number `step` (from 1). The gradient [flat_size] is multiplied by gradient_scale
    /// first, `lr` by each parameter's lr_factor; the new values are projected onto the parameters' bounds.
    void step(Workers& workers, Index step, double lr, const Tensor& gradient, double gradient_scale);

    const Tensor& first_moment() const { return first_; }    // [flat_size]
    const Tensor& second_moment() const { return second_; }  // [flat_size]
    const MutableTensor& mutable_first_moment() { return first_; }
    const MutableTensor& mutable_second_moment() { return second_; }

  private:
    ParameterStore& store_;
    AdamwOptions options_;
    MutableTensor first_, second_;
};

/// Euclidean norm of a flat gradient, in double, by fixed blocks added in order: the same for any number of
/// workers.
double gradient_norm(Workers& workers, const Tensor& gradient);

/// Factor that brings a gradient of this norm down to `max`; 1 where it is shorter, or where `max` is 0 (no
/// clipping).
double clip_factor(double norm, double max);

}  // namespace LOCUS_SCALAR
}  // namespace locus
