// One optimizer step over a batch, spread over shards and workers.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "framework/core/batch.h"
#include "framework/nn/step_scope.h"
#include "framework/ops/loss.h"
#include "framework/optim/adamw.h"
#include "framework/train/gradient_tree.h"
#include "framework/train/options.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// The loss of a part of a step's batch, at optimizer step `step` (from 1). It weighs what Batch::weight()
/// says.
using BatchLoss = std::function<Loss(const Batch& part, Index step)>;

struct StepReport {
    double loss = 0;    // mean over the batch, by weight
    double weight = 0;  // of all that the batch asks
    double lr = 0;
    double grad_norm = 0;  // of the whole gradient, before clipping
};

/// The pieces that a step is cut into: `shards`, or fewer where there are fewer sequences.
Index shards_of_step(const TrainOptions& options);

/// Holds what a step needs besides the parameters: moments, workers' memory, the tree of gradients.
class Trainer {
  public:
    /// `sequences` of a batch cap the number of shards, which the ranks of `group` share out. All ranks must
    /// hold the same parameters.
    Trainer(ParameterStore& store, const TrainOptions& options, Workers& workers,
            const Communicator& group = {}, GemmBackend backend = GemmBackend::own);

    /// Forward, backward, sum, clip, update. A target weighs the same wherever its sequence runs. All ranks
    /// call it with the whole batch, and all get the same report. Throws, on all ranks alike and with the
    /// weights unchanged, what `loss` throws on any, and a numeric Error when loss or gradient is not finite.
    StepReport step(Index step, const Batch& batch, const BatchLoss& loss);

    const Adamw& optimizer() const { return adamw_; }
    Adamw& mutable_optimizer() { return adamw_; }  // to restore its moments
    Index shards() const { return shards_; }
    std::vector<std::size_t> arena_peaks() const;  // most bytes that each worker's step has needed so far

  private:
    void run_shards(int worker, Index step, const Batch& batch, const BatchLoss& loss, double weight);
    void gather_losses();
    Tensor sum_of_shards();
    double norm_of(const Tensor& gradient);

    ParameterStore& store_;
    TrainOptions options_;
    Products products_;
    Workers& workers_;
    Communicator group_;
    Index shards_;
    GradientTree tree_;
    Adamw adamw_;
    std::vector<std::unique_ptr<StepSpace>> spaces_;  // of each worker
    std::vector<double> shard_loss_;                  // [shards]
    std::vector<Index> rank_begins_;                  // [ranks + 1]: the first shard of each
};

/// The learning rates as the schedule sees them.
ScheduleOptions schedule_of(const TrainOptions& options);

}  // namespace LOCUS_SCALAR
}  // namespace locus
