#include <functional>
#include <nlohmann/json.hpp>

#include "framework/distributed/rank_errors.h"
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
    run.recorded = identity_of(checkpoint);
    return run;
}

}  // namespace

Identity identity_of(const Checkpoint& checkpoint) {
    Identity identity{
        {Thing::tokenizer, name_of(TokenizerIdentity{checkpoint.tokenizer, checkpoint.vocabulary})}};
    if (!checkpoint.corpus.empty()) identity[Thing::corpus] = checkpoint.corpus;
    return identity;
}

std::vector<Change> admit_text(const OpenedRun& run, const LoadedData& data, const std::string& place,
                               bool another_corpus) {
    return admit(run.recorded, identity_of(data), place, another_corpus);
}

void require_alike_identity(const Communicator& group, const Identity& identity) {
    for (const auto& [thing, value] : identity) require_alike(group, name_of(thing), value);
}

namespace {

// Adds what the manifest recorded, and holds against it what is used now.
void compare(OpenedRun& run, const Checkpoint& checkpoint, const Manifest& manifest, const fs::path& folder) {
    const std::string place = manifest_path(folder).string();
    if (manifest.was_changed) run.warnings.push_back(place + ": was changed after it was written");
    Identity recorded = identity_in(manifest, place);
    Identity here = identity_of_process();
    here.merge(Identity(run.recorded));  // the checkpoint's own
    // An older checkpoint that stands in is another one, and says so.
    if (manifest.steps == checkpoint.step) here[Thing::parameters] = parameters_hash(checkpoint);
    run.changes = admit(recorded, here, folder.string());
    run.recorded.merge(recorded);
    for (const Change& change : run.changes)
        run.warnings.push_back(fmt::format("{}: {}", folder.string(), text_of(change)));
}

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
    const Manifest manifest = read_manifest(folder);
    if (manifest.paths_begin_in) run.recipe.data.folder = *manifest.paths_begin_in;
    run.warnings = found->warnings;
    if (!run.warnings.empty())
        run.warnings.push_back(fmt::format("{}: this older checkpoint stands in", found->path.string()));
    compare(run, found->checkpoint, manifest, folder);
    return run;
}

Identity on_all_ranks(const Identity& identity, const Communicator& group) {
    return identity_from(nlohmann::json::parse(group.broadcast(to_json(identity).dump())), "rank 0");
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
    run.model->parameters().change([&](const MutableTensor& values) { group.broadcast(values.values()); });
    run.recorded = on_all_ranks(run.recorded, group);
    require_alike_identity(group, identity_of_process());
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
