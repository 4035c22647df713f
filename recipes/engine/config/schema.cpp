#include "recipes/engine/config/schema.h"

#include <algorithm>

#include "framework/core/error.h"
#include "recipes/engine/config/nearest.h"
#include "recipes/engine/config/scaling_keys.h"
#include "recipes/engine/config/sections.h"

namespace locus {

namespace {

std::string section_of(const std::string& path) {
    return path.substr(0, path.find('.'));
}

std::string leaf_of(const std::string& path) {
    return path.substr(path.find('.') + 1);
}

std::map<std::string, std::size_t> places_of(const std::vector<Key>& keys) {
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < keys.size(); ++i) places.emplace(keys[i].path, i);
    return places;
}

}  // namespace

std::string joined(const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
    return all;
}

Schema::Schema(KindCatalogue kinds, std::vector<Preset> presets, ScalingCatalogue scalings,
               ResolveEncoding resolve_encoding)
    : kinds_(std::move(kinds)),
      keys_(locus::fixed_keys(kinds_, presets)),
      scalings_(std::move(scalings)),
      resolve_encoding_(std::move(resolve_encoding)) {
    for (const auto& [kind, declared] : kinds_) {
        options_[kind] = encoding_keys(declared);
        const auto rules = scalings_.kinds.find(kind);
        if (rules == scalings_.kinds.end() || rules->second.empty()) continue;
        for (Key& key : scaling_keys(kind, rules->second, scalings_.rules))
            options_[kind].push_back(std::move(key));
    }
    for (const Key& key : keys_) {
        const std::string section = section_of(key.path);
        if (section != key.path && !is_section(section)) sections_.push_back(section);
        if (key.instead_of.empty()) continue;
        other_spellings_[key.path] = key.instead_of;
        other_spellings_[key.instead_of] = key.path;
    }
    places_ = places_of(keys_);
    for (const auto& [kind, options] : options_) option_places_[kind] = places_of(options);
}

std::string Schema::other_spelling(const std::string& path) const {
    const auto other = other_spellings_.find(path);
    return other == other_spellings_.end() ? "" : other->second;
}

std::vector<const Key*> Schema::keys(const std::string& kind) const {
    std::vector<const Key*> all;
    for (const Key& key : keys_) {
        all.push_back(&key);
        if (key.path != "encoding.kind") continue;
        for (const Key& option : options_.at(kind)) all.push_back(&option);
    }
    return all;
}

const Key* Schema::find(const std::string& path, const std::string& kind) const {
    const auto place = places_.find(path);
    if (place != places_.end()) return &keys_[place->second];
    const auto options = option_places_.find(kind);
    if (options == option_places_.end()) return nullptr;
    const auto option = options->second.find(path);
    return option == options->second.end() ? nullptr : &options_.at(kind)[option->second];
}

const Key* Schema::find(const std::string& path) const {
    for (const auto& [kind, options] : options_)
        if (const Key* key = find(path, kind)) return key;
    return find(path, "");
}

std::string Schema::canonical(const std::string& path) const {
    return canonical_scaling(path);
}

std::vector<Option> Schema::options(const std::string& kind, const std::string& rule) const {
    std::vector<Option> all = kinds_.at(kind);
    const auto rules = scalings_.kinds.find(kind);
    if (rules == scalings_.kinds.end() || rules->second.empty()) return all;
    all.push_back({"scaling.type", rule, "rope_type: the rule that extends the context"});
    for (Option option : scalings_.rules.at(rule)) {
        option.name = "scaling." + option.name;
        all.push_back(std::move(option));
    }
    return all;
}

bool Schema::is_section(const std::string& name) const {
    return std::find(sections_.begin(), sections_.end(), name) != sections_.end();
}

std::vector<std::string> Schema::paths() const {
    std::vector<std::string> paths;
    for (const Key& key : keys_) paths.push_back(key.path);
    for (const auto& [kind, options] : options_)
        for (const Key& option : options)
            if (std::find(paths.begin(), paths.end(), option.path) == paths.end())
                paths.push_back(option.path);
    return paths;
}

void Schema::refuse_unknown(const std::string& path, const Source& source) const {
    const std::string section = section_of(path), leaf = leaf_of(path);
    require(path != "arm",
            "{}: unknown key 'arm': arms stand in `vary`; on the command line --arms NAME chooses one",
            source.text());
    std::vector<std::string> homes;
    for (const std::string& known : paths())
        if (leaf_of(known) == leaf && known != path && section_of(known) != known)
            homes.push_back(section_of(known));
    if (!homes.empty())
        fail(Failure::usage, "{}: unknown key '{}': '{}' belongs in '{}'", source.text(), path, leaf,
             joined(homes));
    std::vector<std::string> names = paths();
    for (const std::string& name : sections_) names.push_back(name);
    names.push_back("vary");
    fail(Failure::usage, "{}: unknown key '{}'; the nearest known key is '{}'", source.text(), path,
         nearest_key(path, names));
}

void Schema::refuse_foreign(const std::string& path, const std::string& kind, const Source& source) const {
    std::vector<std::string> own = {"kind"}, others;
    for (const Key& key : options_.at(kind)) own.push_back(leaf_of(key.path));
    for (const auto& [other, options] : options_)
        if (find(path, other)) others.push_back(other);
    fail(Failure::usage,
         "{}: {} does not belong to encoding kind '{}', whose keys are: {} (it belongs to: {}); to replace "
         "the "
         "whole block say encoding: {{kind: {}}}",
         source.text(), path, kind, joined(own), joined(others), kind);
}

}  // namespace locus
