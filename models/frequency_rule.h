// How inverse frequencies of a rotation follow from the model and the length.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/registry.h"

namespace locus {

/// Inverse frequencies in radians per position, [pairs], and one magnitude for cosine and sine.
struct Frequencies {
    std::vector<double> inverse = {};
    double magnitude = 1;
    std::optional<double> base = {};                      // where the rule changes it: base^(-2i / width)
    std::vector<double> early = {};                       // [pairs], of the positions below `early_positions`
    std::int64_t early_positions = 0;                     // LongRoPE's n-hat; 0: `early` is not in use
    double early_magnitude = 1;                           // instead of `magnitude`, at those positions
    std::map<std::string, std::string> conventions = {};  // for the card
};

/// Options of a rule by name, and their values.
using RuleChoices = std::vector<std::pair<std::string, OptionValue>>;

struct FrequencyRequest {
    Index width = 0;  // rotated dimensions of a head: twice the pairs
    double base = 10000;
    Index trained_length = 0;  // tokens: original_max_position_embeddings
    Index length = 0;          // tokens, now
};

/// What a search over the pairs has found.
struct FoundFactors {
    std::vector<double> of_pairs;  // theta / theta of the rule, [pairs]
    bool within = false;           // of the trained length; all else stays as the model has it
    double reach = 1;              // times the trained length
    Index first_positions = 0;     // below it the plain frequencies stay
    double magnitude = 0;          // on cosine and sine; 0: the rule's own
};

/// What the registry holds of a rule. One file each in models/frequencies/, which registers itself.
struct FrequencyRule {
    std::string doc;
    std::vector<Option> options;
    bool varies_by_length = false;
    /// Lengths of one class have the same frequencies; only of a rule that varies by length.
    std::function<Index(Index length, Index trained_length)> length_class = nullptr;
    /// The options under which the rule reaches `factor` times the trained length with so many pairs; a
    /// factor of 1 must give plain RoPE, bit for bit, which `locus verify` holds it to. Empty: the rule has
    /// no such options, and this is not checked.
    std::function<RuleChoices(double factor, Index pairs)> reaching = nullptr;
    /// Whether a factor of 1 is plain RoPE up to the trained length only: beyond, the rule follows the
    /// length.
    bool plain_within_only = false;
    /// Whether options of a rule with a factor leave it open, though nothing needs it; empty: never.
    std::function<bool(const Options&)> needs_no_factor = nullptr;
    /// The options that say what a search has found; only of the rule that is searched for.
    std::function<RuleChoices(const FoundFactors&)> of_found = nullptr;
    /// Factors of the pairs, [pairs] each, with which a search for `factor` begins and whose rule it is held
    /// against; none where the rule cannot reach it. Empty: searches leave the rule aside.
    std::function<std::vector<std::vector<double>>(const FrequencyRequest&, double factor)> search_seeds =
        nullptr;
    /// Throws a usage Error for options that make no sense, whatever the length.
    std::function<Frequencies(const FrequencyRequest&, const Options&)> frequencies;
};

using FrequencyRegistry = Registry<FrequencyRule>;

}  // namespace locus
