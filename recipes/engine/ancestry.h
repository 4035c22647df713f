// What a run takes over from the one that it begins with: `from` of a recipe.
#pragma once

#include <string>

#include "recipes/engine/layer.h"

namespace locus {

/// The run at which another one begins.
struct Ancestor {
    Layer layer;    // what its recipe says
    Recipe recipe;  // as read; lengths and batches are those that it was trained with
    Index step = 0;
    Index tokens = 0;  // that it has seen, those of its own ancestors included
};

/// Opens a run folder or a checkpoint at a step (-1: the newest). Throws a storage Error where there is none.
Ancestor read_ancestor(const std::string& path, Index step, const Schema& schema);

/// Lays `layer` over what it takes from `ancestor`: its model, mask, tokenizer and encoding, key by key, so
/// that neither a base nor a scaling is lost where a recipe does not repeat it. Another kind of encoding
/// takes nothing of the old one; another rule of scaling takes the original length only. Fills in
/// from.step, from.original_length and from.seen_tokens.
void inherit(Layer& layer, const Ancestor& ancestor, const Source& source, const Schema& schema);

}  // namespace locus
