// Items of a task as batches to train on.
#pragma once

#include <memory>

#include "data/options.h"
#include "data/task.h"
#include "framework/core/batch_source.h"

namespace locus {

/// How many tokens an item has: drawn evenly from min .. max.
struct ItemLengths {
    Index min = 0, max = 0;
};

/// Rows of max tokens, each with one training item at its start and filler, or the first symbol, after it. A
/// target is asked where the next token is one of the item's answers, and nowhere else. Step n has the items
/// n sequences, n sequences + 1, ...: they never come to an end.
class TaskBatches : public BatchSource {
  public:
    /// Throws a usage Error for lengths that the task does not fit in, and for packed positions: what follows
    /// an item is hidden from it by the causal mask alone.
    TaskBatches(std::shared_ptr<const Task> task, const ItemLengths& lengths, Index sequences,
                std::uint64_t seed, const PositionOptions& positions = {});

    void fill(Index step, Batch& batch) const override;
    Index sequences() const override { return sequences_; }
    Index length() const override { return lengths_.max; }
    double epochs(Index) const override { return 0; }  // of no end
    /// Of the first step's items, which tell task, options and seed, and of how many there are.
    std::string hash(Index steps) const override;
    std::string summary() const override;

  private:
    TaskItem item(Index number) const;

    std::shared_ptr<const Task> task_;
    ItemLengths lengths_;
    Index sequences_;
    std::uint64_t seed_;
    PositionOptions positions_;
};

}  // namespace locus
