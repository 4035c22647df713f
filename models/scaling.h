// What the rules of context extension share: their options in a recipe, and the factor that these stand for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/frequency_rule.h"

namespace locus {

/// `encoding.scaling` of a recipe: a rule and its options.
struct Scaling {
    std::string type = "plain";
    Options options = {};

    Index original_length(Index train_length) const;  // tokens: the option, else the training length
    double factor() const;                            // 0 where it is not said, or the rule has none
};

/// The options of a rule as an encoding carries them: scaling.type, scaling.factor, ...
std::vector<Option> scaling_options(const std::string& rule);

/// The rule among the options of an encoding; "plain" where they name none.
Scaling scaling_of(const Options& encoding);

/// factor, original_length and target_length, before the options of a rule's own.
std::vector<Option> extension_options(std::vector<Option> own = {});

/// What says the same as one of these in other words; "" where nothing does.
std::string in_other_words(const std::string& option);

/// Whether an option is about the model before it was extended, whichever rule extends it.
bool is_of_the_model(const std::string& option);

/// Writes down what the rule of an encoding takes from elsewhere: the original length, and the factor that
/// follows from a target. Throws as factor_of() does.
void resolve_scaling(Options& encoding, Index root_length);

/// The base of an encoding's frequencies; nothing where it has none.
std::optional<double> base_of(const Options& encoding);

/// theta of plain RoPE / theta of the rule, [pairs].
std::vector<double> factors_of(const FrequencyRule& rule, const FrequencyRequest& request, double factor);

/// FrequencyRule::reaching of a rule whose only such option is its factor.
RuleChoices by_factor(double factor, Index pairs);

/// How many times the trained length the context shall hold. Throws a usage Error for a factor below 1, for
/// neither a factor nor a target, and where factor x trained length is not the target.
double factor_of(const std::string& rule, Index trained_length, const Options& options);

/// The factor of an encoding without frequencies that divides its distances: 1 where nothing is scaled.
double distance_factor(const Scaling& scaling, Index train_length);

/// base^(-2i / width), the table that every rule starts from.
std::vector<double> plain_frequencies(const FrequencyRequest& request);

/// Turns of each pair over the trained length, L theta / 2 pi.
std::vector<double> trained_turns(const FrequencyRequest& request);

/// theta (w + (1 - w) / factor): pairs of weight 1 are kept, of weight 0 interpolated. A factor of 1 gives
/// the plain table, bit for bit.
std::vector<double> blended(const FrequencyRequest& request, double factor, const std::vector<double>& kept);

/// The (real) index of the pair that turns `turns` times over the trained length:
/// d ln(L / (2 pi turns)) / (2 ln base). Throws a usage Error for a base of 1.
double pair_of_turns(const std::string& rule, const FrequencyRequest& request, double turns);

/// 0 up to index `low`, 1 from `high`, linear in between, [pairs]. Equal ends are a step.
std::vector<double> index_ramp(Index pairs, double low, double high);

}  // namespace locus
