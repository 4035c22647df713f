// Scaled dot-product attention with position terms: composed of ordinary ops (the specification), tiled, and
// by rows.
#pragma once

#include "framework/ops/attention_terms.h"
#include "framework/ops/mask.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// softmax(logits, masked) v, the logits as the terms say. q [B, H, Tq, D], k and v [B, Hkv, Tk, D] with H a
/// multiple of Hkv (query head h uses key/value head h / (H / Hkv)); result [B, Tq, H * D]. A query that sees
/// no key gives zeros and passes no gradient. Throws when shapes, mask, positions or terms do not fit.
Variable attention_composed(const Variable& q, const Variable& k, const Variable& v,
                            const AttentionTerms& terms, const Mask& mask);

/// The logits of attention_composed: [B, H, Tq, Tk], -inf where the mask hides a key.
Variable attention_logits(const Variable& q, const Variable& k, const AttentionTerms& terms,
                          const Mask& mask);

/// The same by online softmax over tiles (arXiv:2205.14135): saves the log of each row's sum, memory linear
/// in T. Throws for terms that has_tiles() does not allow.
Variable attention_tiled(const Variable& q, const Variable& k, const Variable& v, const AttentionTerms& terms,
                         const Mask& mask);

/// Whether the tiled kernel knows all of these terms.
bool has_tiles(const LogitTerms& terms);

/// The same for any terms: composed over a few query rows at a time, which the pullback computes again.
/// Memory rows x T.
Variable attention_by_rows(const Variable& q, const Variable& k, const Variable& v,
                           const AttentionTerms& terms, const Mask& mask);

}  // namespace LOCUS_SCALAR
}  // namespace locus
