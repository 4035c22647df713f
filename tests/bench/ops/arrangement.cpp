// Ops that move numbers, and those between tables over distances and pairs of tokens.
#include "framework/ops/content_positions.h"
#include "framework/ops/mask.h"
#include "framework/ops/pairs.h"
#include "framework/ops/rotate.h"
#include "framework/ops/shape.h"
#include "framework/ops/waves.h"
#include "tests/bench/ops/support.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

using namespace shard;

const Shape rotation_table{1, 1, length, head_dim / 2};
constexpr Index distances = 2 * length - 1, counted_rows = 64;

// A row for each distance between two tokens.
WorkVector<std::int32_t> all_distances() {
    WorkVector<std::int32_t> rows;
    for (Index i = 0; i < distances; ++i) rows.push_back(static_cast<std::int32_t>(i));
    return rows;
}

PairRows all_pairs() {
    const Positions text = Positions::consecutive(length);
    return pair_rows(text, text, 1 - length, all_distances());
}

[[maybe_unused]] const bool arrangement_measured[] = {
    measure_op("reshape", {states},
               [](Inputs x) {
                   return reshape(x[0], {tokens, width});
               }),
    measure_op("split_heads", {{sequences, length, 3 * width}},
               [](Inputs x) { return split_heads(x[0], width, heads, head_dim); }),
    measure_op("merge_heads", {by_head}, [](Inputs x) { return merge_heads(x[0]); }),
    measure_op("repeat_heads", {by_head}, [](Inputs x) { return repeat_heads(x[0], 2); }),
    measure_op("take_columns", {{heads, distances}},
               [](Inputs x) { return take_columns(x[0], all_distances()); }),
    measure_op("rotate", {by_head, rotation_table, rotation_table},
               [](Inputs x) {
                   return rotate(x[0], {x[1], x[2]});
               }),
    measure_op("waves", {{1, heads* head_dim / 2}},
               [](Inputs x) { return waves(x[0], Positions::consecutive(length), heads).cos; }),
    measure_op("masked", {scores}, [](Inputs x) { return masked(x[0], Mask{}); }),
    measure_op("take_pairs", {{sequences, heads, length, distances}},
               [](Inputs x) { return take_pairs(x[0], all_pairs()); }),
    measure_op("sum_pairs", {scores}, [](Inputs x) { return sum_pairs(x[0], all_pairs(), distances); }),
    measure_op("interpolate", {{sequences, heads, length, counted_rows}, scores},
               [](Inputs x) { return interpolate(x[0], x[1]); }),
};

}  // namespace

}  // namespace LOCUS_SCALAR
}  // namespace locus
