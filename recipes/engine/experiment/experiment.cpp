#include "recipes/engine/experiment/experiment.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "data/tokenizer.h"
#include "framework/distributed/rank_errors.h"
#include "framework/io/atomic_file.h"
#include "framework/io/checksum.h"
#include "framework/io/machine.h"
#include "recipes/engine/config/cell_list.h"
#include "recipes/engine/config/write.h"
#include "recipes/engine/evaluation/evaluate.h"
#include "recipes/engine/evaluation/evaluation_store.h"
#include "recipes/engine/experiment/cell_queue.h"
#include "recipes/engine/experiment/cell_runner.h"
#include "recipes/engine/experiment/experiment_plan.h"
#include "recipes/engine/experiment/foresight.h"
#include "recipes/engine/experiment/ranks_per_cell.h"
#include "recipes/engine/run/manifest.h"
#include "recipes/engine/run/same_recipe.h"

namespace fs = std::filesystem;

namespace locus {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

// XXH3-128 of what was scored: protocols, documents, places and targets; not of the losses.
std::string items_hash(const EvaluationReport& report) {
    Checksum checksum;
    for (const ProtocolRun& run : report.runs) {
        checksum.add(run.protocol + " " + run.split);
        for (const auto* numbers : {&run.losses.document, &run.losses.index}) {
            checksum.add(std::span<const Index>(*numbers));
        }
        checksum.add(std::as_bytes(std::span(run.losses.target)));
    }
    return checksum.hex();
}

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
        write_file_atomically(folder / "recipe.yaml", write_recipe(cell->recipe, recipe_schema()));
        change_manifest(folder, [&](Manifest& manifest) {
            manifest.question = cell->recipe.question;
            manifest.varied = cell->varied;
            if (evaluates && manifest.is_done()) manifest.state = "trained";
        });
    }
}

// Puts the cell's place and the time left for all cells in front of what a cell reports. Of a group, rank 0
// speaks.
class CellReporter : public Reporter {
  public:
    CellReporter(Reporter& inner, CellQueue& queue, bool speaks, std::size_t cells, std::size_t to_do)
        : inner_(inner), queue_(queue), speaks_(speaks), cells_(cells), to_do_(to_do) {}

    void begin(std::size_t number) {
        number_ = number;
        begin_ = Clock::now();
    }
    void end() {
        spent_ += seconds_since(begin_);
        ++finished_;
    }
    void message(const std::string& line) override {
        if (speaks_) inner_.message(prefix() + line);
    }
    void status(const std::string& line) override {
        queue_.serve();
        if (!speaks_) return;
        std::string place = prefix();
        if (finished_ > 0) {  // the mean of the cells so far stands for those to come
            const double mean = spent_ / static_cast<double>(finished_);
            const double here =
                static_cast<double>(to_do_) / queue_.groups() - static_cast<double>(finished_);
            const double left = mean * std::max(0.0, here - 1) + std::max(0.0, mean - seconds_since(begin_));
            place = fmt::format("[{}/{}, all: {} left] ", number_, cells_, clock_text(left));
        }
        inner_.status(place + line);
    }
    bool stop() override {
        queue_.serve();
        return inner_.stop();
    }

  private:
    std::string prefix() const { return fmt::format("[{}/{}] ", number_, cells_); }

    Reporter& inner_;
    CellQueue& queue_;
    bool speaks_;
    std::size_t cells_, to_do_, number_ = 0, finished_ = 0;
    double spent_ = 0;
    Clock::time_point begin_ = Clock::now();
};

}  // namespace

Identity measured_with(const Transformer& model, const LoadedData& data, const fs::path& folder) {
    const Identity recorded = recorded_in(folder);
    Identity measured = identity_of_process();
    measured.merge(identity_of(data));
    measured[Thing::parameters] = parameters_hash(model);
    if (const auto recipe = recorded.find(Thing::recipe); recipe != recorded.end()) measured.insert(*recipe);
    return measured;
}

void keep_evaluation(const EvaluationReport& report, const fs::path& folder, const Identity& measured) {
    save(report, folder, measured);
    change_manifest(folder, [&](Manifest& manifest) { manifest.evaluation_items_hash = items_hash(report); });
}

}  // namespace locus

namespace locus {

namespace {

// All that the loss of a token depends on, besides what is scored.
std::string evaluation_identity(Recipe recipe, const Transformer& model, const LoadedData& data) {
    recipe.evaluate = {};
    Checksum sum;
    sum.add(write_recipe(recipe, recipe_schema()));
    sum.add(std::as_bytes(model.parameters().values().values()));
    sum.add(data.corpus.hash);
    sum.add(machine_manifest().dump());
    return sum.hex();
}

// Keeps what a stopped evaluation has finished. A folder that cannot be written to is no reason to hang on.
[[noreturn]] void leave(const EvaluationDraft& draft, const fs::path& folder, const Communicator& group,
                        const Error& stopped) {
    std::string kept = "nothing was finished yet";
    try {
        if (!draft.losses.empty()) {
            on_root(group, [&] { save(draft, folder); });
            kept = fmt::format("{} {} kept, and the same command goes on from there", draft.losses.size(),
                               draft.losses.size() == 1 ? "finished length is" : "finished lengths are");
        }
    } catch (const Error& error) {
        kept = fmt::format("nothing is kept ({})", error.what());
    }
    fail(Failure::interrupted, "{}: the evaluation ends here ({}); {}", folder.string(), stopped.what(),
         kept);
}

}  // namespace

EvaluationReport evaluate_run(const Recipe& recipe, const Transformer& model, const fs::path& folder,
                              Workbench& bench, Reporter& reporter) {
    const std::string name = folder.has_filename() ? folder.filename().string() : folder.string();
    const LoadedData& data = bench.data(recipe.data);
    if (!bench.group().alone()) require_alike_identity(bench.group(), identity_of(data));
    const EvaluateOptions& options = recipe.evaluate;
    const Split& split = options.split == EvaluatedSplit::test ? data.splits.test : data.splits.valid;
    // Gains are counted from the length that the model had before anything was extended.
    const EvaluationPlan plan{options.lengths,     options.protocols,      options.targets,
                              root_length(recipe), data.splits.contiguous, recipe.data.positions,
                              cautions_of(recipe)};
    const auto tokenizer = make_tokenizer(recipe.data.tokenizer);
    const auto begin = Clock::now();
    const auto show = [&](Index done, Index total) {
        const double seconds = seconds_since(begin);
        const double rate = static_cast<double>(done) / std::max(seconds, 1e-9);
        reporter.status(fmt::format("evaluation {:.0f} %  {} left  {} tokens/s  {}",
                                    100.0 * static_cast<double>(done) / static_cast<double>(total),
                                    clock_text(static_cast<double>(total - done) / rate), short_count(rate),
                                    name));
    };
    EvaluationDraft draft = load_draft(folder, evaluation_identity(recipe, model, data), bench.group());
    if (!draft.losses.empty() && bench.group().is_root())
        reporter.message(fmt::format("{}: the evaluation goes on after {} finished {}", name,
                                     draft.losses.size(), draft.losses.size() == 1 ? "length" : "lengths"));
    try {
        EvaluationReport report =
            evaluate(model, split, plan, *tokenizer, bench.workers(), show, bench.group(), &draft);
        if (bench.group().is_root()) remove_draft(folder);
        return report;
    } catch (const Error& error) {
        if (error.kind() != Failure::interrupted) throw;
        leave(draft, folder, bench.group(), error);
    }
}

namespace {

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
