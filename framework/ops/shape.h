// Ops that move numbers without changing them.
#pragma once

#include <cstdint>

#include "framework/autodiff/variable.h"
#include "framework/core/work_vector.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// The same values, arranged as another shape of the same count.
Variable reshape(const Variable& x, const Shape& shape);

/// Columns first .. first + heads * head_dim of packed rows, head-major: [B, T, columns] to [B, heads, T,
/// head_dim].
Variable split_heads(const Variable& x, Index first, Index heads, Index head_dim);

/// The inverse of split_heads over all columns: [B, heads, T, head_dim] to [B, T, heads * head_dim].
Variable merge_heads(const Variable& x);

/// Each head repeated `times` times in place: [B, H, T, D] to [B, H * times, T, D].
Variable repeat_heads(const Variable& x, Index times);

/// Chosen columns of a table: [H, R] to [H, rows.size()]; a column may be taken many times, -1 gives zeros.
Variable take_columns(const Variable& table, WorkVector<std::int32_t> columns);

}  // namespace LOCUS_SCALAR
}  // namespace locus
