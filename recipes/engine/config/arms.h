// `vary.arm`: named bundles of changes, written one by one or as products.
#pragma once

#include <string>
#include <vector>

#include "recipes/engine/config/overlay.h"

namespace locus {

/// Whether `c` may stand in the name of a cell: a folder, on any system.
bool fits_folder_name(char c);

/// A value of an axis of cells: an arm, a bundle or a number.
struct Choice {
    std::string label;  // the arm's name, or the value as written
    Overlay overlay;
    Source source;
};

/// An axis within arms that are products, and what its values are called.
struct ArmPart {
    std::string name;
    std::vector<std::string> values;

    bool operator==(const ArmPart&) const = default;
};

struct Arms {
    std::vector<Choice> choices;
    std::vector<ArmPart> parts;  // the slowest first
};

/// Reads arms: { name: N, changes ... }, and products of them, which have `product` (axes, and zip), `except`
/// and `when`; {axis} in a product's name and changes stands for the name of that axis's value. Without a
/// name, the names of the values are joined by "-". Throws a usage Error for arms without a name or with the
/// same one.
Arms read_arms(const Value& list, const Schema& schema);

/// Throws the usage Error of a key that cannot differ between cells.
void check_variable(const std::string& key, const Source& source);

}  // namespace locus
