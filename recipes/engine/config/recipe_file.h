// A recipe as it stands in its file, and over its bases.
#pragma once

#include <optional>
#include <string>

#include "recipes/engine/config/overlay.h"

namespace locus {

/// A recipe as it stands in its file.
struct RecipeFile {
    std::string path;
    Value root;
};

/// Reads a recipe file. Throws a usage Error, with file and line, for what is not YAML or not a map.
RecipeFile read_recipe(const std::string& path);

/// What a recipe and its bases say, as text.
struct RecipeText {
    Overlay overlay;
    std::optional<Value> vary, cell;
};

/// Lays a recipe over the file that its `base:` names, that over its own base, and so on; paths begin at the
/// folder of the file that says them. Axes of `vary` replace those of the base by name, and its other axes
/// follow them; a base's `cell` is left behind. Throws a usage Error for a file that cannot be read and for a
/// circle.
RecipeText read_text(const RecipeFile& file, const Schema& schema);

}  // namespace locus
