// A pass as the blocks see it.
#pragma once

#include <span>

#include "framework/ops/elementwise.h"
#include "models/encoding.h"
#include "models/kv_cache.h"
#include "models/tail.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// Which implementation of attention to run: `tiled`, or by rows where the tiled kernel lacks a term; they
/// equal `composed`, which is there to prove it.
enum class AttentionForm { tiled, composed };

/// Tokens first .. first + count of every sequence.
struct TokenRun {
    Index first = 0, count = 0;
};

/// Rows of a pass that share one call of attention: a run of tokens of one sequence, or the same run of all.
struct AttentionCall {
    Index sequence = 0, sequences = 1;  // of the batch: sequence .. sequence + sequences
    TokenRun asking = {};               // of the states that ask
    TokenRun seen = {};                 // of those that keys and values are made of
    Index length = 0;                   // whose frequencies they use
    Positions query = {}, key = {};     // key: of the cached keys, then of the seen ones
    // Of the layer at hand:
    Mask mask = {};            // over these keys
    PositionTerms terms = {};  // key rotations are those that are still to be done

    /// Whether it is all that asks, [batch, length].
    bool is_whole(Index batch, Index tokens) const {
        return sequences == batch && asking.first == 0 && asking.count == tokens;
    }
};

/// What a block is told beside the states. Where one part is the whole pass everything is recorded; several
/// parts, and a cache, run without a tape only.
struct LayerPass {
    std::span<const AttentionCall> parts;  // rows of no part see nothing
    Index layer = 0;
    KvCache* cache = nullptr;  // tokens before the parts; it takes these up
    AttentionForm attention = AttentionForm::tiled;
    double dropout = 0;          // rate
    DropoutKey key = {};         // of seed, step and sample
    const Tail* tail = nullptr;  // all that goes on behind this layer; null: every token

    /// Dropout at one of the places that a model has for it: 0 behind the embedding, two per layer.
    Variable drop(const Variable& x, Index place) const {
        DropoutKey own = key;
        own.layer = static_cast<std::uint64_t>(place);
        return locus::dropout(x, dropout, own);
    }
};

}  // namespace LOCUS_SCALAR
}  // namespace locus
