#include "recipes/engine/identity/identity.h"

#include <initializer_list>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/io/machine.h"

namespace locus {

namespace {

using nlohmann::json;

enum class Rule { refused, refused_unless_said, told };

struct ThingEntry {
    const char* name;
    Rule rule;
    Failure failure;  // where it is refused
};

// By Thing.
constexpr ThingEntry things[] = {{"tokenizer", Rule::refused, Failure::storage},
                                 {"corpus", Rule::refused_unless_said, Failure::data},
                                 {"splits", Rule::refused_unless_said, Failure::data},
                                 {"recipe", Rule::refused, Failure::storage},
                                 {"parameters", Rule::refused, Failure::storage},
                                 {"kernels", Rule::told, Failure::storage},
                                 {"program", Rule::told, Failure::storage},
                                 {"build", Rule::told, Failure::storage}};

const ThingEntry& entry_of(Thing thing) {
    return things[static_cast<std::size_t>(thing)];
}

/// A part of a manifest; null where it is missing.
const json& part_of(const json& object, const char* name, json::value_t type, const std::string& place) {
    static const json none;
    const auto found = object.find(name);
    if (found == object.end() || found->is_null()) return none;
    require(found->type() == type, Failure::storage, "{}: '{}': expected {}, found {}", place, name,
            json(type).type_name(), found->type_name());
    return *found;
}

std::string text_in(const json& object, const char* name, const std::string& place) {
    if (object.is_null()) return "";
    const json& text = part_of(object, name, json::value_t::string, place);
    return text.is_null() ? "" : text.get<std::string>();
}

void set(Identity& identity, Thing thing, std::string value) {
    if (!value.empty()) identity[thing] = std::move(value);
}

std::string joined(std::initializer_list<std::string> parts) {
    std::string text;
    for (const std::string& part : parts)
        if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
    return text;
}

}  // namespace

const char* name_of(Thing thing) {
    return entry_of(thing).name;
}

std::optional<Thing> thing_named(const std::string& name) {
    for (std::size_t i = 0; i < std::size(things); ++i)
        if (name == things[i].name) return static_cast<Thing>(i);
    return std::nullopt;
}

json to_json(const Identity& identity) {
    json things = json::object();
    for (const auto& [thing, value] : identity) things[name_of(thing)] = value;
    return things;
}

Identity identity_from(const json& things, const std::string& place) {
    require(things.is_object(), Failure::storage, "{}: expected an object, found {}", place,
            things.type_name());
    Identity identity;
    for (const auto& [name, value] : things.items()) {
        require(value.is_string(), Failure::storage, "{}: '{}': expected a string, found {}", place, name,
                value.type_name());
        if (const auto thing = thing_named(name)) identity[*thing] = value.get<std::string>();
    }
    return identity;
}

json to_json(const std::vector<Change>& changes) {
    json list = json::array();
    for (const Change& change : changes)
        list.push_back({{"thing", name_of(change.thing)}, {"there", change.there}, {"here", change.here}});
    return list;
}

std::vector<Change> changes_from(const json& list, const std::string& place) {
    require(list.is_array(), Failure::storage, "{}: expected a list, found {}", place, list.type_name());
    std::vector<Change> changes;
    for (const json& item : list) {
        require(item.is_object(), Failure::storage, "{}: expected objects, found {}", place,
                item.type_name());
        const auto thing = thing_named(text_in(item, "thing", place));
        if (thing) changes.push_back({*thing, text_in(item, "there", place), text_in(item, "here", place)});
    }
    return changes;
}

std::vector<Change> changes_between(const Identity& there, const Identity& here) {
    std::vector<Change> changes;
    for (const auto& [thing, value] : there) {
        const auto now = here.find(thing);
        if (now != here.end() && now->second != value) changes.push_back({thing, value, now->second});
    }
    return changes;
}

std::string text_of(const Change& change) {
    const std::string name = name_of(change.thing);
    const bool several = name.ends_with('s') && change.thing != Thing::corpus;
    return fmt::format("the {} {}: {} there, {} here", name, several ? "differ" : "differs", change.there,
                       change.here);
}

Identity identity_of_process(GemmBackend backend) {
    return identity_of_machine(machine_manifest(backend), "this process");
}

Identity identity_of_machine(const json& machine, const std::string& place) {
    Identity identity;
    if (!machine.is_object()) return identity;
    const auto text = [&](const char* name) { return text_in(machine, name, place); };
    const std::string changes = text("dirty");
    set(identity, Thing::kernels, text("target"));
    set(identity, Thing::program,
        joined({text("commit"), changes.empty() || changes == "unknown" ? "" : "with changes " + changes}));
    set(identity, Thing::build, joined({text("compiler"), text("flags"), text("scalar")}));
    return identity;
}

std::vector<Change> admit(const Identity& there, const Identity& here, const std::string& place,
                          bool another_corpus) {
    std::vector<Change> changes = changes_between(there, here);
    for (const Change& change : changes) {
        const ThingEntry& entry = entry_of(change.thing);
        const bool stays =
            entry.rule == Rule::told || (entry.rule == Rule::refused_unless_said && another_corpus);
        require(stays, entry.failure, "{}: {}", place, text_of(change));
    }
    return changes;
}

}  // namespace locus
