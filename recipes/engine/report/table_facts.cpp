#include "recipes/engine/report/table_facts.h"

#include <algorithm>

#include "recipes/engine/report/table_words.h"

namespace locus {

bool alike(const Facts& facts) {
    return std::all_of(facts.begin(), facts.end(),
                       [&](const auto& at) { return at.second == facts.front().second; });
}

namespace {

using Texts = std::vector<std::string>;

// Arms by value, each once, in order.
std::vector<std::pair<std::string, Texts>> grouped_by_value(const Facts& facts) {
    std::vector<std::pair<std::string, Texts>> groups;
    for (const auto& [arm, value] : facts) {
        auto place =
            std::find_if(groups.begin(), groups.end(), [&](const auto& at) { return at.first == value; });
        if (place == groups.end()) place = groups.insert(groups.end(), {value, {}});
        Texts& arms = place->second;
        if (std::find(arms.begin(), arms.end(), arm) == arms.end()) arms.push_back(arm);
    }
    return groups;
}

}  // namespace

std::string by_value(const Facts& facts) {
    const auto groups = grouped_by_value(facts);
    if (groups.size() == 1) return groups.front().first;
    Texts parts;
    for (const auto& [value, arms] : groups)
        parts.push_back(fmt::format("{} ({})", value.empty() ? "none" : value, joined_words(arms)));
    return joined_words(parts);
}

std::string against(const Facts& facts) {
    Texts parts;
    for (const auto& [value, arms] : grouped_by_value(facts)) parts.push_back(joined_words(arms));
    return joined_words(parts, " against ");
}

}  // namespace locus
