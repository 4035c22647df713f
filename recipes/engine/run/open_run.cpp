#include <functional>

#include "framework/distributed/together.h"
#include "framework/io/atomic_file.h"
#include "framework/io/checkpoint_folder.h"
#include "framework/train/state.h"
#include "recipes/engine/config/write.h"
#include "recipes/engine/config/yaml.h"
#include "recipes/engine/run/manifest.h"
#include "recipes/engine/run/same_recipe.h"
#include "recipes/engine/run/train_run.h"

namespace fs = std::filesystem;

namespace locus {

namespace {

Recipe recipe_of(const std::string& text, const fs::path& source) {
    Recipe recipe =
        expand({source.string(), read_yaml(text, source.string())}, {}, recipe_schema()).front().recipe;
    recipe.data.folder.clear();  // a resolved recipe lies elsewhere than the one that its paths stand in
    return recipe;
}

OpenedRun opened(const Checkpoint& checkpoint, const fs::path& source) {
    OpenedRun run;
    run.recipe = recipe_of(checkpoint.recipe, source);
    run.model = make_model(run.recipe);
    restore_parameters(checkpoint, run.model->parameters(), source.string());
    run.step = checkpoint.step;
    return run;
}

}  // namespace

namespace {

OpenedRun opened_folder(const fs::path& folder) {
    require(fs::exists(folder / "recipe.yaml"), Failure::storage,
            "{}: not a run folder: it has no recipe.yaml", folder.string());
    const auto found = CheckpointFolder(folder / "checkpoints", 1).newest();
    require(found.has_value(), Failure::storage, "{}: no checkpoint yet", folder.string());
    const std::string recipe = read_file(folder / "recipe.yaml");
    require_same_training(recipe, found->checkpoint.recipe, found->path.string(),
                          "not of the recipe in " + (folder / "recipe.yaml").string());
    OpenedRun run = opened(found->checkpoint, found->path);
    run.recipe = recipe_of(recipe, folder / "recipe.yaml");  // as what is asked of the model may have changed
    const nlohmann::json manifest = stored_manifest(folder);
    const auto begin = manifest.find("paths_begin_in");
    if (begin != manifest.end() && begin->is_string()) run.recipe.data.folder = begin->get<std::string>();
    run.warnings = found->warnings;
    if (!run.warnings.empty())
        run.warnings.push_back(fmt::format("{}: this older checkpoint stands in", found->path.string()));
    return run;
}

// What rank 0 reads, on all ranks.
OpenedRun on_all_ranks(const fs::path& source, const Communicator& group,
                       const std::function<OpenedRun()>& read) {
    OpenedRun run;
    on_root(group, [&] { run = read(); });
    if (group.alone()) return run;
    const std::string recipe =
        group.broadcast(group.is_root() ? write_recipe(run.recipe, recipe_schema()) : "");
    const std::string folder = group.broadcast(group.is_root() ? run.recipe.data.folder : "");
    if (!group.is_root()) {
        run.recipe = recipe_of(recipe, source);
        run.recipe.data.folder = folder;
        run.model = make_model(run.recipe);
    }
    group.broadcast(std::span(&run.step, 1));
    group.broadcast(run.model->parameters().values().values());
    run.model->parameters().touch();
    return run;
}

}  // namespace

OpenedRun open_run(const fs::path& folder, const Communicator& group) {
    return on_all_ranks(folder, group, [&] { return opened_folder(folder); });
}

OpenedRun open_checkpoint(const fs::path& path, const Communicator& group) {
    return on_all_ranks(path, group, [&] { return opened(load_checkpoint(path), path); });
}

}  // namespace locus
