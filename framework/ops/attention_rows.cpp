#include <algorithm>
#include <array>

#include "framework/core/arena.h"
#include "framework/ops/attention.h"
#include "framework/ops/attention_checks.h"
#include "framework/ops/kernels/elementwise.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

constexpr Index rows_at_a_time = 32;  // query rows that are held at a time

// Some rows of queries and the keys before the last that they can see.
struct Rows {
    Index begin, count, keys;
};

Rows rows_at(const AttentionSizes& s, const Mask& mask, Index begin) {
    const Index count = std::min(rows_at_a_time, s.queries - begin);
    return {begin, count, mask.causal ? std::min(s.keys, mask.query_offset + begin + count) : s.keys};
}

// Rows begin .. begin + count of the axis T of x [..., T, D], with all axes before it folded into `sheets`.
void copy_rows(const Tensor& x, Index begin, const MutableTensor& part) {
    const Index width = x.size(-1), sheets = x.count() / (x.size(-2) * width), count = part.size(-2) * width;
    for (Index i = 0; i < sheets; ++i) {
        std::copy_n(x.data() + (i * x.size(-2) + begin) * width, count, part.data() + i * count);
    }
}

MutableTensor part_of(const Tensor& x, Index begin, Index count) {
    Shape shape = x.shape();
    shape[-2] = count;
    MutableTensor part = Tensor::empty(shape);
    copy_rows(x, begin, part);
    return part;
}

void add_part(const Tensor& part, Index begin, const MutableTensor& x) {
    const Index width = x.size(-1), sheets = x.count() / (x.size(-2) * width), count = part.size(-2) * width;
    for (Index i = 0; i < sheets; ++i) {
        kernels::accumulate(part.data() + i * count, x.data() + (i * x.size(-2) + begin) * width, count);
    }
}

WorkVector<std::int32_t> part_of(const WorkVector<std::int32_t>& segments, Index batch, Index begin,
                                 Index count) {
    WorkVector<std::int32_t> part;
    const Index length = static_cast<Index>(segments.size()) / batch;
    for (Index b = 0; b < batch && length > 0; ++b) {
        part.insert(part.end(), segments.begin() + b * length + begin,
                    segments.begin() + b * length + begin + count);
    }
    return part;
}

Mask part_of(const Mask& mask, const AttentionSizes& s, const Rows& rows) {
    Mask part = mask;
    part.query_offset += rows.begin;
    part.query_segments = part_of(mask.query_segments, s.batch, rows.begin, rows.count);
    part.key_segments = part_of(mask.key_segments, s.batch, 0, rows.keys);
    return part;
}

// The tables that gradients may flow to, in a fixed order.
template <typename Terms>
auto tables(Terms& terms) {
    return std::array{&terms.bias.table,   &terms.relative_keys.table, &terms.relative_values.table,
                      &terms.content_bias, &terms.position_bias,       &terms.count.table};
}

// Terms of some rows; the tables are the whole ones.
AttentionTerms part_of(const AttentionTerms& terms, const Rows& rows) {
    AttentionTerms part = terms;
    if (terms.query.length() > 0) part.query = terms.query.slice(rows.begin, rows.count);
    if (terms.key.length() > 0) part.key = terms.key.slice(0, rows.keys);
    return part;
}

// What a thread needs to compute some rows apart from the step that asks for them.
struct Workspace {
    Arena arena;
    Tape tape;
};

Workspace& workspace() {
    thread_local Workspace space;
    return space;
}

struct RowsCall {
    Variable q, k, v;
    AttentionTerms terms;
    Mask mask;
    AttentionSizes sizes;

    void forward(const Rows& rows, const MutableTensor& out) const;
    void backward(const Rows& rows, const Tensor& cotangent, std::span<const MutableTensor> gradients) const;
};

void RowsCall::forward(const Rows& rows, const MutableTensor& out) const {
    {
        const ArenaScope memory(&workspace().arena);
        const Recording none(nullptr);
        AttentionTerms part = part_of(terms, rows);
        for (Variable* table : tables(part)) *table = Variable(table->value());
        const Variable result =
            attention_composed(part_of(q.value(), rows.begin, rows.count), part_of(k.value(), 0, rows.keys),
                               part_of(v.value(), 0, rows.keys), part, part_of(mask, sizes, rows));
        for (Index b = 0; b < sizes.batch; ++b) {
            std::copy_n(result.value().data() + b * rows.count * out.size(2), rows.count * out.size(2),
                        out.data() + (b * sizes.queries + rows.begin) * out.size(2));
        }
    }
    workspace().arena.reset();
}

// gradients: dq, dk, dv and those of the tables, empty where none is wanted.
void RowsCall::backward(const Rows& rows, const Tensor& cotangent,
                        std::span<const MutableTensor> gradients) const {
    {
        const ArenaScope memory(&workspace().arena);
        Tape& tape = workspace().tape;
        const Recording recording(&tape);
        std::array<Tensor, 3> values{part_of(q.value(), rows.begin, rows.count),
                                     part_of(k.value(), 0, rows.keys), part_of(v.value(), 0, rows.keys)};
        std::array<MutableTensor, 3> own;
        std::array<Variable, 3> leaves;
        for (std::size_t i = 0; i < 3; ++i) {
            own[i] = Tensor::zeros(values[i].shape());
            leaves[i] = tape.leaf(values[i], own[i]);
        }
        AttentionTerms part = part_of(terms, rows);
        std::size_t next = 3;
        for (Variable* table : tables(part)) {
            const MutableTensor& gradient = gradients[next++];
            *table = gradient ? tape.leaf(table->value(), gradient) : Variable(table->value());
        }
        const Variable result =
            attention_composed(leaves[0], leaves[1], leaves[2], part, part_of(mask, sizes, rows));
        tape.backward(result, part_of(cotangent, rows.begin, rows.count));
        tape.reset();
        for (std::size_t i = 0; i < 3; ++i) add_part(own[i], i == 0 ? rows.begin : 0, gradients[i]);
    }
    workspace().arena.reset();
}

}  // namespace

Variable attention_by_rows(const Variable& q, const Variable& k, const Variable& v,
                           const AttentionTerms& terms, const Mask& mask) {
    const RowsCall call{q, k, v, terms, mask, attention_sizes(q, k, v, terms, mask)};
    const AttentionSizes& s = call.sizes;
    MutableTensor out = Tensor::empty({s.batch, s.queries, s.heads * s.head_dim});
    for (Index begin = 0; begin < s.queries; begin += rows_at_a_time) {
        call.forward(rows_at(s, mask, begin), out);
    }
    const auto t = tables(call.terms);
    return record(out, {q, k, v, *t[0], *t[1], *t[2], *t[3], *t[4], *t[5]},
                  [call](const Tensor& cotangent, const Gradients& sinks) {
                      std::vector<MutableTensor> gradients{Tensor::zeros(call.q.shape()),
                                                           Tensor::zeros(call.k.shape()),
                                                           Tensor::zeros(call.v.shape())};
                      for (const Variable* table : tables(call.terms)) {
                          const bool wanted = sinks.wanted(gradients.size());
                          gradients.push_back(wanted ? Tensor::zeros(table->shape()) : MutableTensor());
                      }
                      for (Index begin = 0; begin < call.sizes.queries; begin += rows_at_a_time) {
                          call.backward(rows_at(call.sizes, call.mask, begin), cotangent, gradients);
                      }
                      for (std::size_t i = 0; i < gradients.size(); ++i) {
                          if (gradients[i]) sinks.add(i, gradients[i]);
                      }
                  });
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
