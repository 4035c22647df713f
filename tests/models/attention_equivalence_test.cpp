// Tiled attention is composed attention, forward and backward: masks x biases x positions x lengths.
#include "tests/models/support.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr Index lengths[] = {7, 65};  // pairs of positions count: all of them take minutes there
constexpr Index relative_lengths[] = {33};
#else
constexpr Index lengths[] = {1, 7, 31, 33, 64, 65, 130, 200};
constexpr Index relative_lengths[] = {1, 17, 65, 150};
#endif

enum class Segments { none, runs, padded_front, padded_back, interleaved };

struct MaskCase {
    std::string name;
    Mask mask = {};
    Segments segments = Segments::none;
    enum class Queries { all, last_third, middle, first_half } queries = Queries::all;
};

void PrintTo(const MaskCase& c, std::ostream* out) {
    *out << c.name;
}

enum class Where { no_bias, consecutive, shifted, restarted, gaps };

struct Sizes {
    Index queries, keys, offset;
};

Sizes sizes_of(const MaskCase& c, Index keys) {
    switch (c.queries) {
        case MaskCase::Queries::last_third:
            return {(keys + 2) / 3, keys, keys - (keys + 2) / 3};
        case MaskCase::Queries::middle:
            return {(keys + 2) / 3, keys, keys / 3};
        case MaskCase::Queries::first_half:
            return {(keys + 1) / 2, keys, 0};
        case MaskCase::Queries::all:
            break;
    }
    return {keys, keys, 0};
}

std::int32_t segment_of(Segments kind, Index j, Index length) {
    switch (kind) {
        case Segments::padded_front:
            return j < length / 4 ? -1 : static_cast<std::int32_t>(j / 21);
        case Segments::padded_back:
            return j >= length - length / 4 ? -1 : static_cast<std::int32_t>(j / 21);
        case Segments::interleaved:
            return static_cast<std::int32_t>(j % 3);
        default:
            return static_cast<std::int32_t>(j / 21);
    }
}

Mask mask_of(const MaskCase& c, const Sizes& s, Index batch) {
    Mask mask = c.mask;
    mask.query_offset = s.offset;
    for (Index b = 0; b < batch && c.segments != Segments::none; ++b) {  // each sequence is cut elsewhere
        const auto at = [&](Index j) { return segment_of(c.segments, j + 5 * b, s.keys + 5 * b); };
        for (Index j = 0; j < s.keys; ++j) mask.key_segments.push_back(at(j));
        for (Index i = 0; i < s.queries; ++i) mask.query_segments.push_back(at(s.offset + i));
    }
    return mask;
}

Positions positions_of(Where where, Index batch, Index begin, Index length) {
    if (where == Where::shifted) return Positions::consecutive(length, 1000 + begin);
    if (where == Where::consecutive || where == Where::no_bias) return Positions::consecutive(length, begin);
    std::vector<std::int64_t> values;
    for (Index b = 0; b < batch; ++b) {
        for (Index i = begin; i < begin + length; ++i) {
            const bool placed = where == Where::restarted || (i + b) % 7 != 3;
            values.push_back(!placed                     ? Positions::none
                             : where == Where::restarted ? (i + 3 * b) % 41
                                                         : 3 * i - b);
        }
    }
    return Positions(batch, length, 1, values);
}

// What inputs a problem has beside q, k and v.
struct Tables {
    Tensor bias;                             // of distances
    Tensor keys, values, content, position;  // the relative terms; some may be missing
};

struct Problem {
    Tensor q, k, v, cotangent;
    Tables tables;
    AttentionTerms terms;  // maps and positions
    Mask mask;
};

// Maps of distances: clipped (with a table shared by the heads), every distance its own row, or neither.
void add_relative_terms(Problem& p, Index distances, Index round) {
    const Index heads = p.q.size(1), head_dim = p.q.size(3), kind = round % 3;
    const Index count = kind == 0 ? 13 : kind == 1 ? distances : 5;
    WorkVector<std::int32_t> rows;
    for (Index d = 0; d < distances; ++d) {
        const Index clipped = std::clamp<Index>(-(p.terms.bias.first + d), -6, 6) + 6;
        rows.push_back(static_cast<std::int32_t>(kind == 0 ? clipped : kind == 1 ? d : d / 3 % 6 - 1));
    }
    const Shape table{kind == 0 ? 1 : heads, count, head_dim}, query_bias{heads, head_dim};
    p.tables.keys = random_tensor(table, 6);
    p.terms.relative_keys = {{}, p.terms.bias.first, rows};
    if (round % 4 != 1) {
        p.tables.values = random_tensor(table, 7);
        p.terms.relative_values = {{}, p.terms.bias.first, rows};
    }
    if (round % 2 == 1) p.tables.content = random_tensor(query_bias, 8);
    if (round % 5 != 2) p.tables.position = random_tensor(query_bias, 9);
}

enum class Terms { bias, relative };

Problem problem(const MaskCase& c, Terms terms, Where where, Index keys, Index round) {
    constexpr Index batch = 2, widths[] = {8, 5, 16, 10, 33};
    const Sizes s = sizes_of(c, keys);
    const Index head_dim = widths[round % 5], heads = round % 2 == 0 ? 2 : 4,
                kv_heads = round % 3 == 0 ? 2 : 1;
    Problem p{random_tensor({batch, heads, s.queries, head_dim}, 1),
              random_tensor({batch, kv_heads, s.keys, head_dim}, 2),
              random_tensor({batch, kv_heads, s.keys, head_dim}, 3),
              random_tensor({batch, s.queries, heads * head_dim}, 5),
              {},
              {},
              mask_of(c, s, batch)};
    if (where == Where::no_bias) return p;
    p.terms.query = positions_of(where, batch, s.offset, s.queries);
    p.terms.key = positions_of(where, batch, 0, s.keys);
    p.terms.bias.first = p.terms.query.min() - p.terms.key.max();
    const Index distances = p.terms.query.max() - p.terms.key.min() - p.terms.bias.first + 1;
    if (terms == Terms::relative) add_relative_terms(p, distances, round);
    if (terms == Terms::relative && round % 3 != 0) return p;  // sometimes both
    p.tables.bias = random_tensor({heads, 23}, 4);
    for (Index d = 0; d < distances; ++d)
        p.terms.bias.rows.push_back(static_cast<std::int32_t>((d * d + d) % 23));
    return p;
}

using Attention = Variable (*)(const Variable&, const Variable&, const Variable&, const AttentionTerms&,
                               const Mask&);

struct Result {
    std::string name;
    Tensor value;
};

// The output and the gradients of all inputs.
std::vector<Result> run(Attention form, const Problem& p) {
    Arena arena;
    Tape tape;
    const Recording recording(&tape);
    const MutableTensor output = Tensor::zeros(p.cotangent.shape());
    std::vector<Result> results{{"output", output}};
    const auto leaf = [&](const std::string& name, const Tensor& value) {
        if (!value) return Variable();
        const MutableTensor gradient = Tensor::zeros(value.shape());
        results.push_back({name, gradient});
        return tape.leaf(value, gradient);
    };
    const Variable q = leaf("dq", p.q), k = leaf("dk", p.k), v = leaf("dv", p.v);
    AttentionTerms terms = p.terms;
    terms.bias.table = leaf("dtable", p.tables.bias);
    terms.relative_keys.table = leaf("dkeys", p.tables.keys);
    terms.relative_values.table = leaf("dvalues", p.tables.values);
    terms.content_bias = leaf("dcontent", p.tables.content);
    terms.position_bias = leaf("dposition", p.tables.position);
    const ArenaScope scope(&arena);
    const Variable out = form(q, k, v, terms, p.mask);
    output.copy_from(out.value());
    tape.backward(out, p.cotangent);
    tape.reset();
    return results;
}

const Tensor& named(const std::vector<Result>& results, const std::string& name) {
    return std::find_if(results.begin(), results.end(), [&](const Result& r) { return r.name == name; })
        ->value;
}

void expect_same(const std::vector<Result>& found, const std::vector<Result>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        expect_close(found[i].value, expected[i].value, equivalence_limit, expected[i].name);
}

std::vector<MaskCase> mask_cases() {
    using Queries = MaskCase::Queries;
    return {
        {"causal"},
        {"causal_window_1", {.window = 1}},
        {"causal_window_4", {.window = 4}},
        {"causal_window_33", {.window = 33}},
        {"causal_window_past_the_end", {.window = 500}},
        {"causal_window_global", {.window = 4, .global = 2}},
        {"causal_wide_window_many_global", {.window = 33, .global = 70}},
        {"causal_dilation_2", {.window = 4, .dilation = 2}},
        {"causal_dilation_3_global", {.window = 9, .dilation = 3, .global = 2}},
        {"causal_dilation_past_a_tile", {.window = 2, .dilation = 67, .global = 1}},
        {"global_rows_only", {.window = 4, .global = 40, .rows = Mask::Rows::global}},
        {"local_rows_only", {.window = 4, .dilation = 2, .global = 3, .rows = Mask::Rows::local}},
        {"open", {.causal = false}},
        {"open_window_1", {.causal = false, .window = 1}},
        {"open_window_33", {.causal = false, .window = 33}},
        {"open_window_global", {.causal = false, .window = 4, .global = 2}},
        {"open_window_many_global", {.causal = false, .window = 9, .global = 70}},
        {"open_dilation_2", {.causal = false, .window = 5, .dilation = 2}},
        {"open_dilation_past_a_tile", {.causal = false, .window = 2, .dilation = 70}},
        {"open_dilation_many_global", {.causal = false, .window = 3, .dilation = 7, .global = 70}},
        {"segments", {}, Segments::runs},
        {"segments_padded_front", {}, Segments::padded_front},
        {"segments_padded_back", {}, Segments::padded_back},
        {"segments_interleaved", {}, Segments::interleaved},
        {"segments_open", {.causal = false}, Segments::runs},
        {"segments_open_padded", {.causal = false}, Segments::padded_back},
        {"segments_window_global", {.window = 6, .global = 3}, Segments::runs},
        {"segments_window_interleaved", {.causal = false, .window = 40}, Segments::interleaved},
        {"segments_dilation", {.window = 3, .dilation = 3}, Segments::padded_front},
        {"segments_dilation_global",
         {.causal = false, .window = 3, .dilation = 2, .global = 2},
         Segments::interleaved},
        {"offset", {}, Segments::none, Queries::last_third},
        {"offset_dilation", {.window = 4, .dilation = 3, .global = 1}, Segments::none, Queries::last_third},
        {"offset_window", {.window = 4, .global = 1}, Segments::none, Queries::last_third},
        {"offset_middle", {}, Segments::none, Queries::middle},
        {"offset_segments", {}, Segments::padded_front, Queries::last_third},
        {"cross", {.causal = false}, Segments::none, Queries::first_half},
        {"cross_window_offset", {.causal = false, .window = 9}, Segments::none, Queries::middle},
        {"cross_dilation_offset",
         {.causal = false, .window = 3, .dilation = 5},
         Segments::none,
         Queries::middle},
    };
}

// Some query, and some query with several keys to choose from.
std::pair<bool, bool> sees(const Problem& p) {
    bool any = false, several = false;
    for (Index b = 0; b < p.q.size(0); ++b) {
        for (Index i = 0; i < p.q.size(2); ++i) {
            Index seen = 0;
            for (Index j = 0; j < p.k.size(2); ++j)
                seen += p.mask.allows(b, i, j, p.q.size(2), p.k.size(2)) ? 1 : 0;
            any = any || seen > 0;
            several = several || seen > 1;
        }
    }
    return {any, several};
}

class Equivalence : public testing::TestWithParam<MaskCase> {};
INSTANTIATE_TEST_SUITE_P(Masks, Equivalence, testing::ValuesIn(mask_cases()),
                         [](const auto& mask) { return mask.param.name; });

TEST_P(Equivalence, TiledIsComposed) {
    Index round = 0;
    for (Where where : {Where::no_bias, Where::consecutive, Where::shifted, Where::restarted, Where::gaps}) {
        for (Index length : lengths) {
            SCOPED_TRACE(fmt::format("positions {} length {}", static_cast<int>(where), length));
            const Problem p = problem(GetParam(), Terms::bias, where, length, round++);
            const auto composed = run(attention_composed, p), tiled = run(attention_tiled, p);
            const auto [any, several] = sees(p);
            if (where != Where::no_bias) {
                EXPECT_EQ(largest(named(composed, "dtable")) > (is_double ? 1e-12 : 1e-4), several);
            }
            EXPECT_EQ(largest(named(composed, "dv")) > 0, any);
            expect_same(tiled, composed);
        }
    }
}

TEST_P(Equivalence, TiledAndByRowsAreComposedWithVectorsOfDistances) {
    Index round = 0;
    for (Where where : {Where::consecutive, Where::shifted, Where::restarted, Where::gaps}) {
        for (Index length : relative_lengths) {
            SCOPED_TRACE(fmt::format("positions {} length {}", static_cast<int>(where), length));
            const Problem p = problem(GetParam(), Terms::relative, where, length, round++);
            const auto composed = run(attention_composed, p);
            const auto [any, several] = sees(p);
            EXPECT_EQ(largest(named(composed, "dkeys")) > (is_double ? 1e-12 : 1e-4), several);
            expect_same(run(attention_tiled, p), composed);
            expect_same(run(attention_by_rows, p), composed);
        }
    }
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
