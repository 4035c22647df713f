// The order in which training sees its tokens: a function of (seed, step) and of nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/packing.h"
#include "data/split.h"
#include "framework/core/batch_source.h"

namespace locus {

/// Blocks of `block` tokens, and one more for the last target, are cut from each document from its start; a
/// document of n tokens has floor((n - 1) / block) of them. An epoch reads all blocks in the order of a
/// Philox permutation, keyed by (seed, epoch). A block is read window by window: window k has inputs x[k
/// length, (k + 1) length) and the targets one further. Packed positions make one row of all documents first
/// and cut the blocks from that; no target is taken across the end of a document. Step n takes the windows n
/// sequences, n sequences + 1, ... of that endless row, so arms of other lengths see the same tokens in a
/// step when `sequences * length` is the same.
class TrainingOrder : public BatchSource {
  public:
    /// Where a sequence of a step comes from; `block` counts through the blocks of all documents.
    struct Window {
        Index epoch = 0, block = 0, window = 0;
        bool operator==(const Window&) const = default;
    };

    /// `sequences`: windows of a step. The corpus under `split` must live on. Throws a usage Error when
    /// `block` is not a multiple of `length`, a data Error when no document holds a block.
    TrainingOrder(const Split& split, Index block, Index length, Index sequences, std::uint64_t seed,
                  const PositionOptions& positions = {});

    /// The batch [sequences, length] of a step, counted from 0, with its positions and, where documents are
    /// packed, segments.
    void fill(Index step, Batch& batch) const override;
    Index sequences() const override { return sequences_; }
    Index length() const override { return length_; }
    std::vector<Window> windows(Index step) const;

    Index blocks() const { return static_cast<Index>(blocks_.size()); }
    Index windows_per_epoch() const { return blocks() * (block_ / length_); }
    /// "12 blocks of 64 tokens from 3 of 4 documents; 771 tokens used, 20 left over"
    std::string summary() const override;
    double epochs(Index steps) const override;

    /// XXH3-128 of the blocks in the order in which `steps` steps read them, and of the number of tokens
    /// read: equal for arms of different length that see the same tokens.
    std::string hash(Index steps) const override;

  private:
    struct Block {
        const std::byte* tokens;  // block + 1 of them, as they are stored
        Index document, begin;    // index in the corpus; place in the split's part of that document
    };
    struct Cache;

    std::shared_ptr<const std::vector<Index>> order_of(Index epoch) const;
    template <typename Use>
    void for_each_window(Index step, Use use) const;
    void cut_documents(const Split& split);
    void cut_row(const Split& split);
    void place(Index step, Batch& batch, std::span<Token> targets) const;

    TokenView stored(const Block& block, Index begin, Index count) const {
        return TokenView(block.tokens, width_, 0)
            .subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count));
    }

    Index block_, length_, sequences_;
    std::uint64_t seed_;
    PositionOptions positions_;
    std::shared_ptr<const PackedText> packed_;  // where documents share windows
    int width_ = sizeof(Token);  // bytes of a stored token: of one store, so equal for all blocks
    std::vector<Block> blocks_;
    Index documents_ = 0, documents_used_ = 0;
    Index tokens_used_ = 0, tokens_left_over_ = 0;  // read by an epoch as input or target, and by none
    std::shared_ptr<Cache> cache_;                  // the permutation that was asked for last
};

}  // namespace locus
