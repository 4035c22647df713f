// What a recipe declares as varied, so that the ledger of a table can tell it from what differs unsaid.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "recipes/engine/report/table_source.h"

namespace locus {

/// The axes of the cells, and what the arms set where the manifests tell.
struct Declared {
    std::set<std::string> keys;
    bool arms = false;        // there is an axis of arms
    bool arms_known = false;  // and the manifests say what they set

    /// Whether this key is declared, a part of what is, or follows from it.
    bool holds(const std::string& key) const;
    /// Whether some key of these sections, or of these names, is declared.
    bool any_of_sections(const std::vector<std::string>& parts) const;
};

Declared declared_of(const TableSource& source);

/// What the manifests record and all arms must share, unless they differ in a key that it follows.
enum class SharedFact { data_order, evaluation_items, initial_values, training_tokens };

/// The values of the keys that a fact of this run follows: runs that agree in them must agree in the fact.
std::vector<std::string> keys_followed(SharedFact fact, const RunFolder& run);

}  // namespace locus
