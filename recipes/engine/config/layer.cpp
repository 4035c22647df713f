#include "recipes/engine/config/layer.h"

#include "framework/core/error.h"
#include "framework/core/stop.h"

namespace locus {

namespace {

// The other way to say what `path` says (steps for tokens, and back), or nothing.
std::string other_spelling(const std::string& path, const Schema& schema) {
    const Key* key = schema.find(path);
    if (key == nullptr) return {};
    if (!key->instead_of.empty()) return key->instead_of;
    for (const std::string& other : schema.paths())
        if (schema.find(other)->instead_of == path) return other;
    return {};
}

void add(Layer& layer, const std::string& written, const Entry& entry, const Schema& schema) {
    if (schema.is_block(written)) {
        if (entry.value.type != Value::Type::map) refuse(entry.value, written, "a map of keys");
        require(layer.blocks.insert(written).second, "{}: {} is given twice", entry.source.text(), written);
        for (const Entry& inner : entry.value.entries) add(layer, written + "." + inner.key, inner, schema);
        return;
    }
    const std::string path = schema.canonical(written);
    const Key* key = schema.find(path);
    if (key == nullptr) schema.refuse_unknown(path, entry.source);
    // The type of an encoding's option depends on the kind, which another layer may choose.
    const bool fixed = schema.find(path, "") != nullptr;
    if (fixed) {
        Draft scratch;
        key->read(scratch, entry.value);
    }
    const auto [place, is_new] = layer.values.emplace(path, entry.value);
    require(is_new, "{}: {} is given twice, first at {}", entry.source.text(), path,
            place->second.source.text());
    const auto other = layer.values.find(other_spelling(path, schema));
    if (other != layer.values.end())
        fail(Failure::usage, "{}: {} and {} say the same thing: give one of them ({} is at {})",
             entry.source.text(), path, other->first, other->first, other->second.source.text());
}

}  // namespace

Layer flatten(const std::vector<Entry>& entries, const Schema& schema) {
    throw_if_stopped();  // an experiment of thousands of cells flattens as many layers
    Layer layer;
    for (const Entry& entry : entries) {
        if (!schema.is_section(entry.key)) {
            add(layer, entry.key, entry, schema);
            continue;
        }
        if (entry.value.type != Value::Type::map) refuse(entry.value, entry.key, "a map of keys");
        require(layer.blocks.insert(entry.key).second, "{}: {} is given twice", entry.source.text(),
                entry.key);
        for (const Entry& inner : entry.value.entries) add(layer, entry.key + "." + inner.key, inner, schema);
    }
    return layer;
}

void lay_over(Layer& base, const Layer& over, const Schema& schema) {
    for (const std::string& block : over.blocks) {
        base.blocks.insert(block);
        std::erase_if(base.values, [&](const auto& value) { return value.first.rfind(block + ".", 0) == 0; });
    }
    for (const auto& [path, value] : over.values) {
        base.values.erase(other_spelling(path, schema));
        base.values[path] = value;
    }
}

}  // namespace locus
