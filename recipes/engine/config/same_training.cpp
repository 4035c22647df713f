#include "recipes/engine/config/same_training.h"

#include <map>

#include "framework/core/error.h"
#include "recipes/engine/config/vary.h"
#include "recipes/engine/config/write.h"
#include "recipes/engine/config/yaml.h"

namespace locus {

namespace {

using Texts = std::map<std::string, std::string>;  // by path

Texts values_of_recipe(const std::string& text, const std::string& place, const Schema& schema) {
    const Recipe recipe = expand({place, read_yaml(text, place)}, {}, schema).front().recipe;
    Texts texts;
    for (const Key* key : schema.keys(recipe.encoding.kind))
        if (const auto value = key->write(recipe)) texts[key->path] = written(*value);
    return texts;
}

std::string at(const Texts& texts, const std::string& path) {
    const auto value = texts.find(path);
    return value == texts.end() ? "" : value->second;
}

}  // namespace

std::vector<KeyDifference> differing_keys(const std::string& here, const std::string& there,
                                          const std::string& place, const Schema& schema) {
    if (here == there) return {};
    const Texts ours = values_of_recipe(here, place, schema), theirs = values_of_recipe(there, place, schema);
    Texts all = ours;
    all.insert(theirs.begin(), theirs.end());
    std::vector<KeyDifference> differences;
    for (const auto& [path, value] : all) {
        KeyDifference difference{path, at(ours, path), at(theirs, path)};
        if (difference.here == difference.there) continue;
        // The kind decides the keys beside it, and is named first.
        const auto position = path == "encoding.kind" ? differences.begin() : differences.end();
        differences.insert(position, std::move(difference));
    }
    return differences;
}

bool is_beside_training(const std::string& path) {
    const std::string section = path.substr(0, path.find('.'));
    return section == "question" || section == "evaluate" || section == "table" || section == "search" ||
           path == "train.keep" || path == "train.keep_every";
}

std::optional<std::string> training_difference(const std::vector<KeyDifference>& differences) {
    for (const auto& [path, here, there] : differences) {
        if (is_beside_training(path)) continue;
        return fmt::format("the first line that differs is {}: {} there, {} here", path,
                           there.empty() ? "not said" : there, here.empty() ? "not said" : here);
    }
    return std::nullopt;
}

}  // namespace locus
