// The parameters that a run with `from` begins with.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "models/transformer.h"
#include "recipes/engine/config/vary.h"
#include "recipes/engine/identity/manifest.h"

namespace locus {

/// Steps of this recipe's size that its ancestors have taken: where the order of the training text goes on.
Index steps_before(const Recipe& recipe);

/// Where a run came from.
struct Beginning {
    Origin origin;
    std::vector<std::string> notes;
    // Of the ancestor: its tokenizer and, where the recipe means the same text, its corpus.
    Identity identity;
};

/// Throws a storage Error where the parameters of a cell's ancestor do not fit the cell's model, as far as
/// recipes tell: before anything is trained.
void check_beginning(const Cell& cell);

/// Gives `model` the parameters, by name, of the checkpoint that `cell` begins with; `folder` is the cell's
/// own, beside which the other cells of the experiment lie. An encoding of another kind keeps its drawn
/// parameters. Throws a storage Error where the checkpoint is missing, or where names or shapes differ.
Beginning begin_from(const Cell& cell, const std::filesystem::path& folder, Transformer& model);

}  // namespace locus
