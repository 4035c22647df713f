#include "recipes/engine/run/begin_from.h"

#include <fmt/ranges.h>

#include <set>

#include "data/tokenizer.h"
#include "framework/io/checkpoint_folder.h"
#include "recipes/engine/config/ancestry.h"
#include "recipes/engine/run/train_run.h"
#include "recipes/engine/run/workbench.h"

namespace fs = std::filesystem;

namespace locus {

Index steps_before(const Recipe& recipe) {
    return recipe.from.tokens / recipe.train.batch_tokens;
}

namespace {

fs::path source_of(const Cell& cell, const fs::path& folder) {
    const FromOptions& from = cell.recipe.from;
    if (!from.run.empty()) return from.path();
    require(!cell.source.empty(), Failure::storage,
            "from.arm: {}: only `locus run` with the whole recipe knows the other arms", from.arm);
    return fs::absolute(folder).lexically_normal().parent_path() / cell.source;
}

struct FoundSource {
    fs::path path;
    Checkpoint checkpoint;
};

FoundSource load_source(const Cell& cell, const fs::path& folder) {
    fs::path path = source_of(cell, folder);
    if (fs::is_directory(path))
        path = CheckpointFolder(path / "checkpoints", 1).path_of(cell.recipe.from.step);
    require(fs::exists(path), Failure::storage, "from: there is no checkpoint {}", path.string());
    return {path, load_checkpoint(path)};
}

bool is_of_encoding(const std::string& name) {
    return name.starts_with("encoding.");
}

// What a model takes over. Parameters of an encoding may be new, and those of an old one are left; all others
// must be there.
struct Transfer {
    std::vector<CheckpointTensor> taken;
    std::vector<std::string> drawn, left;  // names
};

// Throws a storage Error where names or shapes differ. Of another kind of encoding nothing is taken: names
// may be the same by chance.
Transfer transfer_of(const std::vector<CheckpointTensor>& given, bool same_kind,
                     const std::vector<ParameterInfo>& parameters, const std::string& place) {
    Transfer transfer;
    std::set<std::string> there, here;
    for (const CheckpointTensor& tensor : given)
        if (same_kind || !is_of_encoding(tensor.name)) there.insert(tensor.name);
    std::vector<TensorSpec> wanted;
    for (const ParameterInfo& info : parameters) {
        here.insert(info.name);
        if (is_of_encoding(info.name) && !there.contains(info.name))
            transfer.drawn.push_back(info.name);
        else
            wanted.push_back(
                {info.name, {info.shape.sizes().begin(), info.shape.sizes().end()}, element_type<Scalar>()});
    }
    for (const CheckpointTensor& tensor : given) {
        const bool is_taken = there.contains(tensor.name) && here.contains(tensor.name);
        if (is_of_encoding(tensor.name) && !is_taken)
            transfer.left.push_back(tensor.name);
        else
            transfer.taken.push_back(tensor);
    }
    match(transfer.taken, wanted, place);
    return transfer;
}

std::vector<ParameterInfo> parameters_of(const Recipe& recipe) {
    ModelOptions model = recipe.model;
    model.vocabulary = make_tokenizer(recipe.data.tokenizer)->vocabulary();
    return Transformer::list_parameters(model, recipe.encoding, recipe.mask, recipe.train.length);
}

}  // namespace

void check_beginning(const Cell& cell) {
    if (!cell.ancestor) return;
    std::vector<CheckpointTensor> given;
    for (const ParameterInfo& info : parameters_of(*cell.ancestor)) {
        CheckpointTensor& tensor = given.emplace_back();
        tensor.name = info.name;
        tensor.shape = {info.shape.sizes().begin(), info.shape.sizes().end()};
        tensor.type = element_type<Scalar>();
    }
    const FromOptions& from = cell.recipe.from;
    transfer_of(given, cell.ancestor->encoding.kind == cell.recipe.encoding.kind, parameters_of(cell.recipe),
                from.run.empty() ? "from.arm: " + from.arm : "from.run: " + from.run);
}

Beginning begin_from(const Cell& cell, const fs::path& folder, Transformer& model) {
    const FoundSource source = load_source(cell, folder);
    const std::string place = source.path.string();
    ParameterStore& store = model.parameters();
    const Recipe there = recipe_in(source.checkpoint, place, recipe_schema());
    const bool same_kind = there.encoding.kind == cell.recipe.encoding.kind;
    const auto [taken, drawn, left] =
        transfer_of(source.checkpoint.parameters, same_kind, store.parameters(), place);
    const std::set<std::string> fresh(drawn.begin(), drawn.end());
    store.change([&](const MutableTensor& values) {
        for (const ParameterInfo& info : store.parameters()) {
            if (fresh.contains(info.name)) continue;
            const auto own = find_tensor(taken, info.name).data<Scalar>();
            std::copy(own.begin(), own.end(), values.data() + info.offset);
        }
    });

    Beginning beginning;
    beginning.origin = {.path = source.path.string(),
                        .step = source.checkpoint.step,
                        .parameters_hash = parameters_hash(source.checkpoint),
                        .corpus_hash = source.checkpoint.corpus,
                        .original_length = cell.recipe.from.original_length,
                        .tokens = cell.recipe.from.tokens,
                        .drawn = drawn,
                        .left = left};
    beginning.identity = identity_of(source.checkpoint);
    if (!same_text(there.data, cell.recipe.data)) beginning.identity.erase(Thing::corpus);
    beginning.notes.push_back(fmt::format("begins with {}", source.path.string()));
    if (!drawn.empty()) beginning.notes.push_back(fmt::format("drawn anew: {}", fmt::join(drawn, ", ")));
    if (!left.empty()) beginning.notes.push_back(fmt::format("left behind: {}", fmt::join(left, ", ")));
    return beginning;
}

}  // namespace locus
