// Runs windows through a model: the loss of every scored token.
#pragma once

#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "data/split.h"
#include "framework/core/parallel.h"
#include "framework/distributed/communicator.h"
#include "models/transformer.h"
#include "recipes/engine/measure/windows.h"
#include "recipes/engine/statistics/bootstrap.h"

namespace locus {

/// Called with the tokens that were run through the model and all that will be, one call at a time, from any
/// worker; what it throws ends the evaluation.
using EvaluationProgress = std::function<void(Index done, Index total)>;

/// Counts tokens towards a progress report.
class ProgressCount {
  public:
    ProgressCount(EvaluationProgress report, Index total) : report_(std::move(report)), total_(total) {}
    void add(Index tokens);

  private:
    EvaluationProgress report_;
    Index total_, done_ = 0;
    std::mutex mutex_;
};

/// Writes the nats of the scored places of `windows` into `nats`, [slots], each at its slot. Positions
/// are evaluation_positions(): they count from 0 in each window, or are drawn for it. Windows of equal length
/// share a forward pass of a size that depends on their length and number only, so the numbers of workers and
/// ranks change no bit. The ranks of `group` share the passes out; all get all results.
void score(const Transformer& model, std::span<const SplitDocument> documents,
           std::span<const Window> windows, std::vector<double>& nats, Workers& workers,
           ProgressCount& progress, const PositionOptions& positions = {}, const Communicator& group = {});

/// Loss over a split in windows of `length` that do not overlap; sum 0 over 0 tokens where there is no
/// target.
TokenSum split_loss(const Transformer& model, const Split& split, Index length, Workers& workers,
                    const PositionOptions& positions = {}, const Communicator& group = {});

}  // namespace locus
