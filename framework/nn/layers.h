// The layers that models are made of.
#pragma once

#include "framework/nn/module.h"
#include "framework/ops/elementwise.h"
#include "framework/ops/norm.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// x W^T + b: weight [out, in], bias [out] only where asked for.
class Linear {
  public:
    Linear(const ParameterScope& scope, Index in, Index out, double deviation, bool bias);
    Variable operator()(const Variable& x) const;

    /// Takes the values of another layer of the same sizes, once the store has its buffer.
    void copy_from(const Linear& other) const;

  private:
    Parameter weight_, bias_;
};

/// Layer norm (with a shift only where asked for) or RMS norm over the last axis.
class Norm {
  public:
    enum class Kind { layer, rms };
    Norm(const ParameterScope& scope, Index width, Kind kind, bool shift,
         double epsilon = standard_norm_epsilon);
    Variable operator()(const Variable& x) const;

  private:
    Kind kind_;
    double epsilon_;
    Parameter scale_, shift_;
};

/// Two layers with GELU (tanh form) between, or SwiGLU with a gate and an up projection.
class Mlp {
  public:
    enum class Kind { gelu, swiglu };
    struct Deviations {
        double inner, outer;  // of the initial weights; the outer one writes to the residual stream
    };
    Mlp(const ParameterScope& scope, Index width, Index hidden, Kind kind, Deviations deviations, bool bias);
    Variable operator()(const Variable& x) const;

  private:
    Kind kind_;
    Linear up_, down_;
    std::unique_ptr<Linear> gate_;  // swiglu only
};

}  // namespace LOCUS_SCALAR
}  // namespace locus
