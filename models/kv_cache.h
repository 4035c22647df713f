// Keys and values of tokens that went by, so that new ones can be run behind them.
#pragma once

#include <utility>
#include <vector>

#include "framework/core/positions.h"
#include "framework/core/tensor.h"
#include "framework/ops/mask.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// How a cache is kept. One of `length` and `growing` must be given: the keys depend on it.
struct CacheOptions {
    Index length = 0;      // fixed:N: every row uses the frequencies of this length
    bool growing = false;  // row i uses the frequencies of length i + 1, for its query and all its keys
    Index window = 0;      // keys that a query sees, itself included; 0: as the model's mask
    Index sinks = 0;       // first tokens that are seen in spite of the window (arXiv:2309.17453)
};

/// Sizes of what is kept.
struct CacheShape {
    Index layers, sequences, kv_heads, head_dim;
};

/// Keys and values [B, kv_heads, tokens, head_dim] of every layer. Under a window only the tokens that can
/// still be seen in some layer are held (those that the farthest window reaches and the first ones), in slots
/// that are used again: storage rotates, indices and positions go on growing. Sequences may differ in length:
/// what stands before their first token is no part of them. Holds heap memory of its own. After an error
/// within a pass it is not to be used again.
class KvCache {
  public:
    /// `masks` by layer, with the same global tokens. Throws unless they are causal and the options fit them.
    KvCache(const CacheShape& shape, const CacheOptions& options, std::vector<Mask> masks, bool raw_keys);

    const CacheOptions& options() const { return options_; }
    const CacheShape& shape() const { return shape_; }
    bool raw_keys() const { return raw_keys_; }  // keys are kept as they were before their rotation

    Index length(Index sequence) const { return lengths_[static_cast<std::size_t>(sequence)]; }
    Index held(Index sequence) const { return held_of(length(sequence)); }  // of these, what is kept

    /// What queries behind the tokens of `sequence` see at `layer`: over the indices of the held keys.
    Mask mask(Index layer, Index sequence) const;

    /// Axes of the positions that are held; 0 before there are any.
    Index axes() const { return axes_; }

    /// Positions of the held keys of `sequences` sequences, and those of the fresh ones behind them, with the
    /// axes that the first ones had.
    Positions positions(Index sequence, Index sequences, const Positions& fresh) const;

    /// Held and fresh keys and values of `sequences` sequences of equal length, in the order of their
    /// indices; fresh ones [sequences, kv_heads, T, head_dim] are kept for later passes.
    std::pair<Tensor, Tensor> extend(Index layer, Index sequence, const Tensor& keys, const Tensor& values);

    /// Ends a pass: after every layer was extended by tokens at `fresh`.
    void advance(Index sequence, Index sequences, const Positions& fresh);

    /// Numbers of keys and values that memory is taken for.
    Index capacity() const { return 2 * shape_.layers * rows() * capacity_ * shape_.head_dim; }

  private:
    Index rows() const { return shape_.sequences * shape_.kv_heads; }
    Index bound() const { return kept_ + span_; }
    Index rolled_from(Index length) const;  // the oldest index that is held behind the first ones
    Index held_of(Index length) const;
    template <typename Use>
    void for_each_run(Index length, const Use& use) const;
    void reserve(Index tokens);
    Tensor joined(const Tensor& store, Index sequence, const Tensor& fresh) const;
    void keep(const MutableTensor& store, Index sequence, const Tensor& fresh) const;

    CacheShape shape_;
    CacheOptions options_;
    std::vector<Mask> masks_;  // by layer
    bool raw_keys_;
    Index kept_ = 0, span_ = 0;  // first tokens that stay, and the newest ones behind them: in every layer
    Index capacity_ = 0;         // slots of a row
    Index axes_ = 0;
    std::vector<MutableTensor> keys_, values_;  // by layer: [sequences, kv_heads, capacity, head_dim]
    std::vector<Index> lengths_;
    std::vector<std::vector<std::int64_t>> positions_;  // by sequence: [held, axes]
};

}  // namespace LOCUS_SCALAR
}  // namespace locus
