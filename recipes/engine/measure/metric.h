// What is measured: names, units and directions, one file each in metrics/.
#pragma once

#include <optional>
#include <string>

#include "framework/core/registry.h"
#include "recipes/engine/statistics/bootstrap.h"

namespace locus {

/// A number that an evaluation can report.
struct Metric {
    std::string unit;        // "bits per byte"
    std::string definition;  // a sentence, for `locus list metrics`
    bool higher_is_better = false;
    int decimals = 4;
    bool proportional_to_nats = false;  // of one text: its interval is that of the nats, scaled

    /// The metric of scored tokens and the bytes that they are; nothing where it has none. Unset for what a
    /// protocol works out by itself.
    std::optional<double> (*of_losses)(const TokenSum& losses, Index bytes) = nullptr;

    /// What it has to be where a token (a `unit`, such as "byte") has so many nats; unset or nothing where
    /// that does not follow.
    std::optional<double> (*from_nats)(double nats_per_token, const std::string& unit) = nullptr;
};

using MetricRegistry = Registry<Metric>;

/// The loss that everything else is worked out from.
inline const char* const loss_metric = "nats_per_token";

}  // namespace locus
