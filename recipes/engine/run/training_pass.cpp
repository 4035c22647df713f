#include "recipes/engine/run/training_pass.h"

namespace locus {

Pass training_pass(const Recipe& recipe, Index length, Index step) {
    return {.frequency_length = recipe.data.positions.span(length),
            .training = true,
            .seed = recipe.train.seed,
            .step = static_cast<std::uint64_t>(step)};
}

BatchLoss training_loss(const Transformer& model, const Recipe& recipe) {
    return [&model, &recipe](const Batch& part, Index step) {
        return model.loss(part, training_pass(recipe, part.length, step));
    };
}

}  // namespace locus
