// What a run that begins puts into its manifest.
#pragma once

#include <string>

#include "framework/core/batch_source.h"
#include "models/transformer.h"
#include "recipes/engine/config/vary.h"
#include "recipes/engine/identity/manifest.h"
#include "recipes/engine/run/workbench.h"

namespace locus {

/// The manifest of a run that begins. `index` is the cell's place in its experiment.
Manifest first_manifest(const Cell& cell, Index index, const Transformer& model, const LoadedData& data,
                        const BatchSource& source, Workbench& bench);

/// Sets what says which cell of which experiment a folder holds. `index` as above.
void name_cell(Manifest& manifest, const Cell& cell, Index index);

/// XXH3-128 of the initial values that arms share: all parameters but those of the encoding. REQUIRES: not
/// trained yet.
std::string initial_value_hash(const Transformer& model);

/// Of the parameters, as `locus inspect` shows it for a checkpoint.
std::string parameters_hash(const Transformer& model);

/// XXH3-128 of a resolved recipe without what changes no training: question, evaluation, search, table, and
/// which checkpoints are kept.
std::string training_hash(Recipe recipe);

}  // namespace locus
