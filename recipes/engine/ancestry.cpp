#include "recipes/engine/ancestry.h"

#include <filesystem>

#include "framework/core/error.h"
#include "framework/io/checkpoint_folder.h"
#include "recipes/engine/resolve.h"
#include "recipes/engine/yaml.h"

namespace locus {

namespace {

namespace fs = std::filesystem;

const std::string scaling_block = "encoding.scaling.";

Checkpoint checkpoint_at(const fs::path& path, Index step) {
    if (!fs::is_directory(path)) {
        require(fs::exists(path), Failure::storage, "from.run: {}: there is no such run folder or checkpoint",
                path.string());
        Checkpoint checkpoint = load_checkpoint(path);
        require(step < 0 || checkpoint.step == step, Failure::storage,
                "from.step: expected step {}, but {} is of step {}", step, path.string(), checkpoint.step);
        return checkpoint;
    }
    const CheckpointFolder folder(path / "checkpoints", 1);
    if (step >= 0) {
        require(fs::exists(folder.path_of(step)), Failure::storage,
                "from.step: {} has no checkpoint of step {}", path.string(), step);
        return load_checkpoint(folder.path_of(step));
    }
    auto found = folder.newest();
    require(found.has_value(), Failure::storage, "from.run: {}: no checkpoint yet", path.string());
    return std::move(found->checkpoint);
}

bool says_section(const Layer& layer, const std::string& prefix) {
    const auto place = layer.values.lower_bound(prefix);
    return place != layer.values.end() && place->first.starts_with(prefix);
}

// Whether the encoding of `layer` goes on with that of its ancestor.
bool keeps_encoding(const Layer& layer, const Ancestor& ancestor, const Schema& schema) {
    if (layer.values.contains("encoding.preset")) return false;
    const auto kind = layer.values.find("encoding.kind");
    if (kind == layer.values.end()) return true;
    Draft draft;
    schema.find("encoding.kind")->read(draft, kind->second);
    return draft.preset.empty() && draft.recipe.encoding.kind == ancestor.recipe.encoding.kind;
}

void take(Layer& layer, const std::string& path, const Value& value) {
    layer.values.emplace(path, value);  // what the layer says itself stands
}

void take_encoding(Layer& layer, const Ancestor& ancestor, const Source& source, const Schema& schema) {
    if (!keeps_encoding(layer, ancestor, schema)) return;
    const bool own_rule = layer.values.contains(scaling_block + "type");
    for (const auto& [path, value] : ancestor.layer.values) {
        if (!path.starts_with("encoding.")) continue;
        if (path.starts_with(scaling_block) && own_rule) continue;
        take(layer, path, value);
    }
    // A table that has as many rows as the ancestor was trained on keeps them.
    for (const auto& [option, more] : {std::pair{"max_length", 0}, std::pair{"npos_max", 1}}) {
        const Options& options = ancestor.recipe.encoding.options;
        if (options.has(option) && options.integer(option) == 0)
            layer.values[std::string("encoding.") + option] =
                Value::scalar(text_of(ancestor.recipe.train.length + more), source);
    }
}

Index original_length_of(const Recipe& recipe) {
    if (recipe.from.original_length > 0) return recipe.from.original_length;
    const Options& options = recipe.encoding.options;
    if (options.has("scaling.original_length") && options.integer("scaling.original_length") > 0)
        return options.integer("scaling.original_length");
    return recipe.train.length;
}

}  // namespace

Ancestor read_ancestor(const std::string& path, Index step, const Schema& schema) {
    const Checkpoint checkpoint = checkpoint_at(path, step);
    Ancestor ancestor;
    std::vector<Entry> entries = read_yaml(checkpoint.recipe, path).entries;
    std::erase_if(entries, [](const Entry& entry) { return entry.key == "cell"; });
    ancestor.layer = flatten(entries, schema);
    ancestor.recipe = draft_of(ancestor.layer, schema).recipe;
    ancestor.step = checkpoint.step;
    ancestor.tokens = ancestor.recipe.from.tokens + checkpoint.step * ancestor.recipe.train.batch_tokens;
    return ancestor;
}

void inherit(Layer& layer, const Ancestor& ancestor, const Source& source, const Schema& schema) {
    take_encoding(layer, ancestor, source, schema);
    for (const auto& [path, value] : ancestor.layer.values) {
        const bool of_mask = path.starts_with("mask.") && !says_section(layer, "mask.");
        if (path.starts_with("model.") || path == "data.tokenizer" || of_mask) take(layer, path, value);
    }
    layer.values["from.step"] = Value::scalar(text_of(ancestor.step), source);
    take(layer, "from.original_length", Value::scalar(text_of(original_length_of(ancestor.recipe)), source));
    take(layer, "from.seen_tokens", Value::scalar(text_of(ancestor.tokens), source));
}

}  // namespace locus
