// From a recipe file to its cells: arms, grids, overrides.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "recipes/engine/config/recipe_file.h"

namespace locus {

/// One run of an experiment.
struct Cell {
    std::string name;        // of its folder: what varies, "rope,seed=0"; the file's stem where nothing does
    std::string title = {};  // the same in full, where it is too long for a folder; else ""
    Recipe recipe;
    std::vector<std::string> notes;  // for the log: what was rounded
    std::string source = {};         // the cell that it begins with, of `from.arm`
    // Of the run that it begins with; none where a resolved recipe has inherited already.
    std::shared_ptr<const Recipe> ancestor = {};
    std::vector<std::string> varied = {};  // sections and dotted keys that an arm or a grid sets, in any cell
    // Names of all cells of the recipe, also of arms that were not chosen.
    std::shared_ptr<const std::vector<std::string>> siblings = {};
    bool asked = true;  // false: only because an arm that was chosen begins with it
};

/// The run folder of the cell of a name, where it has been started before.
using EarlierRuns = std::function<std::filesystem::path(const std::string& name)>;

/// Expands a recipe, over its bases, into cells: arms outermost, then the other axes in the order written,
/// the last one fastest. `overrides` are key=value; they lie over everything. They may replace an axis
/// (vary.train.seed=[0]) or all of them (vary={}), choose arms (vary.arm=[rope]; these bring the arms that
/// they begin with, and are the same cells as without the choice) and change one arm
/// (vary.arm.rope.train.lr=1e-3), but set nothing else that varies. First all text is laid over each other;
/// then it is typed, filled in and checked, cell by cell. A cell with `from` takes over what it does not say
/// itself; where the run that from.run names is gone, from the cell's own folder in `earlier`, which needs no
/// more than that. Throws a usage Error, and a storage Error where from.run cannot be read.
std::vector<Cell> expand(const RecipeFile& file, const std::vector<std::string>& overrides,
                         const Schema& schema, const EarlierRuns& earlier = {});

/// The cell that is asked for, where a command is about one. Throws a usage Error where there are several,
/// that says how one is chosen; `hint` ("..., ") is what else to do.
Cell one_cell(std::vector<Cell> cells, const std::string& path, const std::string& hint = "");

}  // namespace locus
