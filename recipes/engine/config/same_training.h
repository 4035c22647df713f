// In which keys two resolved recipes differ, and whether they train the same model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "recipes/engine/config/schema.h"

namespace locus {

/// A key with its values; "" where a recipe does not have it.
struct KeyDifference {
    std::string path, here, there;
};

/// The keys by which two resolved recipes differ, every default filled in: a key that the text of an older
/// Locus lacks has its default. `there` is the text of the recipe at `place`. Throws a usage Error where it
/// cannot be read.
std::vector<KeyDifference> differing_keys(const std::string& here, const std::string& there,
                                          const std::string& place, const Schema& schema);

/// Whether a key changes nothing of what is trained: question, evaluate, table, search, and which checkpoints
/// stay.
bool is_beside_training(const std::string& path);

/// The first difference that trains another model: "... train.lr: 0.01 there, 0.02 here"; nothing where there
/// is none.
std::optional<std::string> training_difference(const std::vector<KeyDifference>& differences);

}  // namespace locus
