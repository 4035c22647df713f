#include "recipes/engine/identity/manifest.h"

#include "framework/core/error.h"
#include "framework/io/json_file.h"

namespace locus {

using nlohmann::json;

namespace {

// Every field by its name in the file.
template <typename AnyOrigin, typename Visit>
void visit_origin(AnyOrigin& o, const Visit& visit) {
    visit("path", o.path);
    visit("step", o.step);
    visit("parameters_hash", o.parameters_hash);
    visit("corpus_hash", o.corpus_hash);
    visit("original_length", o.original_length);
    visit("tokens", o.tokens);
    visit("drawn", o.drawn);
    visit("left", o.left);
}

template <typename AnyCorpus, typename Visit>
void visit_corpus(AnyCorpus& c, const Visit& visit) {
    visit("name", c.name);
    visit("hash", c.hash);
    visit("tokenizer", c.tokenizer);
    visit("documents", c.documents);
    visit("tokens", c.tokens);
    visit("train_tokens", c.train_tokens);
    visit("valid_tokens", c.valid_tokens);
    visit("test_tokens", c.test_tokens);
    visit("splits", c.splits);
    visit("intake", c.intake);
    visit("blocks", c.blocks);
}

template <typename AnyManifest, typename Visit>
void visit_fields(AnyManifest& m, const Visit& visit) {
    visit("question", m.question);
    visit("name", m.name);
    visit("title", m.title);
    visit("cell", m.cell);
    visit("varied", m.varied);
    visit("index", m.index);
    visit("paths_begin_in", m.paths_begin_in);
    visit("state", m.state);
    visit("failure", m.failure);
    visit("seconds", m.seconds);
    visit("peak_memory", m.peak_memory);
    visit("threads", m.threads);
    visit("ranks", m.ranks);
    visit("encoding", m.encoding);
    visit("train_length", m.train_length);
    visit("seed", m.seed);
    visit("parameters", m.parameters);
    visit("tokens", m.tokens);
    visit("steps", m.steps);
    visit("epochs", m.epochs);
    visit("flops", m.flops);
    visit("data_order_hash", m.data_order_hash);
    visit("initial_value_hash", m.initial_value_hash);
    visit("evaluation_items_hash", m.evaluation_items_hash);
    visit("recipe_hash", m.recipe_hash);
    visit("recipe_file", m.recipe_file);
    visit("parameters_hash", m.parameters_hash);
    visit("machine", m.machine);
    visit("corpus", m.corpus);
    visit("from", m.from);
    visit("started", m.started);
    visit("resumed_from", m.resumed_from);
    visit("history", m.history);
}

// A value of the file, with where it stands.
struct Field {
    const json& value;
    const std::string& place;
    std::string name;

    void expect(bool fits, const char* wanted) const {
        require(fits, Failure::storage, "{}: '{}': expected {}, found {}", place, name, wanted,
                value.type_name());
    }
    Field item(const json& own) const { return {own, place, name}; }
};

void read(const Field& field, std::string& text) {
    field.expect(field.value.is_string(), "a text");
    text = field.value.get<std::string>();
}
void read(const Field& field, Index& number) {
    field.expect(field.value.is_number_integer(), "an integer");
    number = field.value.get<Index>();
}
void read(const Field& field, std::uint64_t& number) {
    field.expect(field.value.is_number_unsigned(), "an integer >= 0");
    number = field.value.get<std::uint64_t>();
}
void read(const Field& field, double& number) {
    field.expect(field.value.is_number(), "a number");
    number = field.value.get<double>();
}
void read(const Field& field, json& object) {
    field.expect(field.value.is_object(), "an object");
    object = field.value;
}
void read(const Field& field, std::map<std::string, std::string>& texts) {
    field.expect(field.value.is_object(), "an object");
    for (const auto& [key, value] : field.value.items()) read(field.item(value), texts[key]);
}
void read(const Field& field, Event& event) {
    event = event_from(field.value, field.place + ": '" + field.name + "'");
}
template <typename T>
void read(const Field& field, std::vector<T>& list) {
    field.expect(field.value.is_array(), "a list");
    for (const json& item : field.value) read(field.item(item), list.emplace_back());
}

// A field that is missing or null stays as it is. A number that is not finite is null in a file.
template <typename T>
void read_into(const json& object, const std::string& place, const std::string& name, T& member) {
    const auto found = object.find(name);
    if (found != object.end() && !found->is_null()) read(Field{*found, place, name}, member);
}

void read(const Field& field, Origin& origin) {
    field.expect(field.value.is_object(), "an object");
    visit_origin(origin, [&](const char* name, auto& member) {
        read_into(field.value, field.place + ": '" + field.name + "'", name, member);
    });
}
void read(const Field& field, CorpusRecord& corpus) {
    field.expect(field.value.is_object(), "an object");
    visit_corpus(corpus, [&](const char* name, auto& member) {
        read_into(field.value, field.place + ": '" + field.name + "'", name, member);
    });
}
template <typename T>
void read(const Field& field, std::optional<T>& member) {
    read(field, member.emplace());
}

json written(const std::string& text) {
    return text;
}
json written(Index number) {
    return number;
}
json written(std::uint64_t number) {
    return number;
}
json written(double number) {
    return number;
}
json written(const json& object) {
    return object;
}
json written(const std::map<std::string, std::string>& texts) {
    return texts.empty() ? json() : json(texts);
}
json written(const Event& event) {
    return to_json(event);
}
json written(const Origin& origin) {
    json object;
    visit_origin(origin, [&](const char* name, const auto& member) { object[name] = member; });
    return object;
}
json written(const CorpusRecord& corpus) {
    json object;
    visit_corpus(corpus, [&](const char* name, const auto& member) { object[name] = member; });
    return object;
}
json written(const std::vector<Event>& events) {
    json list = json::array();
    for (const Event& event : events) list.push_back(to_json(event));
    return list;
}
template <typename T>
json written(const std::vector<T>& list) {
    return list;
}
template <typename T>
json written(const std::optional<T>& member) {
    return member ? written(*member) : json();
}

// What the next command writes anew is no reason to refuse a run: such a state is unknown.
json without_faults_of_state(json object) {
    const auto state = object.find("state"), resumed = object.find("resumed_from");
    if (state != object.end() && !state->is_string()) *state = "unknown";
    if (resumed != object.end() && !resumed->is_array()) *resumed = nullptr;
    return object;
}

}  // namespace

void Manifest::keep_beginning_of(const Manifest& before) {
    const auto keep = [](auto& own, const auto& recorded) {
        if (recorded) own = recorded;
    };
    keep(started, before.started);
    keep(corpus, before.corpus);
    keep(from, before.from);
    keep(initial_value_hash, before.initial_value_hash);
    keep(resumed_from, before.resumed_from);
    if (!before.machine.is_null()) machine = before.machine;
    history = before.history;
}

std::vector<Change> Manifest::changes_of_training() const {
    std::vector<Change> all;
    for (const Event& event : history) {
        if (event.event != "resumed" || event.step == steps) continue;  // none was left to take
        all.insert(all.end(), event.changes.begin(), event.changes.end());
    }
    return all;
}

json to_json(const Manifest& manifest) {
    json object = manifest.others;
    visit_fields(manifest, [&](const char* name, const auto& member) {
        json value = written(member);
        if (!value.is_null()) object[name] = std::move(value);
    });
    return object;
}

Manifest manifest_from(const json& object, const std::string& place) {
    require(object.is_object(), Failure::storage, "{}: expected a JSON object, found {}", place,
            object.type_name());
    Manifest manifest;
    manifest.others = object;
    const json known = without_faults_of_state(object);
    visit_fields(manifest, [&](const char* name, auto& member) {
        read_into(known, place, name, member);
        manifest.others.erase(name);
    });
    if (const auto checksum = object.find("checksum"); checksum != object.end())
        manifest.was_changed = *checksum != content_checksum(object);
    manifest.others.erase("checksum");
    return manifest;
}

Identity identity_in(const Manifest& manifest, const std::string& place) {
    Identity identity = identity_of_machine(manifest.machine, place);
    const auto set = [&](Thing thing, const std::string& value) {
        if (!value.empty()) identity[thing] = value;
    };
    set(Thing::recipe, manifest.recipe_hash.value_or(""));
    set(Thing::parameters, manifest.parameters_hash.value_or(""));
    if (!manifest.corpus) return identity;
    set(Thing::corpus, manifest.corpus->hash);
    set(Thing::tokenizer, manifest.corpus->tokenizer);
    std::string splits;
    if (manifest.corpus->splits.is_object())
        read_into(manifest.corpus->splits, place + ": 'splits'", "hash", splits);
    set(Thing::splits, splits);
    return identity;
}

std::filesystem::path manifest_path(const std::filesystem::path& folder) {
    return folder / "manifest.json";
}

Manifest read_manifest(const std::filesystem::path& folder) {
    const std::filesystem::path path = manifest_path(folder);
    return std::filesystem::exists(path) ? manifest_from(read_json(path), path.string()) : Manifest{};
}

void write_manifest(const std::filesystem::path& folder, const Manifest& manifest) {
    // As it will be read: a number that is not finite is null there.
    json object = json::parse(to_json(manifest).dump(-1, ' ', false, json::error_handler_t::replace));
    object["checksum"] = content_checksum(object);
    write_json(manifest_path(folder), object);
}

void change_manifest(const std::filesystem::path& folder, const std::function<void(Manifest&)>& change) {
    Manifest manifest = read_manifest(folder);
    change(manifest);
    write_manifest(folder, manifest);
}

}  // namespace locus
