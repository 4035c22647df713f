#include "recipes/engine/vary.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "framework/core/error.h"
#include "recipes/engine/ancestry.h"
#include "recipes/engine/axes.h"
#include "recipes/engine/overrides.h"
#include "recipes/engine/resolve.h"
#include "recipes/engine/yaml.h"

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
    Draft draft;
    std::string label;                       // for messages
    std::optional<std::size_t> source = {};  // the sketch that it begins with, of `from.arm`
};

Index tokens_of(const Sketch& sketch) {
    const TrainOptions& train = sketch.draft.recipe.train;
    if (sketch.layer.values.contains("train.steps")) return sketch.draft.steps * train.batch_tokens;
    return train.steps() * train.batch_tokens;
}

bool is_same_place(const std::vector<Coordinate>& a, const std::vector<Coordinate>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Coordinate& x, const Coordinate& y) {
        return x.axis == y.axis && (x.axis == "arm" || x.value == y.value);
    });
}

// The cell of the arm that `from.arm` names, at the same grid values; arms come after those that they begin
// with, so that there is no circle.
std::size_t find_source(const std::string& arm, const Value& said, const std::vector<Coordinate>& cell,
                        const std::vector<Sketch>& earlier) {
    for (std::size_t i = 0; i < earlier.size(); ++i) {
        const auto& there = earlier[i].draft.recipe.cell;
        const bool is_arm = std::any_of(there.begin(), there.end(), [&](const Coordinate& at) {
            return at.axis == "arm" && at.value == arm;
        });
        if (is_arm && is_same_place(cell, there)) return i;
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
void take_over(Sketch& sketch, const std::vector<Coordinate>& cell, const std::vector<Sketch>& earlier,
               const Schema& schema) {
    const Value *arm = value_at(sketch.layer, "from.arm"), *run = value_at(sketch.layer, "from.run");
    if (sketch.layer.values.contains("from.original_length") || (arm == nullptr) == (run == nullptr)) return;
    Ancestor ancestor;
    const Source source = (arm != nullptr ? arm : run)->source;
    if (arm != nullptr) {
        sketch.source = find_source(read_text(*arm, "from.arm"), *arm, cell, earlier);
        const Sketch& there = earlier[*sketch.source];
        const Recipe& recipe = there.draft.recipe;
        ancestor = {there.layer, recipe, tokens_of(there) / recipe.train.batch_tokens,
                    recipe.from.tokens + tokens_of(there)};
        const Value* step = value_at(sketch.layer, "from.step");
        if (step != nullptr && step->text != "last") {
            ancestor.step = read_integer(*step, "from.step", {0, ancestor.step});
            ancestor.tokens = recipe.from.tokens + ancestor.step * recipe.train.batch_tokens;
        }
    } else {
        Draft draft;
        if (const Value* step = value_at(sketch.layer, "from.step"))
            schema.find("from.step")->read(draft, *step);
        ancestor = read_ancestor(read_text(*run, "from.run"), draft.recipe.from.step, schema);
    }
    inherit(sketch.layer, ancestor, source, schema);
}

Sketch sketch_of(const Experiment& experiment, const std::vector<const Choice*>& choices,
                 const std::vector<Sketch>& earlier, const Schema& schema) {
    Sketch sketch;
    sketch.layer = experiment.base;
    for (std::size_t axis = 0; axis < choices.size(); ++axis) {
        lay_over(sketch.layer, choices[axis]->layer, schema);
        sketch.label += (axis == 0 ? " (cell " : ",") + choices[axis]->label;
    }
    if (!choices.empty()) sketch.label += ")";
    lay_over(sketch.layer, experiment.overrides, schema);
    try {
        sketch.draft = draft_of(sketch.layer, schema);
        if (sketch.draft.recipe.from.given()) {
            take_over(sketch, coordinates(experiment, choices, sketch.draft, schema), earlier, schema);
            sketch.draft = draft_of(sketch.layer, schema);
        }
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
    Index longest = 0;
    for (const Sketch& sketch : sketches) longest = std::max(longest, sketch.draft.recipe.train.length);
    check_contrasts(sketches.front().draft.recipe.table.contrasts, experiment.axes, file.path);
    std::vector<Cell> cells;
    for (Sketch& sketch : sketches) {
        Cell cell;
        cell.name = cell_name(sketch.draft.recipe.cell, file.path);
        cell.varied = varied_keys(experiment);
        if (sketch.source) cell.source = cells[*sketch.source].name;
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
