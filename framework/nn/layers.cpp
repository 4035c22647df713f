#include "framework/nn/layers.h"

#include "framework/ops/matmul.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

Variable optional(const Parameter& parameter) {
    return parameter ? Variable(parameter) : Variable();
}

}  // namespace

Linear::Linear(const ParameterScope& scope, Index in, Index out, double deviation, bool bias)
    : weight_(scope.add_matrix("weight", {out, in}, Initial::normal(deviation))) {
    if (bias) bias_ = scope.add("bias", {out}, Initial::zeros());
}

Variable Linear::operator()(const Variable& x) const {
    return linear(x, weight_, optional(bias_));
}

void Linear::copy_from(const Linear& other) const {
    weight_.assign(other.weight_.value());
    if (bias_) bias_.assign(other.bias_.value());
}

Norm::Norm(const ParameterScope& scope, Index width, Kind kind, bool shift, double epsilon)
    : kind_(kind), epsilon_(epsilon), scale_(scope.add("weight", {width}, Initial::ones())) {
    if (shift && kind == Kind::layer) shift_ = scope.add("bias", {width}, Initial::zeros());
}

Variable Norm::operator()(const Variable& x) const {
    return kind_ == Kind::layer ? layer_norm(x, scale_, optional(shift_), epsilon_)
                                : rms_norm(x, scale_, epsilon_);
}

Mlp::Mlp(const ParameterScope& scope, Index width, Index hidden, Kind kind, Deviations deviations, bool bias)
    : kind_(kind),
      up_(scope.inside("up"), width, hidden, deviations.inner, bias),
      down_(scope.inside("down"), hidden, width, deviations.outer, bias) {
    if (kind == Kind::swiglu) {
        gate_ = std::make_unique<Linear>(scope.inside("gate"), width, hidden, deviations.inner, bias);
    }
}

Variable Mlp::operator()(const Variable& x) const {
    return down_(kind_ == Kind::gelu ? gelu(up_(x)) : swiglu((*gate_)(x), up_(x)));
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
