#include "recipes/engine/measure/metric.h"

namespace locus {

namespace {

const bool gain_registered = MetricRegistry::instance().add(
    "gain", {.unit = "gain in nats per token",
             .definition = "loss at the baseline context - loss at this one, token by token",
             .higher_is_better = true});

}  // namespace

}  // namespace locus
