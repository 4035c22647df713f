// Attention in many forms, for the gradient test of the ops.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "framework/ops/attention.h"
#include "tests/support/gradient_check.h"

namespace locus {
inline namespace LOCUS_SCALAR {

struct OpCase {
    std::string name;  // the op, and after a slash a variant
    std::vector<Shape> shapes;
    Op op;
};

inline void PrintTo(const OpCase& c, std::ostream* out) {
    *out << c.name;
}

inline Mask segments(Index batch, Index length, std::int32_t last) {
    Mask mask;
    for (Index i = 0; i < batch * length; ++i)
        mask.key_segments.push_back(i % length == length - 1 ? last
                                                             : static_cast<std::int32_t>(i % length / 3));
    mask.query_segments = mask.key_segments;
    return mask;
}

// A bias over the distances -(T - 1) .. T - 1 whose table has fewer rows than there are distances.
inline AttentionTerms terms(Inputs v, Index length) {
    AttentionTerms terms;
    terms.bias.table = v[3];
    terms.bias.first = 1 - length;
    for (Index d = 0; d < 2 * length - 1; ++d)
        terms.bias.rows.push_back(static_cast<std::int32_t>(d % v[3].size(1)));
    terms.query = terms.key = Positions::consecutive(length);
    return terms;
}

using Attention = Variable (*)(const Variable&, const Variable&, const Variable&, const AttentionTerms&,
                               const Mask&);

// Attention without a bias, with one, with grouped heads of an odd width, and with rows that see nothing.
inline void add_attention(std::vector<OpCase>& cases, const std::string& name, Attention form) {
    const Mask windowed{.causal = true, .window = 3, .global = 1};
    const Mask open{.causal = false};
    cases.push_back({name, {{2, 2, 7, 8}, {2, 2, 7, 8}, {2, 2, 7, 8}}, [=](Inputs v) {
                         return form(v[0], v[1], v[2], {}, windowed);
                     }});
    cases.push_back({name + "/bias_grouped",
                     {{1, 4, 6, 5}, {1, 2, 6, 5}, {1, 2, 6, 5}, {4, 4}},
                     [=](Inputs v) { return form(v[0], v[1], v[2], terms(v, 6), Mask{}); }});
    cases.push_back({name + "/bias_open",
                     {{2, 2, 5, 10}, {2, 1, 5, 10}, {2, 1, 5, 10}, {2, 9}},
                     [=](Inputs v) { return form(v[0], v[1], v[2], terms(v, 5), open); }});
    cases.push_back({name + "/segments", {{2, 2, 9, 4}, {2, 2, 9, 4}, {2, 2, 9, 4}, {2, 5}}, [=](Inputs v) {
                         return form(v[0], v[1], v[2], terms(v, 9), segments(2, 9, -1));
                     }});
    cases.push_back({name + "/dilated", {{1, 2, 9, 4}, {1, 2, 9, 4}, {1, 2, 9, 4}, {2, 5}}, [=](Inputs v) {
                         return form(v[0], v[1], v[2], terms(v, 9),
                                     Mask{.causal = false, .window = 3, .dilation = 2, .global = 1});
                     }});
    cases.push_back({name + "/offset", {{1, 2, 3, 6}, {1, 2, 8, 6}, {1, 2, 8, 6}}, [=](Inputs v) {
                         return form(v[0], v[1], v[2], {}, Mask{.query_offset = 5});
                     }});
}

inline RelativeVectors some_vectors(const Variable& table, Index length) {
    RelativeVectors result{table, 1 - length, {}};
    for (Index d = 0; d < 2 * length - 1; ++d) {
        result.rows.push_back(static_cast<std::int32_t>(d % table.size(1)));
    }
    return result;
}

// A bias of pairs that is no table: a share of the query's position.
inline Variable pair_bias(const Positions& query, const Positions& key) {
    MutableTensor bias = Tensor::empty({1, 2, query.length(), key.length()});
    for (Index n = 0; n < bias.count(); ++n) {
        const Index i = n / key.length() % query.length(), j = n % key.length();
        bias.data()[n] = static_cast<Scalar>(query(0, i) - key(0, j)) / static_cast<Scalar>(query(0, i) + 1);
    }
    return bias;
}

// Attention with a vector for each distance: tables per head or shared, with and without biases of queries.
inline void add_relative_terms(std::vector<OpCase>& cases, const std::string& name, Attention form) {
    cases.push_back({name + "/relative",
                     {{2, 2, 5, 4}, {2, 1, 5, 4}, {2, 1, 5, 4}, {2, 7, 4}, {1, 6, 4}, {2, 4}, {2, 4}},
                     [=](Inputs v) {
                         AttentionTerms terms;
                         terms.query = terms.key = Positions::consecutive(5, 3);
                         terms.relative_keys = some_vectors(v[3], 5);
                         terms.relative_values = some_vectors(v[4], 5);
                         terms.content_bias = v[5];
                         terms.position_bias = v[6];
                         return form(v[0], v[1], v[2], terms, Mask{.window = 3, .global = 1});
                     }});
    cases.push_back(
        {name + "/relative_segments",
         {{2, 2, 9, 3}, {2, 2, 9, 3}, {2, 2, 9, 3}, {1, 5, 3}, {2, 5}},
         [=](Inputs v) {
             AttentionTerms terms;
             terms.query = terms.key = Positions(1, 9, 1, {0, 1, 2, 0, 1, Positions::none, 3, 4, 9});
             terms.relative_keys = some_vectors(v[3], 10);
             terms.relative_keys.rows[8] = -1;
             terms.bias = {v[4], -9, terms.relative_keys.rows};
             terms.position_bias = Variable();
             return form(v[0], v[1], v[2], terms, segments(2, 9, -1));
         }});
    cases.push_back({name + "/relative_values_only",
                     {{1, 2, 4, 6}, {1, 2, 9, 6}, {1, 2, 9, 6}, {2, 17, 6}, {2, 6}},
                     [=](Inputs v) {
                         AttentionTerms terms;
                         terms.query = Positions::consecutive(4, 5);
                         terms.key = Positions::consecutive(9);
                         terms.relative_values = some_vectors(v[3], 9);
                         terms.content_bias = v[4];
                         return form(v[0], v[1], v[2], terms, Mask{.query_offset = 5});
                     }});
}

// Attention with the terms that the tiled kernel lacks.
inline void add_terms(std::vector<OpCase>& cases, const std::string& name, Attention form) {
    cases.push_back({name + "/pair_bias", {{2, 2, 5, 4}, {2, 2, 5, 4}, {2, 2, 5, 4}, {2, 9}}, [=](Inputs v) {
                         AttentionTerms own = terms(v, 5);
                         own.pair_bias = pair_bias;
                         return form(v[0], v[1], v[2], own, segments(2, 5, -1));
                     }});
    for (bool scaled : {false, true}) {
        cases.push_back({name + (scaled ? "/count_scaled" : "/count"),
                         {{1, 2, 9, 3}, {1, 2, 9, 3}, {1, 2, 9, 3}, {2, 4, 3}},
                         [=](Inputs v) {
                             AttentionTerms own;
                             own.count = {v[3], scaled, scaled};
                             return form(v[0], v[1], v[2], own, Mask{});
                         }});
    }
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
