#pragma once

#include "models/attention.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// The norm that a model's options ask for.
Norm make_norm(const ParameterScope& scope, const ModelOptions& options);

/// A layer: attention and an MLP, each behind a norm and added to what it was given (arXiv:2002.04745).
class Block {
  public:
    Block(const ParameterScope& scope, const ModelOptions& options, Site site, bool global_projections);

    /// To be called once the store has its values.
    void initialise() const { attention_.initialise(); }

    /// Training and evaluation, whole passes and parts behind a cache: states [B, T, width] to those of the
    /// next layer; of a tail what is asked for, [asked, width].
    Variable operator()(const Variable& x, const LayerPass& pass) const;

  private:
    Norm attention_norm_;
    Attention attention_;
    Norm mlp_norm_;
    Mlp mlp_;
};

}  // namespace LOCUS_SCALAR
}  // namespace locus
