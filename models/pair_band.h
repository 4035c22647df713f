// A band of pairs that is treated in a way of its own: which pairs break a model beyond its length?
#pragma once

#include "models/frequency_rule.h"

namespace locus {

/// The options band, band_form and band_factor.
std::vector<Option> band_options();

/// Whether an option of an encoding is one of these.
bool is_of_band(const std::string& option);

/// Changes the frequencies of the band that the options name, and says so in the conventions. Throws a usage
/// Error for a band that is no range of pairs.
void apply_band(Frequencies& frequencies, const Options& options);

}  // namespace locus
