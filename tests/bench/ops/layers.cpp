// Ops of the layers of a model: products, norms, embedding, loss.
#include "framework/ops/embedding.h"
#include "framework/ops/loss.h"
#include "framework/ops/matmul.h"
#include "framework/ops/norm.h"
#include "tests/bench/ops/support.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

using namespace shard;

std::vector<Token> token_ids() {
    std::vector<Token> ids;
    for (Index i = 0; i < tokens; ++i) ids.push_back(static_cast<Token>(i * 31 % vocabulary));
    return ids;
}

double product_operations(Index m, Index n, Index k) {
    return 2 * static_cast<double>(m * n * k);
}

[[maybe_unused]] const bool layers_measured[] = {
    measure_op(
        "linear", {states, {hidden, width}}, [](Inputs x) { return linear(x[0], x[1]); },
        product_operations(tokens, hidden, width)),
    measure_op(
        "linear_bf16", {states, {hidden, width}},
        [](Inputs x) {
            const ProductScope scope({.precision = Precision::bf16});  // the pullback keeps it
            return linear(x[0], x[1]);
        },
        product_operations(tokens, hidden, width)),
    measure_op(
        "matmul", {by_head, by_head}, [](Inputs x) { return matmul(x[0], x[1], Transpose::yes); },
        sequences* heads* product_operations(length, length, head_dim)),
    measure_op("layer_norm", {states, {width}}, [](Inputs x) { return layer_norm(x[0], x[1]); }),
    measure_op("rms_norm", {states, {width}}, [](Inputs x) { return rms_norm(x[0], x[1]); }),
    measure_op("embedding", {{vocabulary, width}},
               [](Inputs x) {
                   const std::vector<Token> drawn = token_ids();
                   WorkVector<Token> ids;
                   ids.assign(drawn.begin(), drawn.end());
                   return embedding(x[0], std::move(ids), sequences, length);
               }),
    measure_op(
        "linear_cross_entropy", {states, {vocabulary, width}},
        [](Inputs x) { return linear_cross_entropy(x[0], x[1], {token_ids()}).sum; },
        product_operations(tokens, vocabulary, width)),
};

}  // namespace

}  // namespace LOCUS_SCALAR
}  // namespace locus
