#include "recipes/engine/config/vary.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "framework/core/error.h"
#include "framework/core/stop.h"
#include "recipes/engine/config/ancestry.h"
#include "recipes/engine/config/axes.h"
#include "recipes/engine/config/contrasts.h"
#include "recipes/engine/config/overrides.h"
#include "recipes/engine/config/resolve.h"
#include "recipes/engine/config/yaml.h"

namespace locus {

namespace {

constexpr std::size_t greatest_experiment = 10'000;  // cells

// A folder's name may hold a path's last part, not its slashes.
std::string safe(std::string text) {
    for (char& c : text)
        if (!fits_folder_name(c)) c = '_';
    return text;
}

// The last part of an axis, or the whole path where two axes end alike.
std::string short_axis(const std::string& axis, const std::vector<Coordinate>& cell) {
    const auto leaf = [](const std::string& path) { return path.substr(path.rfind('.') + 1); };
    const auto alike = std::count_if(cell.begin(), cell.end(),
                                     [&](const Coordinate& other) { return leaf(other.axis) == leaf(axis); });
    return alike > 1 ? axis : leaf(axis);
}

std::string cell_name(const std::vector<Coordinate>& cell, const std::string& path) {
    std::string name;
    for (const Coordinate& coordinate : cell) {
        if (!name.empty()) name += ",";
        if (coordinate.axis != "arm") name += short_axis(coordinate.axis, cell) + "=";
        name += safe(coordinate.value);
    }
    if (name.empty()) name = safe(std::filesystem::path(path).stem().string());
    return name.empty() || name[0] == '.' ? "run" : name;
}

// The value of `axis` in the spelling of the resolved recipe; keys that it lacks keep a canonical number.
std::string value_of(const std::string& axis, const std::string& written, const Draft& draft,
                     const Schema& schema) {
    if (axis == "arm") return written;
    const bool is_preset = axis == "encoding.kind" && written.starts_with(draft.recipe.encoding.kind + "@");
    if (is_preset) return written;  // more than its kind
    const Key* key = schema.find(axis, draft.recipe.encoding.kind);
    const auto value = key != nullptr ? key->write(draft.recipe) : std::nullopt;
    if (value && value->type == Value::Type::scalar) return value->text;
    if (const auto integer = integer_from(written)) return text_of(*integer);
    if (const auto number = number_from(written)) return text_of(*number);
    return written;
}

// `cell:` of a resolved recipe.
std::vector<Coordinate> read_cell(const Value& value, const Schema& schema) {
    if (value.type != Value::Type::map) refuse(value, "cell", "a map of what varies");
    std::vector<Coordinate> cell;
    for (const Entry& entry : value.entries) {
        if (entry.key != "arm" && schema.find(entry.key) == nullptr)
            schema.refuse_unknown(entry.key, entry.source);
        cell.push_back({entry.key, read_text(entry.value, "cell." + entry.key)});
    }
    return cell;
}

std::optional<Value> take(std::vector<Entry>& entries, const std::string& key) {
    const auto place =
        std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.key == key; });
    if (place == entries.end()) return std::nullopt;
    Value value = std::move(place->value);
    entries.erase(place);
    return value;
}

/// What is the same for all cells.
struct Experiment {
    std::string path;
    Layer base, overrides;
    std::vector<Axis> axes;
    std::vector<Coordinate> cell;  // of a resolved recipe
};

Experiment read_experiment(const RecipeFile& file, const std::vector<std::string>& overrides,
                           const Schema& schema) {
    Experiment experiment{file.path, {}, {}, {}, {}};
    std::vector<Entry> entries = file.root.entries;
    experiment.overrides = flatten(read_overrides(overrides, entries), schema);
    const auto vary = take(entries, "vary");
    const auto cell = take(entries, "cell");
    experiment.base = flatten(entries, schema);
    if (vary) experiment.axes = read_axes(*vary, schema);
    check_overrides(experiment.overrides, experiment.axes);
    if (cell) {
        require(experiment.axes.empty(), "{}: cell: a recipe that varies has no cell", cell->source.text());
        experiment.cell = read_cell(*cell, schema);
    }
    return experiment;
}

std::vector<Coordinate> coordinates(const Experiment& experiment, const std::vector<const Choice*>& choices,
                                    const Draft& draft, const Schema& schema) {
    std::vector<Coordinate> cell;
    for (std::size_t axis = 0; axis < choices.size(); ++axis) {
        const std::string& name = experiment.axes[axis].name;
        cell.push_back({name, value_of(name, choices[axis]->label, draft, schema)});
    }
    return cell;
}

/// A cell on its way: its layers lie over each other, its values are read, nothing is filled in.
struct Sketch {
    Layer layer;
    Layer said;                          // of these, what arms, grids and the command line say
    std::vector<const Choice*> choices;  // one an axis
    Draft draft;
    std::string label;                       // for messages
    std::optional<std::size_t> source = {};  // the sketch that it begins with, of `from.arm`
    std::shared_ptr<const Recipe> ancestor = {};
};

Index tokens_of(const Sketch& sketch) {
    const TrainOptions& train = sketch.draft.recipe.train;
    if (sketch.layer.values.contains("train.steps")) return sketch.draft.steps * train.batch_tokens;
    return train.steps() * train.batch_tokens;
}

// The cell of the arm that `from.arm` names, at the same grid values; arms come after those that they begin
// with, so that there is no circle.
std::size_t find_source(const std::string& arm, const Value& said, const Experiment& experiment,
                        const Sketch& sketch, const std::vector<Sketch>& earlier) {
    for (std::size_t i = 0; i < earlier.size(); ++i) {
        bool is_it = !sketch.choices.empty(), has_arm = false;
        for (std::size_t axis = 0; axis < sketch.choices.size(); ++axis) {
            const Choice* there = earlier[i].choices[axis];
            const bool is_arms = experiment.axes[axis].name == "arm";
            has_arm = has_arm || is_arms;
            is_it = is_it && (is_arms ? there->label == arm : there == sketch.choices[axis]);
        }
        if (is_it && has_arm) return i;
    }
    fail(Failure::usage, "{}: from.arm: there is no arm '{}' before this one in `vary`", said.source.text(),
         arm);
}

const Value* value_at(const Layer& layer, const std::string& path) {
    const auto place = layer.values.find(path);
    return place == layer.values.end() ? nullptr : &place->second;
}

// Takes over what the layer does not say from the run that it begins with. A resolved recipe has taken it
// already.
void take_over(Sketch& sketch, const Experiment& experiment, const std::vector<Sketch>& earlier,
               const Schema& schema) {
    const Value *arm = value_at(sketch.layer, "from.arm"), *run = value_at(sketch.layer, "from.run");
    if (has_inherited(sketch.layer) || (arm == nullptr) == (run == nullptr)) return;
    const Value* step = value_at(sketch.layer, "from.step");
    if (run != nullptr) {
        Draft draft;
        if (step != nullptr) schema.find("from.step")->read(draft, *step);
        const Ancestor ancestor =
            read_ancestor(read_text(*run, "from.run"), draft.recipe.from.step, run->source, schema);
        const Source source = run->source;
        inherit(sketch.layer, Layer(sketch.layer), ancestor, source, schema);
        sketch.ancestor = std::make_shared<const Recipe>(ancestor.recipe);
        return;
    }
    sketch.source = find_source(read_text(*arm, "from.arm"), *arm, experiment, sketch, earlier);
    const Sketch& there = earlier[*sketch.source];
    Index at = tokens_of(there) / there.draft.recipe.train.batch_tokens;
    if (step != nullptr && step->text != "last") at = read_integer(*step, "from.step", {0, at});
    const Source source = arm->source;
    inherit(sketch.layer, sketch.said, ancestor_of(there.draft.recipe, at, source, schema), source, schema);
    sketch.ancestor = std::make_shared<const Recipe>(there.draft.recipe);
}

Sketch sketch_of(const Experiment& experiment, const std::vector<const Choice*>& choices,
                 const std::vector<Sketch>& earlier, const Schema& schema) {
    Sketch sketch;
    sketch.layer = experiment.base;
    sketch.choices = choices;
    for (std::size_t axis = 0; axis < choices.size(); ++axis) {
        lay_over(sketch.layer, choices[axis]->layer, schema);
        lay_over(sketch.said, choices[axis]->layer, schema);
        sketch.label += (axis == 0 ? " (cell " : ",") + choices[axis]->label;
    }
    if (!choices.empty()) sketch.label += ")";
    lay_over(sketch.layer, experiment.overrides, schema);
    lay_over(sketch.said, experiment.overrides, schema);
    try {
        take_over(sketch, experiment, earlier, schema);
        sketch.draft = draft_of(sketch.layer, schema);
        resolve_function(sketch.draft, sketch.layer, schema, experiment.path);
    } catch (const Error& error) {
        fail(error.kind(), "{}{}", error.what(), sketch.label);
    }
    auto& cell = sketch.draft.recipe.cell;
    cell = coordinates(experiment, choices, sketch.draft, schema);
    for (const Coordinate& coordinate : experiment.cell) {
        const auto over = experiment.overrides.values.find(coordinate.axis);
        const bool overridden = over != experiment.overrides.values.end();
        cell.push_back(overridden ? Coordinate{coordinate.axis, value_of(coordinate.axis, over->second.text,
                                                                         sketch.draft, schema)}
                                  : coordinate);
    }
    return sketch;
}

// All combinations, the first axis slowest.
std::vector<Sketch> sketches_of(const Experiment& experiment, const Schema& schema) {
    std::size_t count = 1;
    for (const Axis& axis : experiment.axes) {
        count *= axis.choices.size();
        require(count <= greatest_experiment, "{}: vary makes more than {} cells", experiment.path,
                greatest_experiment);
    }
    std::vector<Sketch> sketches;
    for (std::size_t index = 0; index < count; ++index) {
        throw_if_stopped();
        std::vector<const Choice*> choices(experiment.axes.size());
        std::size_t rest = index;
        for (std::size_t axis = choices.size(); axis-- > 0;) {
            const auto& all = experiment.axes[axis].choices;
            choices[axis] = &all[rest % all.size()];
            rest /= all.size();
        }
        sketches.push_back(sketch_of(experiment, choices, sketches, schema));
    }
    return sketches;
}

// What the arms and grids set: all else must be equal between cells.
std::vector<std::string> varied_keys(const Experiment& experiment) {
    std::set<std::string> keys;
    for (const Axis& axis : experiment.axes) {
        for (const Choice& choice : axis.choices) {
            for (const auto& [path, value] : choice.layer.values) keys.insert(path);
            keys.insert(choice.layer.blocks.begin(), choice.layer.blocks.end());
        }
    }
    return {keys.begin(), keys.end()};
}

// Where a recipe has grids and no arms, the rows of its table are its first grid that is nothing else there.
void choose_rows(TableOptions& table, const Experiment& experiment, const Layer& layer) {
    if (layer.values.contains("table.rows")) return;
    for (const Axis& axis : experiment.axes) {
        const bool is_column =
            std::find(table.columns.begin(), table.columns.end(), axis.name) != table.columns.end();
        if (axis.name != "arm" && (is_column || axis.name == table.over)) continue;
        table.rows = axis.name;
        return;
    }
}

}  // namespace

RecipeFile read_recipe(const std::string& path) {
    RecipeFile file{path, read_yaml_file(path)};
    if (file.root.type != Value::Type::map)
        fail(Failure::usage, "{}: expected a recipe: keys and values, found {}", file.root.source.text(),
             describe(file.root));
    return file;
}

std::vector<Cell> expand(const RecipeFile& file, const std::vector<std::string>& overrides,
                         const Schema& schema) {
    const Experiment experiment = read_experiment(file, overrides, schema);
    std::vector<Sketch> sketches = sketches_of(experiment, schema);
    LongestOfArms longest;
    for (const Sketch& sketch : sketches) {
        longest.window = std::max(longest.window, sketch.draft.recipe.train.length);
        longest.root = std::max(longest.root, root_length(sketch.draft.recipe));
    }
    check_contrasts(sketches.front().draft.recipe.table.contrasts, experiment.axes, file.path);
    std::vector<Cell> cells;
    for (Sketch& sketch : sketches) {
        throw_if_stopped();
        Cell cell;
        cell.name = cell_name(sketch.draft.recipe.cell, file.path);
        cell.varied = varied_keys(experiment);
        if (sketch.source) cell.source = cells[*sketch.source].name;
        cell.ancestor = std::move(sketch.ancestor);
        choose_rows(sketch.draft.recipe.table, experiment, sketch.layer);
        try {
            cell.recipe =
                resolved(std::move(sketch.draft), sketch.layer, longest, schema, file.path, cell.notes);
        } catch (const Error& error) {
            fail(error.kind(), "{}{}", error.what(), sketch.label);
        }
        for (const Cell& other : cells)
            require(other.name != cell.name, "{}: vary: two cells are named '{}'", file.path, cell.name);
        cells.push_back(std::move(cell));
    }
    return cells;
}

}  // namespace locus
