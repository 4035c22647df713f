#include "recipes/engine/config/key_list.h"

#include <algorithm>

#include "framework/core/error.h"
#include "recipes/engine/config/vary.h"
#include "recipes/engine/config/write.h"

namespace locus {

namespace {

// What makes an experiment of a recipe: these stand beside the sections, and are no values of a cell.
const std::vector<ListedKey>& structure_keys() {
    static const std::vector<ListedKey> keys = {
        {"base", {"text"}, "", "the recipe that this one is laid over, from the folder of this one", {}, ""},
        {"vary.arm",
         {"list of maps"},
         "",
         "arms: a name and what it changes; product (axes and zip), except and when make many arms of one "
         "entry",
         {},
         ""},
        {"vary.KEY",
         {"list or range"},
         "",
         "values of a dotted key; a range: from, to and step, factor or count (log: true)",
         {},
         ""},
        {"vary.WORD", {"list of maps"}, "", "an axis of bundles: a name and what it changes, each", {}, ""},
        {"vary.zip", {"map of axes, or list of such"}, "", "axes that go together, value by value", {}, ""},
        {"vary.except",
         {"map, or list of such"},
         "",
         "values of axes whose combinations are left out",
         {},
         ""},
        {"vary.when",
         {"map, or list of such"},
         "",
         "values of axes, and what these combinations `set` besides",
         {},
         ""}};
    return keys;
}

Recipe standard_recipe(const Schema& schema) {
    return expand({"", Value{Value::Type::map, "", {}, {}, {}}}, {}, schema).front().recipe;
}

bool same_but_for_kind(const ListedKey& a, const ListedKey& b) {
    return a.path == b.path && a.type.name == b.type.name && a.type.bounds == b.type.bounds &&
           a.standard == b.standard && a.doc == b.doc && !a.kinds.empty();
}

void add_options(std::vector<ListedKey>& all, const Schema& schema) {
    for (const auto& [kind, options] : schema.options()) {
        for (const Key& key : options) {
            ListedKey listed{key.path, key.type, key.standard ? written(*key.standard) : "",
                             key.doc,  {kind},   ""};
            const auto same = std::find_if(all.begin(), all.end(), [&](const ListedKey& other) {
                return same_but_for_kind(other, listed);
            });
            if (same != all.end())
                same->kinds.push_back(kind);
            else
                all.push_back(std::move(listed));
        }
    }
}

bool is_in(const ListedKey& key, const std::string& section) {
    return section.empty() || key.path == section || key.path.starts_with(section + ".");
}

}  // namespace

std::vector<ListedKey> list_keys(const Schema& schema, const std::string& section) {
    std::vector<ListedKey> all;
    const Recipe standard = standard_recipe(schema);
    for (const Key& key : schema.fixed_keys()) {
        const auto value = key.write(standard);
        all.push_back({key.path, key.type, value ? written(*value) : "", key.doc, {}, key.instead_of});
        if (key.path == "encoding.kind") add_options(all, schema);
    }
    all.insert(all.end(), structure_keys().begin(), structure_keys().end());
    std::erase_if(all, [&](const ListedKey& key) { return !is_in(key, section); });
    require(!all.empty(), "list keys: expected a section, one of {}, vary, encoding.scaling, found '{}'",
            joined(schema.sections()), section);
    return all;
}

}  // namespace locus
