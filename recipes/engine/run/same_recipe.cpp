#include "recipes/engine/run/same_recipe.h"

#include "framework/core/error.h"
#include "recipes/engine/run/workbench.h"

namespace locus {

std::vector<KeyDifference> require_same_training(const std::string& here, const std::string& there,
                                                 const std::string& place, const std::string& what) {
    std::vector<KeyDifference> differences;
    try {
        differences = differing_keys(here, there, place, recipe_schema());
    } catch (const Error& error) {
        fail(Failure::storage, "{}: its recipe cannot be read: {}", place, error.what());
    }
    const auto difference = training_difference(differences);
    require(!difference, Failure::storage, "{}: {}: {}", place, what, difference.value_or(""));
    return differences;
}

}  // namespace locus
