#include "recipes/engine/config/vary.h"

#include <algorithm>
#include <map>
#include <set>

#include "framework/core/error.h"
#include "framework/core/stop.h"
#include "recipes/engine/config/ancestry.h"
#include "recipes/engine/config/cell_name.h"
#include "recipes/engine/config/contrasts.h"
#include "recipes/engine/config/experiment_text.h"
#include "recipes/engine/config/resolve.h"

namespace locus {

namespace {

// The value of `axis` in the spelling of the resolved recipe; keys that it lacks keep a canonical number.
std::string value_of(const std::string& axis, const std::string& written, const Draft& draft,
                     const Schema& schema) {
    if (axis.find('.') == std::string::npos) return written;  // a name
    const bool is_preset = axis == "encoding.kind" && written.starts_with(draft.recipe.encoding.kind + "@");
    if (is_preset) return written;  // more than its kind
    const Key* key = schema.find(axis, draft.recipe.encoding.kind);
    const auto value = key != nullptr ? key->write(draft.recipe) : std::nullopt;
    if (value && value->type == Value::Type::scalar) return value->text;
    if (const auto integer = integer_from(written)) return text_of(*integer);
    if (const auto number = number_from(written)) return text_of(*number);
    return written;
}

using Choices = std::vector<const Choice*>;  // one for each axis

Choices choices_of(const Variation& variation, const std::vector<std::size_t>& combination) {
    Choices choices;
    for (std::size_t axis = 0; axis < combination.size(); ++axis)
        choices.push_back(&variation.axes[axis].choices[combination[axis]]);
    return choices;
}

std::vector<Coordinate> coordinates(const ExperimentText& experiment, const Choices& choices,
                                    const Draft& draft, const Schema& schema) {
    std::vector<Coordinate> cell;
    for (std::size_t axis = 0; axis < choices.size(); ++axis) {
        const std::string& name = experiment.variation.axes[axis].name;
        cell.push_back({name, value_of(name, choices[axis]->label, draft, schema)});
    }
    return cell;
}

/// A cell on its way: its overlays lie over each other, its values are read, nothing is filled in.
struct Sketch {
    Overlay overlay;
    Overlay said;  // of these, what arms, grids and the command line say
    Choices choices;
    Draft draft;
    std::string label;                       // for messages
    std::optional<std::size_t> source = {};  // the sketch that it begins with, of `from.arm`
    std::shared_ptr<const Recipe> ancestor = {};
};

Index tokens_of(const Sketch& sketch) {
    const TrainOptions& train = sketch.draft.recipe.train;
    if (sketch.overlay.values.contains("train.steps")) return sketch.draft.steps * train.batch_tokens;
    return train.steps() * train.batch_tokens;
}

/// The sketches so far, also by their choices.
struct Sketches {
    std::vector<Sketch> all;
    std::map<Choices, std::size_t> places;
    EarlierRuns runs = {};
};

// The cell of the arm that `from.arm` names, at the same values of the other axes; arms come after those that
// they begin with, so that there is no circle.
std::size_t find_source(const std::string& name, const Value& said, const ExperimentText& experiment,
                        const Sketch& sketch, const Sketches& earlier) {
    if (const Axis* arms = experiment.variation.arms()) {
        Choices there = sketch.choices;
        for (const Choice& arm : arms->choices) {
            there.front() = &arm;
            const auto place = earlier.places.find(there);
            if (arm.label == name && place != earlier.places.end()) return place->second;
        }
    }
    fail(Failure::usage, "{}: from.arm: there is no arm '{}' before this one in `vary`", said.source.text(),
         name);
}

const Value* value_at(const Overlay& overlay, const std::string& path) {
    const auto place = overlay.values.find(path);
    return place == overlay.values.end() ? nullptr : &place->second;
}

// Of a cell whose values are read: what the axes say, then what the recipe is a cell of already.
std::vector<Coordinate> cell_of(const ExperimentText& experiment, const Choices& choices, const Draft& draft,
                                const Schema& schema) {
    std::vector<Coordinate> cell = coordinates(experiment, choices, draft, schema);
    for (const Coordinate& coordinate : experiment.cell) {
        const auto over = experiment.overrides.values.find(coordinate.axis);
        const bool overridden = over != experiment.overrides.values.end();
        cell.push_back(overridden ? Coordinate{coordinate.axis,
                                               value_of(coordinate.axis, over->second.text, draft, schema)}
                                  : coordinate);
    }
    return cell;
}

// What the cell took over when it was started before; nothing while the run that it begins with is there.
std::optional<Ancestor> taken_before(const Sketch& sketch, const FromOptions& from, const Source& source,
                                     const ExperimentText& experiment, const EarlierRuns& runs,
                                     const Schema& schema) {
    if (!runs || std::filesystem::exists(from.path())) return std::nullopt;
    Draft draft;
    try {  // what is inherited, such as the kind, is not known yet: a cell without axes needs none of it
        if (!sketch.choices.empty() || !experiment.cell.empty()) draft = draft_of(sketch.overlay, schema);
    } catch (const Error&) {
        return std::nullopt;  // the run that is missing will be named
    }
    const auto cell = cell_of(experiment, sketch.choices, draft, schema);
    const std::string name = cell_name(cell_title(cell, experiment.path), experiment.path);
    return remembered_ancestor(runs(name), from, source, schema);
}

// Takes over what the overlay does not say from the run that it begins with. A resolved recipe has taken it
// already.
void take_over(Sketch& sketch, const ExperimentText& experiment, const Sketches& earlier,
               const Schema& schema) {
    const Value *arm = value_at(sketch.overlay, "from.arm"), *run = value_at(sketch.overlay, "from.run");
    if (has_inherited(sketch.overlay) || (arm == nullptr) == (run == nullptr)) return;
    const Value* step = value_at(sketch.overlay, "from.step");
    if (run != nullptr) {
        Draft draft;
        if (step != nullptr) schema.find("from.step")->read(draft, *step);
        schema.find("from.run")->read(draft, *run);
        const FromOptions& from = draft.recipe.from;
        const Source source = run->source;
        if (const auto before = taken_before(sketch, from, source, experiment, earlier.runs, schema))
            return inherit(sketch.overlay, Overlay(sketch.overlay), *before, source, schema);
        const Ancestor ancestor = read_ancestor(from.path().string(), from.step, source, schema);
        inherit(sketch.overlay, Overlay(sketch.overlay), ancestor, source, schema);
        sketch.ancestor = std::make_shared<const Recipe>(ancestor.recipe);
        return;
    }
    sketch.source = find_source(read_text(*arm, "from.arm"), *arm, experiment, sketch, earlier);
    const Sketch& there = earlier.all[*sketch.source];
    Index at = tokens_of(there) / there.draft.recipe.train.batch_tokens;
    if (step != nullptr && step->text != "last") at = read_integer(*step, "from.step", {0, at});
    const Source source = arm->source;
    inherit(sketch.overlay, sketch.said, ancestor_of(there.draft.recipe, at, source, schema), source, schema);
    sketch.ancestor = std::make_shared<const Recipe>(there.draft.recipe);
}

Sketch sketch_of(const ExperimentText& experiment, const std::vector<std::size_t>& combination,
                 const Sketches& earlier, const Schema& schema) {
    const Choices choices = choices_of(experiment.variation, combination);
    Sketch sketch;
    sketch.overlay = experiment.base;
    sketch.choices = choices;
    const auto lay = [&](const Overlay& overlay) {
        lay_over(sketch.overlay, overlay, schema);
        lay_over(sketch.said, overlay, schema);
    };
    for (std::size_t axis = 0; axis < choices.size(); ++axis) {
        lay(choices[axis]->overlay);
        sketch.label += (axis == 0 ? " (cell " : ",") + choices[axis]->label;
    }
    for (const ConditionalOverlay& addition : experiment.variation.when)
        if (addition.condition.holds(combination)) lay(addition.overlay);
    if (!choices.empty()) sketch.label += ")";
    lay(experiment.overrides);
    try {
        take_over(sketch, experiment, earlier, schema);
        sketch.draft = draft_of(sketch.overlay, schema);
        resolve_function(sketch.draft, sketch.overlay, schema, experiment.path);
    } catch (const Error& error) {
        fail(error.kind(), "{}{}", error.what(), sketch.label);
    }
    sketch.draft.recipe.cell = cell_of(experiment, choices, sketch.draft, schema);
    return sketch;
}

Sketches sketches_of(const ExperimentText& experiment, const Schema& schema, const EarlierRuns& earlier) {
    Sketches sketches;
    sketches.runs = earlier;
    for (const auto& combination : experiment.variation.cells) {
        throw_if_stopped();
        Sketch sketch = sketch_of(experiment, combination, sketches, schema);
        sketches.places.emplace(sketch.choices, sketches.all.size());
        sketches.all.push_back(std::move(sketch));
    }
    return sketches;
}

// What the axes set: all else must be equal between cells.
std::vector<std::string> varied_keys(const Variation& variation) {
    std::set<std::string> keys;
    const auto add = [&](const Overlay& overlay) {
        for (const auto& [path, value] : overlay.values) keys.insert(path);
        keys.insert(overlay.blocks.begin(), overlay.blocks.end());
    };
    for (const Axis& axis : variation.axes)
        for (const Choice& choice : axis.choices) add(choice.overlay);
    for (const ConditionalOverlay& addition : variation.when) add(addition.overlay);
    return {keys.begin(), keys.end()};
}

// Where a recipe has grids and no arms, the rows of its table are its first grid that is nothing else there.
void choose_rows(TableOptions& table, const ExperimentText& experiment, const Overlay& overlay) {
    if (overlay.values.contains("table.rows")) return;
    for (const Axis& axis : experiment.variation.axes) {
        const bool is_column =
            std::find(table.columns.begin(), table.columns.end(), axis.name) != table.columns.end();
        if (axis.name != "arm" && (is_column || axis.name == table.over)) continue;
        table.rows = axis.name;
        return;
    }
}

// Positions that a cell inherits from an arm are those that this arm was given at last: the number that was
// left open there follows from what it is evaluated on.
void take_positions(Recipe& recipe, const Overlay& overlay, const Recipe& source) {
    if (overlay.values.contains("data.max_position")) return;
    if (recipe.data.positions.kind == source.data.positions.kind)
        recipe.data.positions.max_position = source.data.positions.max_position;
}

// Leaves the cells of the chosen arms and those that they begin with.
void choose(std::vector<Cell>& cells, const std::vector<std::optional<std::size_t>>& sources,
            const std::vector<std::string>& chosen) {
    std::vector<bool> kept(cells.size(), false);
    for (std::size_t i = cells.size(); i-- > 0;) {
        cells[i].asked = std::count(chosen.begin(), chosen.end(), cells[i].recipe.cell.front().value) > 0;
        kept[i] = kept[i] || cells[i].asked;
        if (kept[i] && sources[i]) kept[*sources[i]] = true;
    }
    std::size_t count = 0;
    for (std::size_t i = 0; i < cells.size(); ++i)
        if (kept[i]) std::swap(cells[count++], cells[i]);
    cells.resize(count);
}

// What to say for the first of these cells alone: "--arms rope vary.train.seed=[0] chooses one, ".
std::string choice_of_first(const std::vector<Cell>& cells) {
    std::string words;
    if (cells.empty()) return words;
    const std::vector<Coordinate>& first = cells.front().recipe.cell;
    for (std::size_t i = 0; i < first.size(); ++i) {
        const auto& [axis, value] = first[i];
        if (std::all_of(cells.begin(), cells.end(),
                        [&](const Cell& cell) { return cell.recipe.cell[i].value == value; }))
            continue;
        words += axis == "arm" ? fmt::format("--arms {} ", value) : fmt::format("vary.{}=[{}] ", axis, value);
    }
    return words.empty() ? words : words + "chooses one, ";
}

}  // namespace

std::vector<Cell> expand(const RecipeFile& file, const std::vector<std::string>& overrides,
                         const Schema& schema, const EarlierRuns& earlier) {
    const ExperimentText experiment = read_experiment(file, overrides, schema);
    Sketches sketches = sketches_of(experiment, schema, earlier);
    LongestOfArms longest;
    for (const Sketch& sketch : sketches.all) {
        longest.window = std::max(longest.window, sketch.draft.recipe.train.length);
        longest.root = std::max(longest.root, root_length(sketch.draft.recipe));
    }
    const std::vector<std::string> varied = varied_keys(experiment.variation);
    const TableOptions contrasts =
        with_contrasts(sketches.all.front().draft.recipe.table, experiment.variation, file.path);
    std::vector<Cell> cells;
    std::vector<std::optional<std::size_t>> sources;
    std::set<std::string> names;
    for (Sketch& sketch : sketches.all) {
        throw_if_stopped();
        Cell cell;
        const std::string title = cell_title(sketch.draft.recipe.cell, file.path);
        cell.name = cell_name(title, file.path);
        if (cell.name != title) cell.title = title;
        require(names.insert(cell.name).second, "{}: vary: two cells are named '{}'", file.path, title);
        cell.varied = varied;
        cell.ancestor = std::move(sketch.ancestor);
        sketch.draft.recipe.table.contrasts = contrasts.contrasts;
        sketch.draft.recipe.table.primary_contrasts = contrasts.primary_contrasts;
        choose_rows(sketch.draft.recipe.table, experiment, sketch.overlay);
        if (sketch.source) {
            cell.source = cells[*sketch.source].name;
            take_positions(sketch.draft.recipe, sketch.overlay, cells[*sketch.source].recipe);
        }
        try {
            cell.recipe =
                resolved(std::move(sketch.draft), sketch.overlay, longest, schema, file.path, cell.notes);
        } catch (const Error& error) {
            fail(error.kind(), "{}{}", error.what(), sketch.label);
        }
        sources.push_back(sketch.source);
        cells.push_back(std::move(cell));
    }
    auto siblings = std::make_shared<std::vector<std::string>>();
    for (const Cell& cell : cells) siblings->push_back(cell.name);
    for (Cell& cell : cells) cell.siblings = siblings;
    if (!experiment.chosen.empty()) choose(cells, sources, experiment.chosen);
    return cells;
}

Cell one_cell(std::vector<Cell> cells, const std::string& path, const std::string& hint) {
    std::erase_if(cells, [](const Cell& cell) { return !cell.asked; });
    require(cells.size() == 1, "{}: varies over {} cells; {}vary={{}} takes the recipe as it stands", path,
            cells.size(), hint + choice_of_first(cells));
    return std::move(cells.front());
}

}  // namespace locus
