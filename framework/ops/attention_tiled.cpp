#include <array>
#include <utility>

#include "framework/core/stop.h"
#include "framework/ops/attention.h"
#include "framework/ops/attention_checks.h"
#include "framework/ops/kernels/attention.h"
#include "framework/ops/shape.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

// One call of attention, and the kernel's view of every head.
struct Call {
    // What the kernel reads, by its place in `inputs`.
    enum Input : std::size_t {
        q,
        k,
        v,
        bias,
        relative_keys,
        relative_values,
        content_bias,
        position_bias,
        input_count
    };
    using Inputs = std::array<Variable, input_count>;

    AttentionSizes sizes;
    Mask mask;
    AttentionTerms terms;  // their maps and positions
    Inputs inputs;
    MaskRanges common;  // of every sequence, where segments do not tell them apart

    bool segmented() const { return !mask.query_segments.empty(); }
    MaskRanges ranges(Index b) const { return mask_ranges(mask, b, sizes.queries, sizes.keys); }
    bool placed() const { return terms.bias || terms.relative_keys || terms.relative_values; }

    // Where the part of head h of sequence b begins in an input of this shape, or in its gradient.
    Index part(Input input, const Shape& shape, Index b, Index h) const {
        const AttentionSizes& s = sizes;
        switch (input) {
            case q:
                return (b * s.heads + h) * s.queries * s.head_dim;
            case k:
            case v:
                return (b * s.kv_heads + h / (s.heads / s.kv_heads)) * s.keys * s.head_dim;
            default:  // tables, [1 or H, ..]
                return (shape[0] == 1 ? 0 : h) * (shape.count() / shape[0]);
        }
    }

    const Scalar* value(Input input, Index b, Index h) const {
        const Tensor& value = inputs[input].value();
        return value ? value.data() + part(input, value.shape(), b, h) : nullptr;
    }

    kernels::RelativeTable table(Input input, const RelativeVectors& vectors, Index h) const {
        if (!inputs[input]) return {};
        return {value(input, 0, h), inputs[input].size(1), vectors.first, vectors.rows.data()};
    }

    kernels::AttentionHead head(const MaskRanges& seen, Index b, Index h) const {
        return {.queries = sizes.queries,
                .keys = sizes.keys,
                .head_dim = sizes.head_dim,
                .q = value(q, b, h),
                .k = value(k, b, h),
                .v = value(v, b, h),
                .scale = sizes.scale,
                .ranges = &seen,
                .query_segments = segmented() ? mask.query_segments.data() + b * sizes.queries : nullptr,
                .key_segments = segmented() ? mask.key_segments.data() + b * sizes.keys : nullptr,
                .bias = value(bias, b, h),
                .first_distance = terms.bias.first,
                .query_positions = placed() ? terms.query.row(b) : nullptr,
                .key_positions = placed() ? terms.key.row(b) : nullptr,
                .relative_keys = table(relative_keys, terms.relative_keys, h),
                .relative_values = table(relative_values, terms.relative_values, h),
                .content_bias = value(content_bias, b, h),
                .position_bias = value(position_bias, b, h)};
    }

    // Calls body(head, b, h) for all.
    template <typename Body>
    void for_each_head(const Body& body) const {
        for (Index b = 0; b < sizes.batch; ++b) {
            const MaskRanges own = segmented() ? ranges(b) : MaskRanges();
            for (Index h = 0; h < sizes.heads; ++h) {
                throw_if_stopped();  // one head of a long text may take seconds
                body(head(segmented() ? own : common, b, h), b, h);
            }
        }
    }

    void pull_back(const Tensor& out, const Tensor& lse, const Tensor& cotangent,
                   const Gradients& gradients) const;
};

void Call::pull_back(const Tensor& out, const Tensor& lse, const Tensor& cotangent,
                     const Gradients& gradients) const {
    std::array<MutableTensor, input_count> grads;
    for (std::size_t i = 0; i < input_count; ++i) {
        if (!inputs[i] || (i >= bias && !gradients.wanted(i))) continue;
        // that of q is set, the others are added to
        grads[i] = i == q ? Tensor::empty(inputs[i].shape()) : Tensor::zeros(inputs[i].shape());
    }
    const Index width = sizes.heads * sizes.head_dim;
    for_each_head([&](const kernels::AttentionHead& head, Index b, Index h) {
        const Index row = b * sizes.queries * width + h * sizes.head_dim;
        const auto gradient = [&](Input input) {
            const MutableTensor& of = grads[input];
            return of ? of.data() + part(input, of.shape(), b, h) : nullptr;
        };
        kernels::attention_pullback(head, {.out = out.data() + row,
                                           .dout = cotangent.data() + row,
                                           .stride = width,
                                           .lse = lse.data() + (b * sizes.heads + h) * sizes.queries,
                                           .dq = gradient(q),
                                           .dk = gradient(k),
                                           .dv = gradient(v),
                                           .dbias = gradient(bias),
                                           .drelative_keys = gradient(relative_keys),
                                           .drelative_values = gradient(relative_values),
                                           .dcontent_bias = gradient(content_bias),
                                           .dposition_bias = gradient(position_bias)});
    });
    for (std::size_t i = 0; i < input_count; ++i) {
        if (grads[i]) gradients.add(i, grads[i]);
    }
}

// The bias of every distance, one column each: [H, distances + padding].
Variable bias_by_distance(const DistanceBias& bias) {
    if (!bias) return {};
    WorkVector<std::int32_t> columns;
    columns.reserve(bias.rows.size() + static_cast<std::size_t>(kernels::bias_padding));
    columns.assign(bias.rows.begin(), bias.rows.end());
    columns.insert(columns.end(), kernels::bias_padding, -1);
    return take_columns(bias.table, std::move(columns));
}

void check_rows(const RelativeVectors& vectors) {
    if (!vectors) return;
    for (std::int32_t row : vectors.rows) {
        require(row < vectors.table.size(1), "attention: row {} of a table of vectors {}", row,
                vectors.table.shape());
    }
}

}  // namespace

bool has_tiles(const LogitTerms& terms) {
    return !terms.pair_bias && !terms.count;
}

Variable attention_tiled(const Variable& q, const Variable& k, const Variable& v, const AttentionTerms& terms,
                         const Mask& mask) {
    require(has_tiles(terms),
            "attention_tiled: a term that only attention_by_rows and attention_composed know");
    const AttentionSizes s = attention_sizes(q, k, v, terms, mask);
    check_rows(terms.relative_keys);
    check_rows(terms.relative_values);
    Call call{s,
              mask,
              terms,
              {q, k, v, bias_by_distance(terms.bias), terms.relative_keys.table, terms.relative_values.table,
               terms.content_bias, terms.position_bias},
              {}};
    if (!call.segmented()) call.common = call.ranges(0);
    const Index width = s.heads * s.head_dim;
    MutableTensor out = Tensor::empty({s.batch, s.queries, width}),
                  lse = Tensor::empty({s.batch, s.heads, s.queries});
    call.for_each_head([&](const kernels::AttentionHead& head, Index b, Index h) {
        kernels::attention_forward(head, out.data() + b * s.queries * width + h * s.head_dim, width,
                                   lse.data() + (b * s.heads + h) * s.queries);
    });
    const Call::Inputs in = call.inputs;
    return record(out, {in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7]},
                  [call = std::move(call), out, lse](const Tensor& cotangent, const Gradients& gradients) {
                      call.pull_back(out, lse, cotangent, gradients);
                  });
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
