// What a card says of the masks: who sees whom in each layer, and how far back that reaches.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "recipes/engine/config/recipe.h"

namespace locus {

/// Adds to a card: windows[layer] (keys, the query included; 0: all), dilations[layer], mask[i][j] (of the
/// first 128 tokens, in layer 0), masks[{layers[], window, dilation, mask[i][j]}] of the layers that differ,
/// and receptive_path{length, layers_to_distance[n] (the fewest layers that carry what is n tokens back to
/// the last of `length` tokens; null: no path), farthest (tokens back, through all layers), reach (farthest +
/// 1: itself included), gaps[] (distances below the farthest without a path), reach_of_windows (without the
/// end of the sequence: n (W - 1) + 1 for n equal windows; null where a layer sees all or tokens are
/// global)}.
void add_masks(nlohmann::json& card, const Recipe& recipe, Index length);

/// The masks and the receptive path of a card as text.
std::string masks_text(const nlohmann::json& card);

/// The conventions of the mask, in words.
std::string mask_convention(const MaskOptions& mask);

}  // namespace locus
