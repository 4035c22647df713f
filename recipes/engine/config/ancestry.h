// What a run takes over from the one that it begins with: `from` of a recipe.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "framework/io/checkpoint.h"
#include "recipes/engine/config/overlay.h"

namespace locus {

/// The run at which another one begins.
struct Ancestor {
    Overlay overlay;  // its resolved recipe, every key
    Recipe recipe;    // lengths and batches are those that it was trained with
    Index step = 0;
    Index tokens = 0;  // that it has seen, those of its own ancestors included
};

/// The run of a recipe whose function is resolved (resolve_function), after so many steps. `source` stands in
/// an error about what is inherited.
Ancestor ancestor_of(const Recipe& recipe, Index step, const Source& source, const Schema& schema);

/// The recipe of a checkpoint, its function resolved. `place` stands in an error about it.
Recipe recipe_in(const Checkpoint& checkpoint, const std::string& place, const Schema& schema);

/// Opens a run folder or a checkpoint at a step (-1: the newest). Throws a storage Error where there is none.
Ancestor read_ancestor(const std::string& path, Index step, const Source& source, const Schema& schema);

/// What an earlier start of a run took over, as the resolved recipe in its run folder tells, for when the run
/// that it began with is no longer where it was; nothing where there is none, or where it began elsewhere
/// than `from` says.
std::optional<Ancestor> remembered_ancestor(const std::filesystem::path& run_folder, const FromOptions& from,
                                            const Source& source, const Schema& schema);

/// Whether an overlay holds already what it inherits, as a resolved recipe does.
bool has_inherited(const Overlay& overlay);

/// Gives `overlay` every key of the ancestor's model, encoding and mask that `said` does not say, one by one:
/// whoever names a window keeps the global tokens. `said` is the part of `overlay` that was written for this
/// run; the rest of `overlay`, what a recipe says to all of its arms, stands below an ancestor that is one of
/// them. The whole of `overlay` may say train.length, the tokenizer and the source of positions, which are
/// the ancestor's otherwise. Who says mask.window: 0 leaves what belongs to a window behind. Another kind of
/// encoding, or a preset, which is a whole encoding, takes nothing of the old one; another rule of scaling
/// takes the original length only. Fills in from.step, from.original_length and from.seen_tokens.
void inherit(Overlay& overlay, const Overlay& said, const Ancestor& ancestor, const Source& source,
             const Schema& schema);

}  // namespace locus
