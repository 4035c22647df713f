// manifest.json: where, when and on what a run ran, and the ledger of what must be equal between arms.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "framework/core/batch_source.h"
#include "models/transformer.h"
#include "recipes/engine/config/vary.h"
#include "recipes/engine/run/workbench.h"

namespace locus {

/// The manifest of a run that begins. `index` is the cell's place in its experiment; `threads` are a rank's.
nlohmann::json first_manifest(const Cell& cell, Index index, const Transformer& model, const LoadedData& data,
                              const BatchSource& source, int threads, int ranks);

/// XXH3-128 of the initial values that arms share: all parameters but those of the encoding. REQUIRES: not
/// trained yet.
std::string initial_value_hash(const Transformer& model);

/// Of the parameters, as `locus inspect` shows it for a checkpoint.
std::string parameters_hash(const Transformer& model);

/// XXH3-128 of a resolved recipe without what changes no training: question, evaluation, search, table, and
/// which checkpoints are kept.
std::string training_hash(Recipe recipe);

}  // namespace locus

namespace locus {

/// folder/manifest.json; an empty object where there is none. Throws a storage Error for what is no object.
nlohmann::json stored_manifest(const std::filesystem::path& folder);

/// Sets fields of folder/manifest.json and writes it. Throws a storage Error.
void update_manifest(const std::filesystem::path& folder, const nlohmann::json& fields);

}  // namespace locus
