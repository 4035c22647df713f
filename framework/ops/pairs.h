// From tables over distances to pairs of tokens and back.
#pragma once

#include <memory>

#include "framework/autodiff/variable.h"
#include "framework/core/positions.h"
#include "framework/core/work_vector.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// The table row of every pair of query and key: [sheets, Tq, Tk], sheets 1 or B; -1: none.
struct PairRows {
    Index sheets, queries, keys;
    WorkVector<std::int32_t> rows;
};

/// rows[query position - key position - first] of every pair; -1 where a token has no position.
PairRows pair_rows(const Positions& query, const Positions& key, std::int64_t first,
                   const WorkVector<std::int32_t>& rows);

/// x [B, H, Tq, R] to [B, H, Tq, Tk]: for each pair its row's entry of the query; 0 where it has none.
Variable take_pairs(const Variable& x, const PairRows& pairs);

/// The transpose: w [B, H, Tq, Tk] to [B, H, Tq, count], entries of pairs with one row added up.
Variable sum_pairs(const Variable& w, const PairRows& pairs, Index count);

}  // namespace LOCUS_SCALAR
}  // namespace locus
