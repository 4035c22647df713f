// What other systems mean by the name of an encoding: options under a name such as rope@llama.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace locus {

/// Options of an encoding as a system has them. Everything that it leaves out keeps its standard value.
struct Preset {
    std::string name;  // "rope@llama": the kind, and whose
    std::string doc;
    std::map<std::string, std::string> options;  // as a recipe would say them

    std::string kind() const { return name.substr(0, name.find('@')); }
};

/// The presets, by kind.
const std::vector<Preset>& standard_presets();

/// The preset of that name, or nullptr.
const Preset* find_preset(const std::vector<Preset>& presets, const std::string& name);

/// The name that is nearest to `name`; "" where there is none.
std::string nearest_preset(const std::vector<Preset>& presets, const std::string& name);

}  // namespace locus
