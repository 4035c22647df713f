// From a recipe file to its cells: arms, grids, overrides.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "recipes/engine/config/schema.h"

namespace locus {

/// A recipe as it stands in its file.
struct RecipeFile {
    std::string path;
    Value root;
};

/// Reads a recipe file. Throws a usage Error, with file and line, for what is not YAML or not a map.
RecipeFile read_recipe(const std::string& path);

/// One run of an experiment.
struct Cell {
    std::string name;  // of its folder: what varies, "rope,seed=0"; the file's stem where nothing does
    Recipe recipe;
    std::vector<std::string> notes;  // for the log: what was rounded
    std::string source = {};         // the cell that it begins with, of `from.arm`
    // Of the run that it begins with; none where a resolved recipe has inherited already.
    std::shared_ptr<const Recipe> ancestor = {};
    std::vector<std::string> varied = {};  // sections and dotted keys that an arm or a grid sets, in any cell
};

/// Expands `vary` into cells: arms outermost, then the grids in the order written, the last one fastest.
/// `overrides` are key=value; they lie over everything, and may replace a grid (vary.train.seed=[0]) or all
/// of them (vary={}), but not a value that varies. Every cell is resolved and checked. A cell with `from`
/// takes over what it does not say itself. Throws a usage Error, and a storage Error where from.run cannot be
/// read.
std::vector<Cell> expand(const RecipeFile& file, const std::vector<std::string>& overrides,
                         const Schema& schema);

}  // namespace locus
