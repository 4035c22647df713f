#pragma once

#include "framework/autodiff/variable.h"
#include "framework/core/token.h"
#include "framework/core/work_vector.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// Rows of a table: table [rows, width], ids [B, T] row-major, result [B, T, width]. Throws for an id outside
/// the table.
Variable embedding(const Variable& table, WorkVector<Token> ids, Index batch, Index length);

}  // namespace LOCUS_SCALAR
}  // namespace locus
