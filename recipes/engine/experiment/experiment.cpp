#include "recipes/engine/experiment/experiment.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "framework/distributed/rank_errors.h"
#include "framework/io/atomic_file.h"
#include "framework/io/checksum.h"
#include "recipes/engine/config/cell_list.h"
#include "recipes/engine/config/write.h"
#include "recipes/engine/experiment/cell_reporter.h"
#include "recipes/engine/experiment/cell_runner.h"
#include "recipes/engine/experiment/experiment_plan.h"
#include "recipes/engine/experiment/foresight.h"
#include "recipes/engine/experiment/ranks_per_cell.h"
#include "recipes/engine/run/manifest.h"
#include "recipes/engine/run/own_folder.h"
#include "recipes/engine/run/same_recipe.h"

namespace fs = std::filesystem;

namespace locus {

namespace {

// Every folder that is there must belong to its cell, before any work is done. Where a recipe asks something
// else of the same model, its folder gets the new recipe, and is evaluated again if need be.
void take_folders(const std::vector<Cell>& cells, const fs::path& out) {
    std::vector<std::pair<const Cell*, bool>> changed;  // and whether its evaluation is another one
    for (const Cell& cell : cells) {
        const fs::path folder = out / cell.name, path = folder / "recipe.yaml";
        require_own_folder(folder);
        if (!fs::exists(path)) continue;
        const std::string here = write_recipe(cell.recipe, recipe_schema()), there = read_file(path);
        const auto differences = require_same_training(
            here, there, folder.string(),
            "this run folder belongs to another recipe; choose another --out or remove it");
        const bool evaluates =
            std::any_of(differences.begin(), differences.end(),
                        [](const KeyDifference& key) { return key.path.starts_with("evaluate."); });
        if (here != there) changed.emplace_back(&cell, evaluates);
    }
    for (const auto& [cell, evaluates] : changed) {
        const fs::path folder = out / cell->name;
        const std::string recipe = write_recipe(cell->recipe, recipe_schema());
        write_file_atomically(folder / "recipe.yaml", recipe);
        change_manifest(folder, [&](Manifest& manifest) {
            manifest.question = cell->recipe.question;
            manifest.varied = cell->varied;
            manifest.recipe_file = checksum(recipe);
            if (evaluates && manifest.is_done()) manifest.state = "trained";
        });
    }
}

constexpr double patience = 5;  // seconds for the ranks of a group to find the same fault

// A cell that failed before its folder was there leaves one, so that the table can say why it has no number.
void note_failure(const Cell& cell, Index index, const fs::path& folder, const std::string& reason) {
    const bool is_new = !fs::exists(folder / "recipe.yaml");
    if (is_new) {
        std::error_code error;
        fs::create_directories(folder, error);
        require(!error, Failure::storage, "{}: cannot be made: {}", folder.string(), error.message());
        write_file_atomically(folder / "recipe.yaml", write_recipe(cell.recipe, recipe_schema()));
    }
    change_manifest(folder, [&](Manifest& manifest) {
        if (is_new) name_cell(manifest, cell, index);
        manifest.state = "failed";
        manifest.failure = reason;
    });
}

// A cell whose beginning failed in this run cannot begin.
void require_source(const Cell& cell, const ExperimentResult& result) {
    for (const std::string& failure : result.failed)
        require(cell.source.empty() || !failure.starts_with(cell.source + ": "), Failure::storage,
                "begins with {}, which failed", cell.source);
}

// Those of arms that were not chosen are cells of the recipe as well.
std::vector<std::string> names_of_recipe(const std::vector<Cell>& cells) {
    if (!cells.empty() && cells.front().siblings) return *cells.front().siblings;
    std::vector<std::string> names;
    for (const Cell& cell : cells) names.push_back(cell.name);
    return names;
}

// Other processes may write the list at the same time: each waits for its turn.
void list_cells(const fs::path& out, const std::vector<std::string>& names, bool part) {
    std::string holder;
    std::optional<FolderLock> lock;
    for (int turn = 0; turn < 100 && !(lock = try_lock(out, holder)); ++turn)
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    require(lock.has_value(), Failure::storage, "{}: is in use by {}", out.string(), holder);
    write_cell_list(out, names, part);
}

// The cells that are not done, as rank 0 finds them: it alone sees the folders.
std::vector<std::size_t> cells_to_do(const Communicator& world, const std::vector<Cell>& cells,
                                     const fs::path& out) {
    std::vector<Index> open;
    on_root(world, [&] {
        take_folders(cells, out);
        for (std::size_t i = 0; i < cells.size(); ++i)
            if (!is_done(out / cells[i].name)) open.push_back(static_cast<Index>(i));
    });
    open.resize(static_cast<std::size_t>(world.largest(static_cast<long>(open.size()))));
    world.broadcast(std::span(open));
    return {open.begin(), open.end()};
}

// Adds up what the groups did.
ExperimentResult gather_results(const Communicator& world, const Communicator& group,
                                const ExperimentResult& own) {
    nlohmann::json words;
    if (group.is_root())
        words = {{"done", own.done},
                 {"skipped", own.skipped},
                 {"elsewhere", own.elsewhere},
                 {"interrupted", own.interrupted},
                 {"failed", own.failed}};
    ExperimentResult all;
    for (const std::string& text :
         world.gather(words.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))) {
        const auto part = nlohmann::json::parse(text);
        if (part.is_null()) continue;
        all.done += part["done"].get<Index>();
        all.skipped += part["skipped"].get<Index>();
        all.elsewhere += part["elsewhere"].get<Index>();
        all.interrupted = all.interrupted || part["interrupted"].get<bool>();
        for (const auto& line : part["failed"]) all.failed.push_back(line.get<std::string>());
    }
    return all;
}

// A cell's error as its whole group met it; throws it again where some ranks of the group did not.
std::string shared_reason(const Communicator& group, const Error& error) {
    if (group.alone()) return error.what();
    const SharedFailure shared = share_failure(group, error, patience);
    if (!shared.everywhere) throw error;
    return shared.message;
}

}  // namespace

ExperimentResult run_experiment(const std::vector<Cell>& cells, const fs::path& out,
                                const ExperimentRanks& ranks, Reporter& reporter, bool part) {
    const Communicator& world = ranks.world;
    require(ranks.ranks_per_cell <= world.size(), "--ranks-per-cell: expected at most the {} ranks, found {}",
            world.size(), ranks.ranks_per_cell);
    require(!begin_with_others(cells) || ranks.ranks_per_cell == 0 || ranks.ranks_per_cell == world.size(),
            "--ranks-per-cell {}: cells begin with other cells (from.arm), so one after the other is run by "
            "all {} ranks",
            ranks.ranks_per_cell, world.size());
    const auto [order, ranks_per_cell] =
        plan_experiment(cells, cells_to_do(world, cells, out), ranks, reporter);
    const Communicator group = group_of(world, ranks_per_cell);
    Workbench bench(ranks.threads, group);
    CellQueue queue(world, group, order);
    on_root(world, [&] {
        foresee(cells, order, bench, reporter);
        list_cells(out, names_of_recipe(cells), part);
    });
    CellReporter cell_reporter(reporter, queue, group.is_root(), cells.size(), order.size());
    ExperimentResult result;
    CellRunner runner(cells, out, bench, cell_reporter, result);
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (std::count(order.begin(), order.end(), i) > 0) continue;
        if (world.is_root()) {
            ++result.skipped;
            reporter.message(fmt::format("[{}/{}] {}: done before", i + 1, cells.size(), cells[i].name));
        }
        on_root(group, [&] { runner.add_done(cells[i], recorded_in(out / cells[i].name)); });
    }
    while (const auto next = queue.next()) {
        result.interrupted = group.any(reporter.stop());
        if (result.interrupted) break;
        const Cell& cell = cells[*next];
        const fs::path folder = out / cell.name;
        cell_reporter.begin(*next + 1);
        try {
            require_source(cell, result);
            runner.run(*next);
        } catch (const Error& error) {  // of this cell; the others go on
            const std::string reason = shared_reason(group, error);
            result.interrupted = error.kind() == Failure::interrupted;
            cell_reporter.message(cell.name + ": " + reason);
            if (!result.interrupted) {
                result.failed.push_back(cell.name + ": " + reason);
                on_root(group, [&] { note_failure(cell, static_cast<Index>(*next), folder, reason); });
            }
        }
        cell_reporter.end();
        if (result.interrupted) break;
    }
    queue.close();
    return gather_results(world, group, result);
}

}  // namespace locus
