#include "framework/train/trainer.h"

#include <algorithm>
#include <cmath>

#include "framework/core/profile.h"
#include "framework/distributed/rank_errors.h"

namespace locus {
inline namespace LOCUS_SCALAR {

// The least power of two that is not below the sequences, at most `shards`.
Index shards_of_step(const TrainOptions& options) {
    Index shards = 1;
    while (shards < options.sequences() && shards < options.shards) shards *= 2;
    return shards;
}

ScheduleOptions schedule_of(const TrainOptions& options) {
    return {options.schedule, options.lr, options.min_lr, options.warmup_steps, options.steps()};
}

Trainer::Trainer(ParameterStore& store, const TrainOptions& options, Workers& workers,
                 const Communicator& group, GemmBackend backend)
    : store_(store),
      options_(options),
      products_{options.precision, backend},
      workers_(workers),
      group_(group),
      shards_(shards_of_step(options)),
      tree_(store.flat_size(), shards_, workers.count(), group, options.reduction),
      adamw_(store, {options.beta1, options.beta2, options.epsilon, options.weight_decay}),
      shard_loss_(static_cast<std::size_t>(shards_)) {
    for (int i = 0; i < workers.count(); ++i) spaces_.push_back(std::make_unique<StepSpace>());
    for (int rank = 0; rank <= group.size(); ++rank)
        rank_begins_.push_back(RankTree::first_shard(shards_, rank, group.size()));
}

void Trainer::run_shards(int worker, Index step, const Batch& batch, const BatchLoss& loss, double weight) {
    StepSpace& space = *spaces_[static_cast<std::size_t>(worker)];
    while (const std::optional<Index> claimed = tree_.claim(worker)) {
        const ProfiledPart outside_of_ops("shard");
        const Index shard = *claimed;
        const Index first = batch.sequences * shard / shards_, end = batch.sequences * (shard + 1) / shards_;
        double& total = shard_loss_[static_cast<std::size_t>(shard)];
        total = 0;
        if (first == end) {
            tree_.close(worker, shard, {});
            continue;
        }
        const MutableTensor gradient = tree_.open(worker);
        {
            const StepScope scope(space, store_, gradient, products_);
            const Batch part = batch.slice(first, end - first);
            const Loss own = loss(part, step);
            require(own.weight == part.weight(), "step {}: a loss of weight {}, but its part weighs {}", step,
                    own.weight, part.weight());
            total = own.total;
            space.tape.backward(own.sum, Tensor::full({1}, static_cast<Scalar>(weight)));
        }
        const ProfiledPart adding("gradient tree");
        tree_.close(worker, shard, gradient);
    }
}

void Trainer::gather_losses() {
    if (group_.alone()) return;
    const ProfiledPart communicating("communication");
    group_.gather(std::span(shard_loss_), rank_begins_);
}

Tensor Trainer::sum_of_shards() {
    const ProfiledPart adding("gradient tree");
    return tree_.finish(workers_);
}

double Trainer::norm_of(const Tensor& gradient) {
    const ProfiledPart squaring("gradient norm");
    return gradient_norm(workers_, gradient);
}

std::vector<std::size_t> Trainer::arena_peaks() const {
    std::vector<std::size_t> peaks;
    for (const auto& space : spaces_) peaks.push_back(space->arena.peak());
    return peaks;
}

StepReport Trainer::step(Index step, const Batch& batch, const BatchLoss& loss) {
    StepReport report;
    report.weight = batch.weight();
    require(report.weight > 0, Failure::data, "step {}: no token of the batch has a target", step);
    report.lr = learning_rate(schedule_of(options_), step);
    const double weight = 1 / report.weight;
    tree_.start();
    on_every_rank(group_,
                  [&] { workers_.run([&](int worker) { run_shards(worker, step, batch, loss, weight); }); });
    gather_losses();
    const Tensor gradient = sum_of_shards();

    for (double total : shard_loss_) report.loss += total;  // in order of the shards
    report.loss *= weight;
    report.grad_norm = norm_of(gradient);
    require(std::isfinite(report.loss) && std::isfinite(report.grad_norm), Failure::numeric,
            "step {}: the loss is {} and the norm of the gradient {}; a smaller learning rate may help", step,
            unsigned_nan(report.loss), unsigned_nan(report.grad_norm));
    const ProfiledPart updating("optimizer");
    adamw_.step(workers_, step, report.lr, gradient, clip_factor(report.grad_norm, options_.clip));
    return report;
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
