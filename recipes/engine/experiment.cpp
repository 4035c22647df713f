#include "recipes/engine/experiment.h"

#include <fmt/core.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "data/tokenizer.h"
#include "framework/io/atomic_file.h"
#include "framework/io/checksum.h"
#include "recipes/engine/evaluate.h"
#include "recipes/engine/evaluation_store.h"
#include "recipes/engine/write.h"

namespace fs = std::filesystem;

namespace locus {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

bool is_done(const fs::path& folder) {
    const nlohmann::json manifest = stored_manifest(folder);
    return manifest.contains("state") && manifest["state"] == "done";
}

// XXH3-128 of what was scored: protocols, documents, places and targets; not of the losses.
std::string items_hash(const EvaluationReport& report) {
    Checksum checksum;
    for (const ProtocolRun& run : report.runs) {
        checksum.add(text_of(run.protocol) + " " + run.split);
        for (const auto* numbers : {&run.losses.document, &run.losses.index}) {
            checksum.add(std::span<const Index>(*numbers));
        }
        checksum.add(std::as_bytes(std::span(run.losses.target)));
    }
    return checksum.hex();
}

// Every folder that is there must belong to its cell, before any work is done.
void check_folders(const std::vector<Cell>& cells, const fs::path& out) {
    for (const Cell& cell : cells) {
        const fs::path path = out / cell.name / "recipe.yaml";
        if (!fs::exists(path)) continue;
        require(read_file(path) == write_recipe(cell.recipe, recipe_schema()), Failure::storage,
                "{}: this run folder belongs to another recipe; choose another --out or remove it",
                (out / cell.name).string());
    }
}

// Puts the cell's place and the time left for all cells in front of what a cell reports.
class CellReporter : public Reporter {
  public:
    CellReporter(Reporter& inner, std::size_t cells) : inner_(inner), cells_(cells) {}

    void begin(std::size_t number) {
        number_ = number;
        begin_ = Clock::now();
    }
    void end() {
        spent_ += seconds_since(begin_);
        ++finished_;
    }
    void message(const std::string& line) override { inner_.message(prefix() + line); }
    void status(const std::string& line) override {
        std::string rest;
        if (finished_ > 0) {  // the mean of the cells so far stands for those to come
            const double mean = spent_ / static_cast<double>(finished_);
            const double left =
                mean * static_cast<double>(cells_ - number_) + std::max(0.0, mean - seconds_since(begin_));
            rest = fmt::format("  (all cells: {} left)", clock_text(left));
        }
        inner_.status(prefix() + line + rest);
    }
    bool stop() override { return inner_.stop(); }

  private:
    std::string prefix() const { return fmt::format("[{}/{}] ", number_, cells_); }

    Reporter& inner_;
    std::size_t cells_, number_ = 0, finished_ = 0;
    double spent_ = 0;
    Clock::time_point begin_ = Clock::now();
};

}  // namespace

void keep_evaluation(const EvaluationReport& report, const fs::path& folder) {
    save(report, folder);
    update_manifest(folder, {{"evaluation_items_hash", items_hash(report)}});
}

}  // namespace locus

namespace locus::inline LOCUS_SCALAR {

EvaluationReport evaluate_run(const Recipe& recipe, const Transformer& model, const std::string& name,
                              Workbench& bench, Reporter& reporter) {
    const LoadedData& data = bench.data(recipe.data);
    const EvaluateOptions& options = recipe.evaluate;
    const Split& split = options.split == EvaluatedSplit::test ? data.splits.test : data.splits.valid;
    // Gains are counted from the length that the model had before anything was extended.
    const Index trained = recipe.from.given() ? recipe.from.original_length : recipe.train.length;
    const EvaluationPlan plan{options.lengths, options.protocols,      options.targets,
                              trained,         data.splits.contiguous, recipe.data.positions};
    const auto tokenizer = make_tokenizer(recipe.data.tokenizer);
    const auto begin = Clock::now();
    EvaluationReport report =
        evaluate(model, split, plan, *tokenizer, bench.workers(), [&](Index done, Index total) {
            const double seconds = seconds_since(begin);
            const double rate = static_cast<double>(done) / std::max(seconds, 1e-9);
            reporter.status(fmt::format("{}: evaluation {:.0f} %  {} tokens/s  {} left", name,
                                        100.0 * static_cast<double>(done) / static_cast<double>(total),
                                        short_count(rate),
                                        clock_text(static_cast<double>(total - done) / rate)));
        });
    return report;
}

namespace {

void run_cell(const Cell& cell, Index index, const fs::path& folder, Workbench& bench, Reporter& reporter,
              ExperimentResult& result) {
    const TrainedRun run = train_run(cell, index, folder, {}, bench, reporter);
    if (!run.finished) {
        result.interrupted = true;
        return;
    }
    keep_evaluation(evaluate_run(cell.recipe, *run.model, folder.filename().string(), bench, reporter),
                    folder);
    update_manifest(folder, {{"state", "done"}});
    ++result.done;
}

}  // namespace

ExperimentResult run_experiment(const std::vector<Cell>& cells, const fs::path& out, Workbench& bench,
                                Reporter& reporter) {
    check_folders(cells, out);
    ExperimentResult result;
    CellReporter cell_reporter(reporter, cells.size());
    for (std::size_t i = 0; i < cells.size() && !result.interrupted; ++i) {
        const fs::path folder = out / cells[i].name;
        cell_reporter.begin(i + 1);
        if (is_done(folder)) {
            cell_reporter.message(cells[i].name + ": done before");
            ++result.skipped;
            continue;
        }
        try {
            run_cell(cells[i], static_cast<Index>(i), folder, bench, cell_reporter, result);
        } catch (const Error& error) {  // of this cell; the others go on
            result.failed.push_back(cells[i].name + ": " + error.what());
            cell_reporter.message(result.failed.back());
            if (fs::exists(folder)) update_manifest(folder, {{"state", "failed"}, {"failure", error.what()}});
        }
        cell_reporter.end();
    }
    return result;
}

}  // namespace locus::inline LOCUS_SCALAR
