#include "recipes/engine/begin_from.h"

#include <fmt/ranges.h>

#include "framework/io/checkpoint_folder.h"

namespace fs = std::filesystem;

namespace locus {

Index steps_before(const Recipe& recipe) {
    return recipe.from.tokens / recipe.train.batch_tokens;
}

}  // namespace locus

namespace locus::inline LOCUS_SCALAR {

namespace {

fs::path source_of(const Cell& cell, const fs::path& folder) {
    const FromOptions& from = cell.recipe.from;
    if (!from.run.empty()) return from.run;
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

}  // namespace

Beginning begin_from(const Cell& cell, const fs::path& folder, Transformer& model) {
    const FoundSource source = load_source(cell, folder);
    const ParameterStore& store = model.parameters();
    std::vector<CheckpointTensor> given;
    std::vector<TensorSpec> wanted;
    std::vector<std::string> drawn, left;
    // Parameters of an encoding may be new, and those of an old one are left; all others must be there.
    const auto has = [&](const std::string& name) {
        return std::any_of(source.checkpoint.parameters.begin(), source.checkpoint.parameters.end(),
                           [&](const CheckpointTensor& tensor) { return tensor.name == name; });
    };
    for (const ParameterInfo& info : store.parameters()) {
        if (is_of_encoding(info.name) && !has(info.name)) {
            drawn.push_back(info.name);
            continue;
        }
        wanted.push_back(
            {info.name, {info.shape.sizes().begin(), info.shape.sizes().end()}, element_type<Scalar>()});
    }
    for (const CheckpointTensor& tensor : source.checkpoint.parameters) {
        const bool is_wanted = std::any_of(wanted.begin(), wanted.end(),
                                           [&](const TensorSpec& spec) { return spec.name == tensor.name; });
        if (is_of_encoding(tensor.name) && !is_wanted)
            left.push_back(tensor.name);
        else
            given.push_back(tensor);
    }
    match(given, wanted, source.path.string());
    for (const ParameterInfo& info : store.parameters()) {
        if (is_of_encoding(info.name) && !has(info.name)) continue;
        const auto values = find_tensor(given, info.name).data<Scalar>();
        std::copy(values.begin(), values.end(), store.values().data() + info.offset);
    }
    model.parameters().touch();

    Beginning beginning;
    beginning.manifest = {{"path", source.path.string()},
                          {"step", source.checkpoint.step},
                          {"parameters_hash", parameters_hash(source.checkpoint)},
                          {"original_length", cell.recipe.from.original_length},
                          {"tokens", cell.recipe.from.tokens},
                          {"drawn", drawn},
                          {"left", left}};
    beginning.notes.push_back(fmt::format("begins with {}", source.path.string()));
    if (!drawn.empty()) beginning.notes.push_back(fmt::format("drawn anew: {}", fmt::join(drawn, ", ")));
    if (!left.empty()) beginning.notes.push_back(fmt::format("left behind: {}", fmt::join(left, ", ")));
    return beginning;
}

}  // namespace locus::inline LOCUS_SCALAR
