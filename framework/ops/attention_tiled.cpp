#include <algorithm>

#include "framework/ops/attention.h"
#include "framework/ops/attention_checks.h"
#include "framework/ops/kernels/attention.h"
#include "framework/ops/shape.h"

namespace locus::inline LOCUS_SCALAR {

namespace {

// One call of attention: sizes and inputs, and the kernel's view of every head.
struct Call {
    AttentionSizes sizes;
    Mask mask;
    bool biased;
    Positions query, key;
    std::int64_t first_distance;

    MaskRanges ranges(Index b) const { return mask_ranges(mask, b, sizes.queries, sizes.keys); }

    kernels::AttentionHead head(const MaskRanges& seen, Index b, Index h, const Tensor& q, const Tensor& k,
                                const Tensor& v, const Tensor& bias) const {
        const AttentionSizes& s = sizes;
        const Index kv = (b * s.kv_heads + h / (s.heads / s.kv_heads)) * s.keys * s.head_dim;
        const bool segmented = !mask.query_segments.empty();
        return {.queries = s.queries,
                .keys = s.keys,
                .head_dim = s.head_dim,
                .q = q.data() + (b * s.heads + h) * s.queries * s.head_dim,
                .k = k.data() + kv,
                .v = v.data() + kv,
                .scale = s.scale,
                .ranges = &seen,
                .query_segments = segmented ? mask.query_segments.data() + b * s.queries : nullptr,
                .key_segments = segmented ? mask.key_segments.data() + b * s.keys : nullptr,
                .bias = biased ? bias.data() + h * bias.size(1) : nullptr,
                .first_distance = first_distance,
                .query_positions = biased ? query.row(b) : nullptr,
                .key_positions = biased ? key.row(b) : nullptr};
    }
};

// The bias of every distance, one column each: [H, distances + padding].
Variable bias_by_distance(const DistanceBias& bias) {
    WorkVector<std::int32_t> columns;
    columns.reserve(bias.rows.size() + static_cast<std::size_t>(kernels::bias_padding));
    columns.assign(bias.rows.begin(), bias.rows.end());
    columns.insert(columns.end(), kernels::bias_padding, -1);
    return take_columns(bias.table, std::move(columns));
}

}  // namespace

Variable attention_tiled(const Variable& q, const Variable& k, const Variable& v, const AttentionTerms& terms,
                         const Mask& mask) {
    require(has_tiles(terms),
            "attention_tiled: a term that only attention_by_rows and attention_composed know");
    const Call call{attention_sizes(q, k, v, terms, mask),
                    mask,
                    static_cast<bool>(terms.bias),
                    terms.query,
                    terms.key,
                    terms.bias.first};
    const AttentionSizes s = call.sizes;
    const Index width = s.heads * s.head_dim;
    const Variable bias = call.biased ? bias_by_distance(terms.bias) : Variable();

    Tensor out = Tensor::empty({s.batch, s.queries, width}),
           lse = Tensor::empty({s.batch, s.heads, s.queries});
    for (Index b = 0; b < s.batch; ++b) {
        const MaskRanges seen = call.ranges(b);
        for (Index h = 0; h < s.heads; ++h) {
            kernels::attention_forward(call.head(seen, b, h, q.value(), k.value(), v.value(), bias.value()),
                                       out.data() + b * s.queries * width + h * s.head_dim, width,
                                       lse.data() + (b * s.heads + h) * s.queries);
        }
    }
    return record(out, {q, k, v, bias}, [=](const Tensor& cotangent, const Gradients& gradients) {
        Tensor dq = Tensor::empty(q.shape()), dk = Tensor::zeros(k.shape()), dv = Tensor::zeros(v.shape());
        Tensor dbias = gradients.wanted(3) ? Tensor::zeros(bias.shape()) : Tensor();
        for (Index b = 0; b < s.batch; ++b) {
            const MaskRanges seen = call.ranges(b);
            for (Index h = 0; h < s.heads; ++h) {
                const auto head = call.head(seen, b, h, q.value(), k.value(), v.value(), bias.value());
                const Index row = b * s.queries * width + h * s.head_dim;
                kernels::attention_pullback(head,
                                            {.out = out.data() + row,
                                             .dout = cotangent.data() + row,
                                             .stride = width,
                                             .lse = lse.data() + (b * s.heads + h) * s.queries,
                                             .dq = dq.data() + (head.q - q.value().data()),
                                             .dk = dk.data() + (head.k - k.value().data()),
                                             .dv = dv.data() + (head.v - v.value().data()),
                                             .dbias = dbias ? dbias.data() + h * dbias.size(1) : nullptr});
            }
        }
        gradients.add(0, dq);
        gradients.add(1, dk);
        gradients.add(2, dv);
        if (dbias) gradients.add(3, dbias);
    });
}

}  // namespace locus::inline LOCUS_SCALAR
