#include "recipes/engine/run/manifest.h"

#include "data/split_report.h"
#include "framework/io/checkpoint.h"
#include "framework/io/checksum.h"
#include "framework/io/machine.h"
#include "recipes/engine/config/write.h"
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
    return checksum(write_recipe(recipe, recipe_schema()));
}

void name_cell(Manifest& manifest, const Cell& cell, Index index) {
    manifest.question = cell.recipe.question;
    manifest.name = cell.name;
    if (!cell.title.empty()) manifest.title = cell.title;
    for (const Coordinate& at : cell.recipe.cell) manifest.cell[at.axis] = at.value;
    manifest.varied = cell.varied;
    manifest.index = index;
}

namespace {

CorpusRecord record_of(const LoadedData& data, const BatchSource& source) {
    const Corpus& corpus = data.corpus;
    return {.name = corpus.name,
            .hash = corpus.hash,
            .tokenizer = name_of(corpus.tokenizer),
            .documents = static_cast<Index>(corpus.documents.size()),
            .tokens = static_cast<Index>(corpus.tokens.size()),
            .train_tokens = data.splits.train.tokens(),
            .valid_tokens = data.splits.valid.tokens(),
            .test_tokens = data.splits.test.tokens(),
            .splits = record(data.splits),
            .intake = corpus.intake.record(),
            .blocks = source.summary()};
}

}  // namespace

Manifest first_manifest(const Cell& cell, Index index, const Transformer& model, const LoadedData& data,
                        const BatchSource& source, Workbench& bench) {
    const Recipe& recipe = cell.recipe;
    const Index tokens = recipe.train.steps() * recipe.train.batch_tokens;
    const Index steps = steps_before(recipe) + recipe.train.steps();  // with those of its ancestors
    Manifest manifest;
    name_cell(manifest, cell, index);
    manifest.paths_begin_in = absolute_folder(recipe.data.folder);
    manifest.state = "running";
    manifest.seconds = 0;
    manifest.threads = bench.workers().count();
    manifest.ranks = bench.group().size();
    manifest.encoding = recipe.encoding.kind;
    manifest.train_length = trained_length(recipe);
    manifest.seed = recipe.train.seed;
    manifest.parameters = model.parameters().count();
    manifest.tokens = tokens;
    manifest.steps = recipe.train.steps();
    manifest.epochs = source.epochs(steps);
    manifest.flops = model.flops_per_token(recipe.train.length) * static_cast<double>(tokens);
    manifest.data_order_hash = source.hash(steps);
    manifest.initial_value_hash = initial_value_hash(model);
    manifest.recipe_hash = training_hash(recipe);
    manifest.recipe_file = checksum(write_recipe(recipe, recipe_schema()));
    manifest.machine = machine_manifest(bench.backend());
    manifest.corpus = record_of(data, source);
    manifest.started = event_now();
    manifest.resumed_from.emplace();
    return manifest;
}

}  // namespace locus
