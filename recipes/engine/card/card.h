// The card of a model's encoding: every number and convention that its recipe resolved to.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/transformer.h"
#include "recipes/engine/config/recipe.h"

namespace locus {

/// What a card shows beside the encoding's constants.
struct CardQuestion {
    std::vector<std::int64_t> positions =
        {};            // of cos, sin and embedding; none: 0, 1, ... 7, within the length
    Index length = 0;  // tokens that the model runs on; 0: the training length
};

/// A card as text: lists are cut to what a reader can take in.
std::string card_text(const nlohmann::json& card);

/// The card of `model`, made by `recipe`: kind, options{}, conventions{}, base, length, inv_freq[] (radians
/// per position), pair_axis[], learned_inv_freq[layer][axis][head * pairs], magnitude, zeta[] and
/// query_magnitude[position][pair] and key_magnitude (xPos: beside cos and sin), logit_scale, trained_arc[]
/// (turns over the positions of training, L theta / 2 pi; text only), phases{} (see card_phases.h), slopes[],
/// distances[], rows[], bias[head][k], positions[], cos[position][pair], sin, embedding[position][width], the
/// masks (see card_mask.h), parameters. Tables in double; what an encoding lacks is empty or null. Throws a
/// usage Error for a length below 1 and for positions that the encoding cannot hold.
nlohmann::json card_json(const Recipe& recipe, const Transformer& model, const CardQuestion& question);

}  // namespace locus
