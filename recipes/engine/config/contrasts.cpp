#include "recipes/engine/config/contrasts.h"

#include <algorithm>

#include "framework/core/error.h"

namespace locus {

std::optional<std::pair<std::string, std::string>> arms_of_contrast(const std::string& contrast) {
    const std::string minus = " - ";
    const std::size_t at = contrast.find(minus);
    if (at == std::string::npos || at == 0 || at + minus.size() == contrast.size() ||
        contrast.find(minus, at + 1) != std::string::npos)
        return std::nullopt;
    return std::pair(contrast.substr(0, at), contrast.substr(at + minus.size()));
}

void check_contrasts(const std::vector<std::string>& contrasts, const std::vector<Axis>& axes,
                     const std::string& place) {
    const bool has_arms = !axes.empty() && axes.front().name == "arm";
    for (const std::string& contrast : contrasts) {
        const auto arms = arms_of_contrast(contrast);
        require(arms && arms->first != arms->second,
                "{}: table.contrasts: expected 'A - B' with the names of two arms, found '{}'", place,
                contrast);
        if (!has_arms) continue;
        const auto& choices = axes.front().choices;
        for (const std::string& arm : {arms->first, arms->second}) {
            const bool known = std::any_of(choices.begin(), choices.end(),
                                           [&](const Choice& choice) { return choice.label == arm; });
            require(known, "{}: table.contrasts: '{}': there is no arm '{}' in `vary`", place, contrast, arm);
        }
    }
}

}  // namespace locus
