#include "models/block.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

Mlp make_mlp(const ParameterScope& scope, const ModelOptions& options) {
    const auto kind = options.activation == Activation::gelu_tanh ? Mlp::Kind::gelu : Mlp::Kind::swiglu;
    return Mlp(scope, options.width, options.hidden(), kind,
               {options.deviation(), options.residual_deviation()}, options.bias);
}

}  // namespace

Norm make_norm(const ParameterScope& scope, const ModelOptions& options) {
    const auto kind = options.norm == NormKind::layer ? Norm::Kind::layer : Norm::Kind::rms;
    return Norm(scope, options.width, kind, options.bias, options.norm_epsilon);
}

Block::Block(const ParameterScope& scope, const ModelOptions& options, Site site, bool global_projections)
    : attention_norm_(make_norm(scope.inside("attention_norm"), options)),
      attention_(scope.inside("attention"), options, site, global_projections),
      mlp_norm_(make_norm(scope.inside("mlp_norm"), options)),
      mlp_(make_mlp(scope.inside("mlp"), options)) {}

Variable Block::operator()(const Variable& x, const LayerPass& pass) const {
    const Tail* tail = pass.tail;
    const Variable normed = attention_norm_(x);
    const Variable told = pass.drop(attention_(normed, normed, pass), 2 * pass.layer + 1);
    Variable y = add(tail ? tail->last_of(x) : x, told);
    if (tail) y = tail->asked_of(y);
    return add(y, pass.drop(mlp_(mlp_norm_(y)), 2 * pass.layer + 2));
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
