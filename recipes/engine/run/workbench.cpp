#include "recipes/engine/run/workbench.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "data/sources.h"
#include "data/split_report.h"
#include "data/tokenizer.h"
#include "framework/core/stop.h"
#include "framework/io/machine.h"
#include "models/frequency_rule.h"
#include "models/scaling.h"
#include "recipes/engine/run/memory.h"

namespace locus {

const Schema& recipe_schema() {
    static const Schema schema = [] {
        KindCatalogue kinds;
        ScalingCatalogue scalings;
        for (const std::string& rule : FrequencyRegistry::instance().names())
            scalings.rules[rule] = FrequencyRegistry::instance().at(rule).options;
        for (const std::string& kind : EncodingRegistry::instance().names()) {
            kinds[kind] = EncodingRegistry::instance().at(kind).options;
            scalings.kinds[kind] = scaling_rules(EncodingRegistry::instance().at(kind));
        }
        return Schema(std::move(kinds), standard_presets(), std::move(scalings), [](Recipe& recipe) {
            resolve_options(recipe.encoding, encoding_shape(recipe.model, recipe.mask, recipe.train.length));
            // A rule says here, where recipes are read, what it refuses of its options.
            if (scaling_of(recipe.encoding.options).type != "plain")
                Transformer::list_parameters(recipe.model, recipe.encoding, recipe.mask, recipe.train.length);
        });
    }();
    return schema;
}

std::vector<std::string> cautions_of(const Recipe& recipe) {
    const Index own = recipe.train.steps() > 0 ? recipe.data.positions.span(recipe.train.length) : 0;
    return cautions_of(recipe.encoding, encoding_shape(recipe.model, recipe.mask, recipe.train.length),
                       std::max(own, recipe.from.original_length));
}

namespace {

// What decides what load_corpus() and split() give; the rest is set to one value.
DataOptions source_of(DataOptions options) {
    options.block = 0;
    options.positions = {};
    return options;
}

}  // namespace

std::string name_of(const TokenizerIdentity& tokenizer) {
    return tokenizer.bytes.empty() ? tokenizer.kind : fmt::format("{} {}", tokenizer.kind, tokenizer.hash());
}

Identity identity_of(const LoadedData& data) {
    return {{Thing::tokenizer, name_of(data.corpus.tokenizer)},
            {Thing::corpus, data.corpus.hash},
            {Thing::splits, record(data.splits).at("hash").get<std::string>()}};
}

bool same_text(const DataOptions& a, const DataOptions& b) {
    // Not by where relative paths begin: a checkpoint does not know where its recipe stood.
    DataOptions here = source_of(a), there = source_of(b);
    here.folder = there.folder = "";
    return here == there;
}

const LoadedData& Workbench::data(const DataOptions& options) {
    const DataOptions source = source_of(options);
    if (data_ && options_ == source) return *data_;
    data_.reset();  // not two corpora at once
    auto loaded = std::make_unique<LoadedData>();
    loaded->corpus = load_corpus(source);
    loaded->splits = split(loaded->corpus, source);
    if (source.corpus != "generated") {
        notes_ = loaded->corpus.intake.lines();
        for (std::string& line : describe(loaded->splits, source)) notes_.push_back(std::move(line));
    }
    data_ = std::move(loaded);
    options_ = source;
    return *data_;
}

namespace {

std::unique_ptr<Transformer> make_model_for(const Recipe& recipe, ModelUse use, int threads) {
    throw_if_stopped();
    ModelOptions options = recipe.model;
    options.vocabulary = make_tokenizer(recipe.data.tokenizer)->vocabulary();
    const Index parameters =
        Transformer::count_parameters(options, recipe.encoding, recipe.mask, recipe.train.length);
    require_memory(memory_need(recipe, parameters, use, threads), available_memory());
    auto model = std::make_unique<Transformer>(options, recipe.encoding, recipe.mask, recipe.train.length,
                                               recipe.train.seed);
    const Index reach = recipe.data.positions.span(recipe.train.length);
    const Index longest = model->encoding().longest().value_or(reach);
    // Without a step, train.length is no window's: a table may be shorter, and longer windows are not scored.
    const bool meets_them =
        recipe.train.steps() > 0 || recipe.data.positions.kind == PositionKind::randomized;
    const PositionOptions& positions = recipe.data.positions;
    const bool moved = positions.kind == PositionKind::randomized || positions.kind == PositionKind::pose;
    require(longest >= reach || !meets_them,
            "encoding {}: its table holds {} positions, 0 to {}, but those of the training data reach {} "
            "({} {})",
            recipe.encoding.kind, longest, longest - 1, reach - 1,
            moved ? "data.max_position" : "train.length",
            moved ? positions.max_position : recipe.train.length);
    return model;
}

}  // namespace

std::unique_ptr<Transformer> make_model(const Recipe& recipe) {
    return make_model_for(recipe, ModelUse::reading, 1);
}

std::unique_ptr<Transformer> make_trainable_model(const Recipe& recipe, int threads) {
    require(recipe.mask.causal, Failure::usage,
            "mask.causal: false lets the next-token loss see its target; expected true");
    auto model = make_model_for(recipe, ModelUse::training, threads);
    require_axes(recipe.encoding.kind, 1);
    require(recipe.data.positions.kind != PositionKind::packed || recipe.mask.global == 0, Failure::usage,
            "data.positions packed and mask.global {}: the first tokens of a window are global, those of its "
            "other documents would not be",
            recipe.mask.global);
    return model;
}

}  // namespace locus
