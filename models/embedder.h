#pragma once

#include "framework/core/batch.h"
#include "framework/nn/module.h"
#include "models/options.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// Tokens to states: a row of a table each. Where the tokens stand is the encoding's to say.
class TokenEmbedder {
  public:
    TokenEmbedder(const ParameterScope& scope, const ModelOptions& options);

    /// [B, T, width]. Throws for a batch without tokens, or with one outside the vocabulary.
    Variable operator()(const Batch& batch) const;

    /// [vocabulary, width], where it is the output matrix as well; else empty.
    const Parameter& tied() const { return tied_; }

  private:
    Parameter table_, tied_;
};

}  // namespace LOCUS_SCALAR
}  // namespace locus
