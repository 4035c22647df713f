#include "data/task_batches.h"

#include <algorithm>

#include "data/draws.h"
#include "data/positions.h"
#include "framework/core/error.h"
#include "framework/io/checksum.h"

namespace locus {

TaskBatches::TaskBatches(std::shared_ptr<const Task> task, const ItemLengths& lengths, Index sequences,
                         std::uint64_t seed, const PositionOptions& positions)
    : task_(std::move(task)), lengths_(lengths), sequences_(sequences), seed_(seed), positions_(positions) {
    require(sequences >= 1 && lengths.min <= lengths.max,
            "task {}: expected lengths from low to high and a sequence or more, found {} to {} and {}",
            task_->name(), lengths.min, lengths.max, sequences);
    require(lengths.min >= task_->shortest(), "task {}: an item has {} tokens or more, not {}", task_->name(),
            task_->shortest(), lengths.min);
    require(positions.kind != PositionKind::packed, "task {}: positions of packed documents are for text",
            task_->name());
}

TaskItem TaskBatches::item(Index number) const {
    RandomStream random(seed_, Purpose::generator,
                        {name_index("length of an item"), static_cast<std::uint64_t>(number)});
    const Index length = lengths_.min + draw_below(lengths_.max - lengths_.min + 1, random);
    return draw_item(*task_, seed_, ItemPart::train, number, length);
}

void TaskBatches::fill(Index step, Batch& batch) const {
    require(step >= 0, "task {}: step {} is before the first one", task_->name(), step);
    batch.sequences = sequences_;
    batch.length = lengths_.max;
    batch.first = 0;
    if (batch.inputs.size() > 1) batch.inputs.clear();
    batch.weights = {};
    batch.segments = {};
    if (positions_.kind != PositionKind::consecutive || batch.positions.length() != lengths_.max)
        batch.positions = training_positions(positions_, sequences_, lengths_.max, seed_, step);
    const std::span<Token> tokens = batch.renew_tokens();
    const std::span<Token> targets = batch.targets.renew(sequences_, lengths_.max);
    std::fill(tokens.begin(), tokens.end(), task_->filler().first);
    std::fill(targets.begin(), targets.end(), no_target);
    for (Index row = 0; row < sequences_; ++row) {
        const TaskItem drawn = item(step * sequences_ + row);
        const Index begin = row * lengths_.max;
        std::copy(drawn.tokens.begin(), drawn.tokens.end(), tokens.begin() + begin);
        for (const Index place : drawn.answers)
            targets[static_cast<std::size_t>(begin + place - 1)] =
                drawn.tokens[static_cast<std::size_t>(place)];
    }
}

std::string TaskBatches::hash(Index steps) const {
    require(steps >= 0, "task {}: {} steps cannot be hashed", task_->name(), steps);
    Checksum sum;
    sum.add(task_->name());
    sum.add(steps * sequences_);
    sum.add(lengths_.min);
    sum.add(lengths_.max);
    for (Index number = 0; number < sequences_; ++number)
        for (const Token token : item(number).tokens) sum.add(std::int64_t{token});
    return sum.hex();
}

std::string TaskBatches::summary() const {
    return fmt::format("items of {}, {} to {} tokens, drawn without end", task_->name(), lengths_.min,
                       lengths_.max);
}

}  // namespace locus
