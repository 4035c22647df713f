#include "recipes/engine/config/recipe_file.h"

#include <algorithm>
#include <filesystem>

#include "framework/core/error.h"
#include "recipes/engine/config/yaml.h"

namespace locus {

namespace {

namespace fs = std::filesystem;

std::optional<Value> take(std::vector<Entry>& entries, const std::string& key) {
    const auto place =
        std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.key == key; });
    if (place == entries.end()) return std::nullopt;
    Value value = std::move(place->value);
    entries.erase(place);
    return value;
}

std::string base_path(const Value& base) {
    if (base.type != Value::Type::scalar || base.text.empty())
        refuse(base, "base", "the path of a recipe, from this one's folder");
    const fs::path path = fs::path(base.source.folder()) / base.text;
    std::error_code unreachable;
    require(fs::is_regular_file(path, unreachable), "{}: base: there is no recipe {}", base.source.text(),
            path.string());
    return path.string();
}

void lay_axes(std::optional<Value>& below, std::optional<Value> above) {
    if (!above) return;
    const bool merge = below && below->type == Value::Type::map && above->type == Value::Type::map;
    if (!merge) {
        below = std::move(above);
        return;
    }
    for (Entry& axis : below->entries) {
        const auto same = [&](const Entry& entry) { return entry.key == axis.key; };
        if (std::none_of(above->entries.begin(), above->entries.end(), same))
            above->entries.push_back(std::move(axis));
    }
    below = std::move(above);
}

// `open`: the files that stand above this one, which must not be met again.
RecipeText laid_on_bases(const RecipeFile& file, std::vector<std::string> open, const Schema& schema) {
    std::vector<Entry> entries = file.root.entries;
    const auto base = take(entries, "base");
    RecipeText text;
    if (base) {
        std::error_code unknown;
        open.push_back(fs::weakly_canonical(file.path, unknown).string());
        const std::string path = base_path(*base);
        require(std::count(open.begin(), open.end(), fs::weakly_canonical(path, unknown).string()) == 0,
                "{}: base: {} is a base of itself", base->source.text(), path);
        text = laid_on_bases(read_recipe(path), open, schema);
    }
    auto vary = take(entries, "vary");
    text.cell = take(entries, "cell");
    lay_on_base(text.overlay, flatten(entries, schema), schema);
    lay_axes(text.vary, std::move(vary));
    return text;
}

}  // namespace

RecipeFile read_recipe(const std::string& path) {
    RecipeFile file{path, read_yaml_file(path)};
    if (file.root.type != Value::Type::map)
        fail(Failure::usage, "{}: expected a recipe: keys and values, found {}", file.root.source.text(),
             describe(file.root));
    return file;
}

RecipeText read_text(const RecipeFile& file, const Schema& schema) {
    return laid_on_bases(file, {}, schema);
}

}  // namespace locus
