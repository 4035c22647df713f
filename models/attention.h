#pragma once

#include <memory>

#include "framework/nn/layers.h"
#include "models/layer_pass.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// States to queries, keys and values. Of one source one product makes all three; of two (a cross site) one
/// makes the queries and one the keys and values.
class Projections {
  public:
    Projections(const ParameterScope& scope, const std::string& name, const ModelOptions& options, Site site);

    struct Heads {
        Variable queries, keys, values;  // [B, heads, T, head_dim], [B, kv_heads, S, head_dim] twice
    };
    Heads operator()(const Variable& x, const Variable& source) const;

    /// Takes the values of others of the same sizes, once the store has its buffer.
    void copy_from(const Projections& other) const;

  private:
    Index heads_, kv_heads_, head_dim_;
    Linear first_;
    std::unique_ptr<Linear> key_value_;  // of a cross site
};

/// Multi-head attention with grouped key/value heads (arXiv:2305.13245), of a token to those of its own
/// sequence or (Site::cross) of another. Where global tokens have projections of their own
/// (arXiv:2004.05150), those make the queries of global tokens and the keys and values that these queries
/// see; all other queries see keys and values of the common projections.
class Attention {
  public:
    Attention(const ParameterScope& scope, const ModelOptions& options, Site site,
              bool global_projections = false);

    /// Makes the global projections equal to the others: to be called once the store has its values.
    void initialise() const;

    /// What the states x [B, T, width] see of those of `source` [B, S, width], by the parts of a pass:
    /// [B, T, width], or of the tail's last tokens only. Throws unless a site that is not cross has one
    /// source.
    Variable operator()(const Variable& x, const Variable& source, const LayerPass& pass) const;

  private:
    Variable attend(const Projections& projections, const Variable& x, const Variable& source,
                    const LayerPass& pass, Mask::Rows rows) const;

    Site site_;
    Index width_;
    Projections projections_;
    Linear output_;
    std::unique_ptr<Projections> global_;  // only where asked for
};

}  // namespace LOCUS_SCALAR
}  // namespace locus
