#include "recipes/engine/config/ancestry.h"

#include <algorithm>
#include <filesystem>

#include "framework/core/error.h"
#include "framework/io/checkpoint_folder.h"
#include "models/scaling.h"
#include "recipes/engine/config/resolve.h"
#include "recipes/engine/config/yaml.h"

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
    // An older one would be another beginning, which nobody asked for.
    require(found->warnings.empty(), Failure::storage,
            "from.run: {}: the newest checkpoint cannot be read: {}; from.step: {} begins with an older one",
            path.string(), found->warnings.empty() ? "" : found->warnings.front(), found->checkpoint.step);
    return std::move(found->checkpoint);
}

// Whether the encoding that `said` names, if it names one, is the ancestor's.
bool keeps_encoding(const Overlay& said, const Ancestor& ancestor, const Schema& schema) {
    if (said.values.contains("encoding.preset")) return false;
    const auto kind = said.values.find("encoding.kind");
    if (kind == said.values.end()) return true;
    Draft draft;
    schema.find("encoding.kind")->read(draft, kind->second);
    return draft.preset.empty() && draft.recipe.encoding.kind == ancestor.recipe.encoding.kind;
}

// Whether a key of the ancestor's scaling stays under the rule that `said` names, if it names one: all do
// under the same rule, the original length does under any that has one.
bool keeps_scaling(const std::string& path, const Overlay& said, const EncodingOptions& encoding,
                   const Schema& schema) {
    const auto named = said.values.find(scaling_block + "type");
    if (named == said.values.end()) return true;
    const Key* key = schema.find(scaling_block + "type", encoding.kind);
    if (key == nullptr) return false;  // refused where the encoding's options are read
    Draft draft;
    draft.recipe.encoding = {encoding.kind, Options(schema.options(encoding.kind, "plain"))};
    key->read(draft, named->second);
    const std::string& rule = draft.recipe.encoding.options.text("scaling.type");
    if (rule == encoding.options.text("scaling.type")) return true;
    const Options own(schema.options(encoding.kind, rule));
    const std::string option = path.substr(scaling_block.size());
    return is_of_the_model(option) && own.has("scaling." + option);
}

// What says the same as `path` in other words and must not come back beside it.
std::string other_words(const std::string& path) {
    if (!path.starts_with(scaling_block)) return {};
    const std::string other = in_other_words(path.substr(scaling_block.size()));
    return other.empty() ? "" : scaling_block + other;
}

// Replaces what `overlay` has of the keys that begin with `prefix` by the ancestor's, but for what `said`
// says.
void take(Overlay& overlay, const Overlay& said, const Ancestor& ancestor, const std::string& prefix) {
    std::erase_if(overlay.values, [&](const auto& value) {
        return value.first.starts_with(prefix) && !said.values.contains(value.first);
    });
    for (const auto& [path, value] : ancestor.overlay.values) {
        if (path.starts_with(prefix) && !said.values.contains(other_words(path)))
            overlay.values.emplace(path, value);
    }
}

void take_encoding(Overlay& overlay, const Overlay& said, const Ancestor& ancestor, const Schema& schema) {
    if (!keeps_encoding(said, ancestor, schema)) return;
    Ancestor kept = ancestor;
    std::erase_if(kept.overlay.values, [&](const auto& value) {
        return value.first.starts_with(scaling_block) &&
               !keeps_scaling(value.first, said, ancestor.recipe.encoding, schema);
    });
    take(overlay, said, kept, "encoding.");
}

// Whether a layer says that there is no window: 0, for every layer.
bool says_no_window(const Overlay& said) {
    const auto window = said.values.find("mask.window");
    if (window == said.values.end()) return false;
    std::vector<Value> numbers = {window->second};
    if (window->second.type == Value::Type::list) numbers = window->second.items;
    return std::all_of(numbers.begin(), numbers.end(),
                       [](const Value& number) { return integer_from(number.text) == Index{0}; });
}

// What has a meaning only under a window goes with it.
void take_mask(Overlay& overlay, const Overlay& said, const Ancestor& ancestor) {
    Ancestor kept = ancestor;
    if (says_no_window(said))
        std::erase_if(kept.overlay.values, [](const auto& value) {
            return value.first.starts_with("mask.") && value.first != "mask.causal";
        });
    take(overlay, said, kept, "mask.");
}

// Where the tokens of text are said to be; a source of positions that the recipe names has its own numbers.
void take_positions(Overlay& overlay, const Ancestor& ancestor) {
    const auto& values = ancestor.overlay.values;
    const auto said = overlay.values.find("data.positions");
    if (said != overlay.values.end() && said->second.text != values.at("data.positions").text) return;
    for (const std::string path : {"data.positions", "data.max_position", "data.chunks"}) {
        const auto value = values.find(path);
        const bool open =
            value != values.end() && value->second.text == "0";  // follows from what is evaluated
        if (value != values.end() && !open) overlay.values.emplace(path, value->second);
    }
}

}  // namespace

Ancestor ancestor_of(const Recipe& recipe, Index step, const Source& source, const Schema& schema) {
    Ancestor ancestor;
    ancestor.recipe = recipe;
    ancestor.step = step;
    ancestor.tokens = recipe.from.tokens + step * recipe.train.batch_tokens;
    for (const Key* key : schema.keys(recipe.encoding.kind)) {
        auto value = key->write(recipe);
        if (!value) continue;
        value->source = source;
        for (Value& item : value->items) item.source = source;
        ancestor.overlay.values.emplace(key->path, std::move(*value));
    }
    return ancestor;
}

namespace {

Recipe resolved_recipe(std::vector<Entry> entries, const std::string& place, const Schema& schema) {
    std::erase_if(entries, [](const Entry& entry) { return entry.key == "cell"; });
    const Overlay overlay = flatten(entries, schema);
    Draft draft = draft_of(overlay, schema);
    resolve_function(draft, overlay, schema, place);
    return std::move(draft.recipe);
}

}  // namespace

Recipe recipe_in(const Checkpoint& checkpoint, const std::string& place, const Schema& schema) {
    return resolved_recipe(read_yaml(checkpoint.recipe, place).entries, place, schema);
}

std::optional<Ancestor> remembered_ancestor(const fs::path& run_folder, const FromOptions& from,
                                            const Source& source, const Schema& schema) {
    const fs::path path = run_folder / "recipe.yaml";
    if (!fs::is_regular_file(path)) return std::nullopt;
    const Recipe recipe = resolved_recipe(read_yaml_file(path.string()).entries, path.string(), schema);
    if (recipe.from.run != from.run || (from.step >= 0 && from.step != recipe.from.step)) return std::nullopt;
    Ancestor ancestor = ancestor_of(recipe, recipe.from.step, source, schema);
    ancestor.tokens = recipe.from.tokens;
    return ancestor;
}

Ancestor read_ancestor(const std::string& path, Index step, const Source& source, const Schema& schema) {
    const Checkpoint checkpoint = checkpoint_at(path, step);
    return ancestor_of(recipe_in(checkpoint, path, schema), checkpoint.step, source, schema);
}

bool has_inherited(const Overlay& overlay) {
    return overlay.values.contains("from.original_length") && overlay.values.contains("from.seen_tokens");
}

void inherit(Overlay& overlay, const Overlay& said, const Ancestor& ancestor, const Source& source,
             const Schema& schema) {
    take_encoding(overlay, said, ancestor, schema);
    take(overlay, said, ancestor, "model.");
    take_mask(overlay, said, ancestor);
    take_positions(overlay, ancestor);
    // What belongs to a run's data and training is the whole recipe's to say.
    for (const std::string path : {"data.tokenizer", "train.length"})
        overlay.values.emplace(path, ancestor.overlay.values.at(path));
    const auto fill_in = [&](const std::string& path, Index number) {
        overlay.values.emplace(path, Value::scalar(text_of(number), source));
    };
    overlay.values["from.step"] = Value::scalar(text_of(ancestor.step), source);
    fill_in("from.original_length", root_length(ancestor.recipe));
    fill_in("from.seen_tokens", ancestor.tokens);
}

}  // namespace locus
