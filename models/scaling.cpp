#include "models/scaling.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace locus {

namespace {

const std::string scaling_prefix = "scaling.";

}  // namespace

Index Scaling::original_length(Index train_length) const {
    if (!options.has("original_length")) return train_length;
    const Index said = options.integer("original_length");
    return said > 0 ? said : train_length;
}

double Scaling::factor() const {
    return options.has("factor") ? options.number("factor") : 0;
}

std::vector<Option> scaling_options(const std::string& rule) {
    std::vector<Option> all = {{.name = scaling_prefix + "type",
                                .standard = rule,
                                .doc = "rope_type: the rule that extends the context"}};
    for (Option option : FrequencyRegistry::instance().at(rule).options) {
        option.name = scaling_prefix + option.name;
        all.push_back(std::move(option));
    }
    return all;
}

Scaling scaling_of(const Options& encoding) {
    Scaling scaling;
    if (!encoding.has(scaling_prefix + "type")) return scaling;
    scaling.type = encoding.text(scaling_prefix + "type");
    scaling.options = Options(FrequencyRegistry::instance().at(scaling.type).options);
    for (const auto& [name, value] : encoding.values()) {
        if (name.starts_with(scaling_prefix) && name != scaling_prefix + "type")
            scaling.options.set(name.substr(scaling_prefix.size()), value);
    }
    return scaling;
}

std::vector<Option> extension_options(std::vector<Option> own) {
    std::vector<Option> all = {
        {.name = "factor",
         .standard = 0.0,
         .doc = "target length / original length, 1 or more; 0: from target_length",
         .min = 0},
        {.name = "original_length",
         .standard = Index{0},
         .doc = "original_max_position_embeddings: tokens that the model was trained on before anything was "
                "extended; 0: the root run's train.length",
         .min = 0},
        {.name = "target_length",
         .standard = Index{0},
         .doc = "tokens that shall fit: factor x original_length; 0: not said",
         .min = 0}};
    all.insert(all.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
    return all;
}

std::string in_other_words(const std::string& option) {
    return option == "factor" ? "target_length" : option == "target_length" ? "factor" : "";
}

bool is_of_the_model(const std::string& option) {
    return option == "original_length";
}

void resolve_scaling(Options& encoding, Index root_length) {
    const std::string original = scaling_prefix + "original_length", factor = scaling_prefix + "factor";
    if (!encoding.has(original)) return;
    if (encoding.integer(original) == 0) encoding.set(original, root_length);
    if (!encoding.has(factor) || !encoding.has(scaling_prefix + "target_length")) return;
    const Scaling scaling = scaling_of(encoding);
    const FrequencyRule& rule = FrequencyRegistry::instance().at(scaling.type);
    if (rule.needs_no_factor && rule.needs_no_factor(scaling.options)) return;
    encoding.set(factor, factor_of(scaling.type, encoding.integer(original), scaling.options));
}

std::optional<double> base_of(const Options& encoding) {
    if (!encoding.has("base")) return std::nullopt;
    return encoding.number("base");
}

std::vector<double> factors_of(const FrequencyRule& rule, const FrequencyRequest& request, double factor) {
    Options options(rule.options);
    options.set("factor", factor);
    std::vector<double> factors = rule.frequencies(request, options).inverse;
    const std::vector<double> plain = plain_frequencies(request);
    for (std::size_t i = 0; i < factors.size(); ++i) factors[i] = plain[i] / factors[i];
    return factors;
}

RuleChoices by_factor(double factor, Index) {
    return {{"factor", factor}};
}

double factor_of(const std::string& rule, Index trained_length, const Options& options) {
    const double said = options.number("factor");
    const Index target = options.integer("target_length");
    require(said == 0 || said >= 1, "scaling {}: factor: expected 1 or more, found {}", rule, said);
    require(said > 0 || target > 0,
            "scaling {}: expected factor, or target_length to take it from; found neither", rule);
    require(trained_length >= 1, "scaling {}: original_length: expected 1 or more tokens, found {}", rule,
            trained_length);
    if (target == 0) return said;
    require(target >= trained_length,
            "scaling {}: target_length {} is less than the {} tokens of original_length (factor < 1)", rule,
            target, trained_length);
    const double reach = said * static_cast<double>(trained_length);
    require(said == 0 || std::abs(reach - static_cast<double>(target)) <= 1e-9 * reach,
            "scaling {}: factor {} x original_length {} is {}, but target_length is {}", rule, said,
            trained_length, reach, target);
    return said > 0 ? said : static_cast<double>(target) / static_cast<double>(trained_length);
}

double distance_factor(const Scaling& scaling, Index train_length) {
    if (scaling.type == "plain") return 1;
    return factor_of(scaling.type, scaling.original_length(train_length), scaling.options);
}

std::vector<double> plain_frequencies(const FrequencyRequest& request) {
    std::vector<double> inverse;
    for (Index i = 0; i < request.width / 2; ++i) {
        const double exponent = -2 * static_cast<double>(i) / static_cast<double>(request.width);
        inverse.push_back(std::pow(request.base, exponent));
    }
    return inverse;
}

std::vector<double> trained_turns(const FrequencyRequest& request) {
    std::vector<double> turns;
    for (double theta : plain_frequencies(request))
        turns.push_back(static_cast<double>(request.trained_length) * theta / (2 * std::numbers::pi));
    return turns;
}

std::vector<double> blended(const FrequencyRequest& request, double factor, const std::vector<double>& kept) {
    std::vector<double> inverse = plain_frequencies(request);
    if (factor == 1) return inverse;
    for (std::size_t i = 0; i < inverse.size(); ++i)
        inverse[i] = inverse[i] / factor * (1 - kept[i]) + inverse[i] * kept[i];
    return inverse;
}

double pair_of_turns(const std::string& rule, const FrequencyRequest& request, double turns) {
    require(request.base > 1, "scaling {}: base: expected more than 1, found {}", rule, request.base);
    const double wavelength = static_cast<double>(request.trained_length) / (2 * std::numbers::pi * turns);
    return static_cast<double>(request.width) * std::log(wavelength) / (2 * std::log(request.base));
}

std::vector<double> index_ramp(Index pairs, double low, double high) {
    const double width = low == high ? 0.001 : high - low;  // as the authors' code has it
    std::vector<double> ramp;
    for (Index i = 0; i < pairs; ++i)
        ramp.push_back(std::clamp((static_cast<double>(i) - low) / width, 0.0, 1.0));
    return ramp;
}

}  // namespace locus
