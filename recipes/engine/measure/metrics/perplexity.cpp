#include <cmath>
#include "recipes/engine/measure/metric.h"

namespace locus {

namespace {

const bool perplexity_registered = MetricRegistry::instance().add(
    "perplexity",
    {.unit = "perplexity",
     .definition = "exp of the nats per token",
     .decimals = 3,
     .of_losses = [](const TokenSum& losses, Index) -> std::optional<double> { return losses.perplexity(); },
     .from_nats = [](double nats, const std::string&) -> std::optional<double> { return std::exp(nats); }});

}  // namespace

}  // namespace locus
