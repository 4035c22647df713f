#include "recipes/engine/measure/metric.h"

namespace locus {

namespace {

const bool nats_per_token_registered = MetricRegistry::instance().add(
    loss_metric,
    {.unit = "nats per token",
     .definition = "mean of -ln p(token | tokens before it) over the scored tokens",
     .proportional_to_nats = true,
     .of_losses = [](const TokenSum& losses, Index) -> std::optional<double> { return losses.mean(); }});

}  // namespace

}  // namespace locus
