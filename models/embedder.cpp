#include "models/embedder.h"

#include "framework/ops/embedding.h"

namespace locus {
inline namespace LOCUS_SCALAR {

TokenEmbedder::TokenEmbedder(const ParameterScope& scope, const ModelOptions& options) {
    const Shape shape{options.vocabulary, options.width};
    const Initial drawn = Initial::normal(options.deviation());
    // Tied, it is the matrix of the output; untied, rows are only looked up in it.
    table_ = options.tie_embeddings ? scope.add_matrix("tokens.weight", shape, drawn)
                                    : scope.add("tokens.weight", shape, drawn);
    if (options.tie_embeddings) tied_ = table_;
}

Variable TokenEmbedder::operator()(const Batch& batch) const {
    const auto tokens = batch.ids().numbers();
    WorkVector<Token> ids;
    ids.assign(tokens.begin(), tokens.end());
    return embedding(table_, std::move(ids), batch.sequences, batch.length);
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
