#include "recipes/engine/run/manifest.h"

#include "data/split_report.h"
#include "framework/io/checkpoint.h"
#include "framework/io/checksum.h"
#include "framework/io/json_file.h"
#include "framework/io/machine.h"
#include "recipes/engine/config/write.h"
#include "recipes/engine/identity/history.h"
#include "recipes/engine/run/begin_from.h"

namespace locus {

std::string initial_value_hash(const Transformer& model) {
    Checksum checksum;
    const ParameterStore& store = model.parameters();
    for (const ParameterInfo& parameter : store.parameters()) {
        if (parameter.name.starts_with("encoding.")) continue;
        const std::span<const Scalar> values(store.values().data() + parameter.offset,
                                             static_cast<std::size_t>(parameter.shape.count()));
        checksum.add(parameter.name);
        checksum.add(parameter.shape.sizes());
        checksum.add(std::as_bytes(values));
    }
    return checksum.hex();
}

namespace {

// Where relative paths of a recipe begin, from anywhere.
std::string absolute_folder(const std::string& folder) {
    namespace fs = std::filesystem;
    return (folder.empty() ? fs::current_path() : fs::absolute(folder)).lexically_normal().string();
}

}  // namespace

std::string parameters_hash(const Transformer& model) {
    const ParameterStore& store = model.parameters();
    Checkpoint checkpoint;
    for (const ParameterInfo& parameter : store.parameters()) {
        const std::span<const Scalar> values(store.values().data() + parameter.offset,
                                             static_cast<std::size_t>(parameter.shape.count()));
        checkpoint.parameters.push_back(CheckpointTensor::view(
            parameter.name, {parameter.shape.sizes().begin(), parameter.shape.sizes().end()}, values));
    }
    return parameters_hash(checkpoint);
}

std::string training_hash(Recipe recipe) {
    recipe.question.clear();
    recipe.evaluate = {};
    recipe.search = {};
    recipe.table = {};
    recipe.train.keep = 1;
    recipe.train.keep_every = 0;
    const std::string text = write_recipe(recipe, recipe_schema());
    return checksum(std::as_bytes(std::span(text)));
}

nlohmann::json first_manifest(const Cell& cell, Index index, const Transformer& model, const LoadedData& data,
                              const BatchSource& source, int threads, int ranks) {
    const Recipe& recipe = cell.recipe;
    nlohmann::json manifest;
    manifest["question"] = recipe.question;
    manifest["cell"] = nlohmann::json::object();
    for (const Coordinate& coordinate : recipe.cell) manifest["cell"][coordinate.axis] = coordinate.value;
    manifest["varied"] = cell.varied;
    manifest["name"] = cell.name;
    if (!cell.title.empty()) manifest["title"] = cell.title;  // where the name is short for it
    manifest["paths_begin_in"] = absolute_folder(recipe.data.folder);
    manifest["index"] = index;
    manifest["state"] = "running";
    manifest["encoding"] = recipe.encoding.kind;
    manifest["train_length"] = trained_length(recipe);
    manifest["seed"] = recipe.train.seed;
    manifest["parameters"] = model.parameters().count();
    manifest["tokens"] = recipe.train.steps() * recipe.train.batch_tokens;
    manifest["steps"] = recipe.train.steps();
    const Index steps = steps_before(recipe) + recipe.train.steps();  // with those of its ancestors
    manifest["epochs"] = source.epochs(steps);
    manifest["flops"] = model.flops_per_token(recipe.train.length) *
                        static_cast<double>(recipe.train.steps() * recipe.train.batch_tokens);
    manifest["corpus"] = {{"name", data.corpus.name},
                          {"hash", data.corpus.hash},
                          {"tokenizer", name_of(data.corpus.tokenizer)},
                          {"documents", data.corpus.documents.size()},
                          {"tokens", data.corpus.tokens.size()},
                          {"train_tokens", data.splits.train.tokens()},
                          {"valid_tokens", data.splits.valid.tokens()},
                          {"test_tokens", data.splits.test.tokens()},
                          {"splits", record(data.splits)},
                          {"intake", data.corpus.intake.record()},
                          {"blocks", source.summary()}};
    manifest["data_order_hash"] = source.hash(steps);
    manifest["initial_value_hash"] = initial_value_hash(model);
    manifest["recipe_hash"] = training_hash(recipe);
    manifest["started"] = occasion();
    manifest["machine"] = machine_manifest();
    manifest["threads"] = threads;
    manifest["ranks"] = ranks;
    manifest["resumed_from"] = nlohmann::json::array();
    manifest["history"] = nlohmann::json::array();
    manifest["seconds"] = 0;
    return manifest;
}

}  // namespace locus

namespace locus {

nlohmann::json stored_manifest(const std::filesystem::path& folder) {
    const std::filesystem::path path = folder / "manifest.json";
    if (!std::filesystem::exists(path)) return nlohmann::json::object();
    nlohmann::json manifest = read_json(path);
    require(manifest.is_object(), Failure::storage, "{}: expected a JSON object, found {}", path.string(),
            manifest.type_name());
    return manifest;
}

void update_manifest(const std::filesystem::path& folder, const nlohmann::json& fields) {
    nlohmann::json manifest = stored_manifest(folder);
    manifest.update(fields);
    write_json(folder / "manifest.json", manifest);
}

}  // namespace locus
