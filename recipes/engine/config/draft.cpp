#include <optional>

#include "framework/core/error.h"
#include "recipes/engine/config/resolve.h"

namespace locus {

Draft draft_of(const Overlay& overlay, const Schema& schema) {
    Draft draft;
    EncodingOptions& encoding = draft.recipe.encoding;
    Source source;
    for (const std::string path : {"encoding.kind", "encoding.preset"}) {
        const auto value = overlay.values.find(path);
        if (value == overlay.values.end()) continue;
        schema.find(path)->read(draft, value->second);
        source = value->second.source;
    }
    require(schema.kinds().contains(encoding.kind), "encoding kind '{}' is not known", encoding.kind);
    // The rule decides which options there are, so it is read before them: the recipe's, else the preset's.
    const auto said_rule = overlay.values.find("encoding.scaling.type");
    const auto preset_rule = draft.preset.find("scaling.type");
    std::optional<Value> rule;
    if (preset_rule != draft.preset.end()) rule = Value::scalar(preset_rule->second, source);
    if (said_rule != overlay.values.end()) rule = said_rule->second;
    encoding.options = Options(schema.options(encoding.kind, "plain"));
    if (rule) {
        const Key* key = schema.find("encoding.scaling.type", encoding.kind);
        const bool is_plain = key == nullptr && rule->text == "plain";  // such as scaling: null, for any kind
        if (key == nullptr && !is_plain)
            schema.refuse_foreign("encoding.scaling.type", encoding.kind, rule->source);
        if (key != nullptr) {
            key->read(draft, *rule);
            encoding.options = Options(schema.options(encoding.kind, encoding.options.text("scaling.type")));
        }
    }
    const bool other_rule = rule && preset_rule != draft.preset.end() &&
                            encoding.options.text("scaling.type") != preset_rule->second;
    for (const auto& [name, text] : draft.preset) {
        if (name.starts_with("scaling.") && (name == "scaling.type" || other_rule)) continue;
        const Key* key = schema.find("encoding." + name, encoding.kind);
        require(key != nullptr, "{}: the preset sets {}, which encoding {} does not have", source.text(),
                name, encoding.kind);
        key->read(draft, Value::scalar(text, source));
    }
    for (const auto& [path, value] : overlay.values) {
        const Key* key = schema.find(path, encoding.kind);
        if (key == nullptr && path == "encoding.scaling.type" && value.text == "plain") continue;
        if (key == nullptr) schema.refuse_foreign(path, encoding.kind, value.source);
        key->read(draft, value);
    }
    return draft;
}

}  // namespace locus
