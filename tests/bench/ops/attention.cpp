// Attention in its three forms, plain and with terms. Operations are those of the causal triangle.
#include "framework/ops/attention.h"

#include <fmt/core.h>

#include <algorithm>

#include "tests/bench/ops/support.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

using namespace shard;

double attention_operations(Index batch, Index t) {
    return 2 * static_cast<double>(batch * width * t * t);
}

AttentionTerms terms_of(Index t) {
    AttentionTerms terms;
    terms.query = terms.key = Positions::consecutive(t);
    return terms;
}

// A bias for each distance of the causal triangle, from a table [heads, t].
AttentionTerms biased(const Variable& table, Index t) {
    AttentionTerms terms = terms_of(t);
    terms.bias.table = table;
    terms.bias.first = 1 - t;
    for (Index distance = 1 - t; distance < t; ++distance)
        terms.bias.rows.push_back(static_cast<std::int32_t>(distance < 0 ? 0 : distance));
    return terms;
}

// Vectors of keys for clipped distances, from a table [1, 33, head_dim].
AttentionTerms with_vectors(const Variable& table, Index t) {
    AttentionTerms terms = terms_of(t);
    terms.relative_keys.table = table;
    terms.relative_keys.first = 1 - t;
    for (Index distance = 1 - t; distance < t; ++distance)
        terms.relative_keys.rows.push_back(
            static_cast<std::int32_t>(std::clamp<Index>(distance, -16, 16) + 16));
    return terms;
}

bool measure_lengths() {
    for (const Index t : {Index{128}, Index{512}, Index{2048}}) {
        const Index batch = t == 128 ? 2 : 1;
        const Shape heads_of{batch, heads, t, head_dim};
        const double operations = attention_operations(batch, t);
        measure_op(
            fmt::format("attention_tiled/{}", t), {heads_of, heads_of, heads_of},
            [t](Inputs x) { return attention_tiled(x[0], x[1], x[2], terms_of(t), Mask{}); }, operations);
        measure_op(
            fmt::format("attention_tiled, bias/{}", t), {heads_of, heads_of, heads_of, {heads, t}},
            [t](Inputs x) { return attention_tiled(x[0], x[1], x[2], biased(x[3], t), Mask{}); }, operations);
        measure_op(
            fmt::format("attention_tiled, vectors of distances/{}", t),
            {heads_of, heads_of, heads_of, {1, 33, head_dim}},
            [t](Inputs x) { return attention_tiled(x[0], x[1], x[2], with_vectors(x[3], t), Mask{}); },
            operations);
        measure_op(fmt::format("attention_tiled, window 64/{}", t), {heads_of, heads_of, heads_of},
                   [t](Inputs x) {
                       Mask mask;
                       mask.window = 64;
                       return attention_tiled(x[0], x[1], x[2], terms_of(t), mask);
                   });
    }
    const Shape wide{1, width / 64, 2048, 64};
    measure_op(
        "attention_tiled, heads of 64/2048", {wide, wide, wide},
        [](Inputs x) { return attention_tiled(x[0], x[1], x[2], terms_of(2048), Mask{}); },
        attention_operations(1, 2048));
    measure_op(
        "attention_by_rows/128", {by_head, by_head, by_head},
        [](Inputs x) { return attention_by_rows(x[0], x[1], x[2], terms_of(length), Mask{}); },
        attention_operations(sequences, length));
    measure_op(
        "attention_composed/128", {by_head, by_head, by_head},
        [](Inputs x) { return attention_composed(x[0], x[1], x[2], terms_of(length), Mask{}); },
        attention_operations(sequences, length));
    measure_op(
        "attention_logits/128", {by_head, by_head},
        [](Inputs x) { return attention_logits(x[0], x[1], terms_of(length), Mask{}); },
        attention_operations(sequences, length) / 2);
    return true;
}

[[maybe_unused]] const bool attention_measured = measure_lengths();

}  // namespace

}  // namespace LOCUS_SCALAR
}  // namespace locus
