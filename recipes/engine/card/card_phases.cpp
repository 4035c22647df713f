#include "recipes/engine/card/card_phases.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "models/pair_band.h"
#include "models/scaling.h"
#include "recipes/engine/run/workbench.h"

namespace locus {

namespace {

using nlohmann::json;

std::vector<double> inverse_at(const Transformer& model, Index length) {
    EncodingCard card;
    CardRequest request;
    request.length = length;
    model.encoding().describe(card, request);
    return card.inv_freq;
}

// The encoding before anything was extended: without a rule, and without a band where another run was the
// root.
EncodingOptions unscaled(const Recipe& recipe) {
    const EncodingEntry& entry = EncodingRegistry::instance().at(recipe.encoding.kind);
    EncodingOptions plain{recipe.encoding.kind, Options(options_under(entry))};
    for (const auto& [name, value] : recipe.encoding.options.values()) {
        if (name.starts_with("scaling.") || (recipe.from.given() && is_of_band(name))) continue;
        plain.options.set(name, value);
    }
    return plain;
}

Index target_of(const Recipe& recipe, Index original, Index length) {
    if (length > original) return length;
    const Scaling scaling = scaling_of(recipe.encoding.options);
    const bool has_target = !FrequencyRegistry::instance().at(scaling.type).plain_within_only;
    if (has_target && scaling.factor() > 1)
        return static_cast<Index>(std::llround(scaling.factor() * static_cast<double>(original)));
    return recipe.evaluate.lengths.back();
}

double turns(double inverse, Index length) {
    return static_cast<double>(length - 1) * inverse / (2 * std::numbers::pi);
}

}  // namespace

json phases_of(const Recipe& recipe, const Transformer& model, Index length) {
    const EncodingEntry& entry = EncodingRegistry::instance().at(recipe.encoding.kind);
    if (!entry.reads(1) || inverse_at(model, recipe.train.length).empty()) return nullptr;
    const Scaling scaling = scaling_of(recipe.encoding.options);
    const Index original = scaling.original_length(root_length(recipe));
    Recipe before = recipe;
    before.encoding = unscaled(recipe);
    const std::vector<double> plain = inverse_at(*make_model(before), original);
    const bool trains = !recipe.from.given() || recipe.train.steps() > 0;
    const Index reach = recipe.data.positions.span(recipe.train.length);
    const std::vector<double> own = inverse_at(model, reach);
    const Index target = target_of(recipe, original, length);
    const std::vector<double> there = inverse_at(model, target);
    json out = {{"trained_length", original}, {"target_length", target}, {"pairs", json::array()}};
    out["unseen_pairs"] = json::array();
    for (std::size_t i = 0; i < there.size(); ++i) {
        const double seen = std::max(turns(plain[i], original), trains ? turns(own[i], reach) : 0.0);
        const double wanted = turns(there[i], target);
        const double covered = std::min(1.0, wanted);
        const double unseen = covered > 0 ? std::max(0.0, covered - std::min(1.0, seen)) / covered : 0.0;
        out["pairs"].push_back(
            {{"pair", i}, {"trained_turns", seen}, {"target_turns", wanted}, {"unseen", unseen}});
        if (unseen > 1e-9) out["unseen_pairs"].push_back(i);
    }
    return out;
}

std::string phases_text(const nlohmann::json& phases) {
    if (phases.is_null()) return "";
    std::string text = fmt::format(
        "\nphases at {} tokens of a model trained at {}: {} of {} pairs meet angles that training did not "
        "show\n  {:>4}  {:>14}  {:>14}  {:>14}\n",
        phases["target_length"].dump(), phases["trained_length"].dump(), phases["unseen_pairs"].size(),
        phases["pairs"].size(), "pair", "turns trained", "turns there", "unseen");
    for (const auto& pair : phases["pairs"]) {
        text += fmt::format("  {:>4}  {:>14.6g}  {:>14.6g}  {:>13.0f}%\n", pair["pair"].get<int>(),
                            pair["trained_turns"].get<double>(), pair["target_turns"].get<double>(),
                            100 * pair["unseen"].get<double>());
    }
    return text;
}

}  // namespace locus
