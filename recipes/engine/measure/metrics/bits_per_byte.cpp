#include <numbers>
#include "recipes/engine/measure/metric.h"

namespace locus {

namespace {

std::optional<double> of_losses(const TokenSum& losses, Index bytes) {
    if (bytes <= 0) return std::nullopt;
    return losses.nats / static_cast<double>(bytes) / std::numbers::ln2;
}

// Where tokens are no bytes, nats per token do not tell it.
std::optional<double> from_nats(double nats, const std::string& unit) {
    if (unit != "byte") return std::nullopt;
    return nats / std::numbers::ln2;
}

const bool bits_per_byte_registered = MetricRegistry::instance().add(
    "bits_per_byte", {.unit = "bits per byte",
                      .definition = "nats of the scored tokens / ln 2 / the bytes that they are",
                      .proportional_to_nats = true,
                      .of_losses = of_losses,
                      .from_nats = from_nats});

}  // namespace

}  // namespace locus
