#include "recipes/engine/report/run_folder.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "framework/core/error.h"
#include "framework/core/stop.h"
#include "framework/io/checksum.h"
#include "framework/io/input_file.h"
#include "framework/io/json_file.h"
#include "recipes/engine/config/cell_list.h"
#include "recipes/engine/config/schema.h"
#include "recipes/engine/config/yaml.h"
#include "recipes/engine/identity/measured.h"
#include "recipes/engine/measure/contradictions.h"
#include "recipes/engine/report/table_words.h"

namespace locus {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

void flatten(const Value& value, const std::string& path, RunFolder& run) {
    if (value.type == Value::Type::map) {
        for (const Entry& entry : value.entries)
            flatten(entry.value, path.empty() ? entry.key : path + "." + entry.key, run);
        return;
    }
    auto& texts = run.recipe[path];
    if (value.type == Value::Type::scalar) texts = {value.text};
    for (const Value& item : value.items) texts.push_back(item.text);
}

void read_recipe_of(const fs::path& path, RunFolder& run) {
    require(fs::is_regular_file(path), Failure::storage, "{}: is missing: this is not a whole run folder",
            path.string());
    Value root;
    try {
        root = read_yaml_file(path.string());
    } catch (const Error& error) {
        fail(Failure::storage, "{}", error.what());
    }
    require(root.type == Value::Type::map, Failure::storage, "{}: expected a resolved recipe, found {}",
            path.string(), describe(root));
    for (const Entry& entry : root.entries) {
        require(entry.key != "vary", Failure::storage,
                "{}: expected the resolved recipe of one run, found 'vary'", path.string());
        if (entry.key != "cell") {
            flatten(entry.value, entry.key, run);
            continue;
        }
        for (const Entry& coordinate : entry.value.entries)
            run.cell.push_back({coordinate.key, coordinate.value.text});
    }
}

void read_evaluations(const fs::path& path, RunFolder& run) {
    if (!fs::is_regular_file(path)) return;
    const json summary = read_json(path);
    require(summary.is_object(), Failure::storage, "{}: expected a JSON object, found {}", path.string(),
            summary.type_name());
    try {
        for (const json& object : summary.at("runs")) {
            run.evaluations.push_back(evaluation_of(object, path.string()));
            const auto wrong = contradictions(object, run.evaluations.back());
            require(wrong.empty(), Failure::storage, "{}: {}", path.string(),
                    wrong.empty() ? "" : wrong.front());
        }
    } catch (const json::exception& error) {
        fail(Failure::storage, "{}: expected runs[{{protocol, split, results[]}}]: {}", path.string(),
             reason_of(error));
    }
    check_signature(summary, run.identity, path.string());
    run.measured = measured_in(summary, path.string());
}

void read_manifest_of(const fs::path& folder, RunFolder& run) {
    run.state = "without a manifest";
    if (!fs::is_regular_file(manifest_path(folder))) return;
    run.manifest = read_manifest(folder);
    // An evaluation that is there speaks for a run whose manifest says nothing.
    run.state = run.manifest.state.value_or("done");
    run.identity = identity_in(run.manifest, manifest_path(folder).string());
    const auto& recipe = run.manifest.recipe_file;
    run.recipe_was_changed = recipe && *recipe != checksum(read_file(folder / "recipe.yaml"));
}

bool is_run_folder(const fs::path& folder) {
    return fs::exists(folder / "recipe.yaml") || fs::exists(manifest_path(folder));
}

/// What all cells of one experiment share.
std::vector<std::pair<std::string, std::string>> identity(const RunFolder& run) {
    std::vector<std::pair<std::string, std::string>> parts;
    for (const char* key :
         {"question", "table.rows", "table.columns", "table.cell", "table.over", "table.contrasts"})
        parts.emplace_back(key, run.value(key));
    std::string axes;
    for (const Coordinate& coordinate : run.cell) axes += (axes.empty() ? "" : ", ") + coordinate.axis;
    parts.emplace_back("cell", axes);
    return parts;
}

void check_one_experiment(const std::vector<RunFolder>& runs, const fs::path& folder) {
    for (const RunFolder& run : runs) {
        const auto expected = identity(runs.front()), found = identity(run);
        for (std::size_t i = 0; i < found.size(); ++i)
            require(found[i] == expected[i], Failure::storage,
                    "{}: holds runs of different experiments: {} is '{}' in {} and '{}' in {}",
                    folder.string(), found[i].first, expected[i].second, runs.front().name, found[i].second,
                    run.name);
    }
}

}  // namespace

bool RunFolder::varies(const std::string& axis) const {
    return std::any_of(cell.begin(), cell.end(), [&](const auto& at) { return at.axis == axis; });
}

std::string RunFolder::value(const std::string& key) const {
    for (const Coordinate& coordinate : cell)
        if (coordinate.axis == key) return coordinate.value;
    const auto place = recipe.find(key);
    if (place == recipe.end()) return "";
    if (place->second.size() == 1) return place->second.front();
    std::string text;
    for (const std::string& item : place->second) text += (text.empty() ? "" : ", ") + item;
    return "[" + text + "]";
}

RunFolder read_run_folder(const fs::path& folder) {
    RunFolder run;
    run.path = folder;
    run.name = fs::absolute(folder).lexically_normal().filename().string();
    if (run.name.empty())
        run.name = fs::absolute(folder).lexically_normal().parent_path().filename().string();
    read_recipe_of(folder / "recipe.yaml", run);
    read_manifest_of(folder, run);
    read_evaluations(folder / "evaluations" / "summary.json", run);
    return run;
}

std::vector<fs::path> run_folders_in(const fs::path& folder) {
    require(fs::is_directory(folder), Failure::storage, "{}: is not a folder", folder.string());
    std::vector<fs::path> folders;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
        if (fs::is_directory(entry->path()) && is_run_folder(entry->path())) folders.push_back(entry->path());
    require(!error, Failure::storage, "{}: cannot be listed: {}", folder.string(), error.message());
    if (folders.empty() && is_run_folder(folder)) folders = {folder};
    std::sort(folders.begin(), folders.end());
    return folders;
}

RunFolders read_run_folders(const fs::path& folder) {
    RunFolders found;
    std::vector<RunFolder>& runs = found.runs;
    const auto cells = is_run_folder(folder) ? std::nullopt : read_cell_list(folder);
    for (const fs::path& path : run_folders_in(folder)) {
        throw_if_stopped();
        const std::string name = path.filename().string();
        if (cells && std::find(cells->begin(), cells->end(), name) == cells->end())
            found.left_out.push_back(name);
        else
            runs.push_back(read_run_folder(path));
    }
    require(!runs.empty(), Failure::storage, "{}: holds no run folder (recipe.yaml, manifest.json){}",
            folder.string(), found.left_out.empty() ? "" : " of a cell that its recipe has");
    check_one_experiment(runs, folder);
    const auto place = [](const RunFolder& run) {  // behind all others where it is not told
        return run.manifest.index.value_or(std::numeric_limits<Index>::max());
    };
    std::stable_sort(runs.begin(), runs.end(), [&](const RunFolder& a, const RunFolder& b) {
        return place(a) != place(b) ? place(a) < place(b) : natural_less(a.name, b.name);
    });
    return found;
}

void choose_arms(RunFolders& folders, const std::vector<std::string>& arms) {
    std::vector<std::string> known;
    for (const RunFolder& run : folders.runs)
        if (run.varies("arm")) add_once(known, run.value("arm"));
    for (const std::string& arm : arms)
        require(contains(known, arm), "--arms: expected {}, found '{}'",
                known.empty() ? "runs that have arms" : "names of their arms: " + joined(known), arm);
    std::erase_if(folders.runs, [&](const RunFolder& run) { return !contains(arms, run.value("arm")); });
    std::copy_if(known.begin(), known.end(), std::back_inserter(folders.not_chosen),
                 [&](const std::string& arm) { return !contains(arms, arm); });
}

bool natural_less(const std::string& a, const std::string& b) {
    const auto x = number_from(a), y = number_from(b);
    if (x && y) return *x != *y ? *x < *y : a < b;
    if (x.has_value() != y.has_value()) return x.has_value();
    return a < b;
}

}  // namespace locus
