// How a model is trained.
#pragma once

#include <cstdint>

#include "framework/core/products.h"
#include "framework/core/scalar.h"
#include "framework/optim/schedule.h"

namespace locus {

/// How the gradients of ranks become one: in the tree over the shards, or as MPI likes best.
enum class Reduction { exact, fast };

struct TrainOptions {
    Index length = 128;         // tokens of a training window
    Index tokens = 4'000'000;   // rounded up to whole steps; where `steps` is given, steps x batch_tokens
    Index batch_tokens = 8192;  // tokens of one optimizer step, over all ranks; a multiple of length
    Index shards = 16;          // fixed cuts of a step's batch: gradients are added in one tree over them
    Reduction reduction = Reduction::exact;  // the same bits on any number of ranks; fast: MPI_Allreduce
    double lr = 1e-3;                        // maximum learning rate
    double min_lr = 1e-4;                    // where linear and cosine end; a tenth of lr is usual
    Index warmup_steps = 0;  // of linear warm-up: steps x warmup (a fraction, 0.03) unless given
    Schedule schedule = Schedule::cosine;
    double weight_decay = 0.1;  // on matrices only
    double beta1 = 0.9;         // AdamW; 0.95 for beta2 forgets a bad batch sooner than 0.999
    double beta2 = 0.95;
    double epsilon = 1e-8;
    double clip = 1.0;                      // greatest norm of the whole gradient; 0: no clipping
    Precision precision = Precision::fp32;  // of the factors of products in training steps
    std::uint64_t seed = 0;                 // of initial values, data order and dropout
    Index validate_every = 0;               // steps; 0: never during training
    Index checkpoint_every = 500;           // steps; the last step is always kept
    Index keep = 2;                         // the newest checkpoints that stay
    Index keep_every = 0;                   // steps: checkpoints of its multiples stay, too; 0: none

    Index steps() const { return (tokens + batch_tokens - 1) / batch_tokens; }
    Index sequences() const { return batch_tokens / length; }
};

}  // namespace locus
