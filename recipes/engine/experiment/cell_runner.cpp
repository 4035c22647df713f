#include "recipes/engine/experiment/cell_runner.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "framework/distributed/rank_errors.h"
#include "recipes/engine/experiment/evaluate_run.h"
#include "recipes/engine/run/manifest.h"

namespace fs = std::filesystem;

namespace locus {

bool is_done(const fs::path& folder) {
    return read_manifest(folder).is_done();
}

Identity recorded_in(const fs::path& folder) {
    return identity_in(read_manifest(folder), manifest_path(folder).string());
}

void CellRunner::run(std::size_t number) {
    const Cell& cell = cells_[number];
    if (left_.contains(cell.source)) await_source(cell.source);
    if (result_.interrupted) return;
    FolderLock lock;
    const Found found = state_of(cell, lock);
    if (found == Found::done) ++result_.skipped;
    if (found == Found::elsewhere) {
        ++result_.elsewhere;
        left_.insert(cell.name);
    }
    if (found == Found::to_do) train_and_evaluate(cell, static_cast<Index>(number));
}

// As rank 0 finds it now, which gets the lock of a cell that is to be done.
CellRunner::Found CellRunner::state_of(const Cell& cell, FolderLock& lock) {
    auto found = static_cast<Index>(Found::to_do);
    on_root(bench_.group(), [&] {
        std::string holder;
        auto got = try_lock(out_ / cell.name, holder);
        if (!got) {
            found = static_cast<Index>(Found::elsewhere);
            if (told_.insert(cell.name).second)
                reporter_.message(fmt::format("{}: is in use by {}, and left to it", cell.name, holder));
            return;
        }
        lock = std::move(*got);
        if (!lock.warning().empty()) reporter_.message(lock.warning());
        if (is_done(out_ / cell.name)) found = static_cast<Index>(Found::done);
    });
    bench_.group().broadcast(std::span(&found, 1));
    return static_cast<Found>(found);
}

// Where the process that has it in work gives up, this one does it.
void CellRunner::await_source(const std::string& name) {
    const auto place =
        std::find_if(cells_.begin(), cells_.end(), [&](const Cell& cell) { return cell.name == name; });
    while (!result_.interrupted) {
        const Index left = result_.elsewhere;
        left_.erase(name);
        --result_.elsewhere;
        run(static_cast<std::size_t>(place - cells_.begin()));
        if (result_.elsewhere < left) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        result_.interrupted = bench_.group().any(reporter_.stop());
    }
}

void CellRunner::train_and_evaluate(const Cell& cell, Index index) {
    const fs::path folder = out_ / cell.name;
    on_root(bench_.group(), [&] { admit_beside_done(cell); });
    const TrainedRun run = train_run(cell, index, folder, {}, bench_, reporter_);
    if (!run.finished) {
        result_.interrupted = true;
        return;
    }
    const EvaluationReport report = evaluate_run(cell.recipe, *run.model, folder, bench_, reporter_);
    on_root(bench_.group(), [&] {
        keep_evaluation(report, folder, measured_with(*run.model, bench_.data(cell.recipe.data), folder));
        change_manifest(folder, [](Manifest& manifest) { manifest.state = "done"; });
    });
    ++result_.done;
}

void CellRunner::admit_beside_done(const Cell& cell) {
    for (const auto& [other, recorded] : done_) {
        if (!same_text(other->recipe.data, cell.recipe.data)) continue;
        Identity text = recorded;  // kernels and program may differ: the table says so
        std::erase_if(text, [](const auto& at) { return at.first > Thing::splits; });
        admit(text, identity_of(bench_.data(cell.recipe.data)),
              (out_ / other->name).string() + ": was trained on another text than is there now");
    }
}

}  // namespace locus
