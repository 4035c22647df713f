#include "recipes/engine/config/resolve.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "data/tokenizer.h"
#include "framework/core/error.h"
#include "models/frequency_rule.h"
#include "models/layer_mask.h"
#include "models/scaling.h"

namespace locus {

namespace {

constexpr Index paper_max_position = 2048;  // of randomized positions (arXiv:2305.16843)

/// The overlay, asked for where and whether something was said.
class Said {
  public:
    Said(const Overlay& overlay, std::string place) : overlay_(overlay), place_(std::move(place)) {}

    bool has(const std::string& path) const { return overlay_.values.contains(path); }
    /// The place of the first of these paths that was written.
    std::string where(const std::vector<std::string>& paths) const {
        for (const std::string& path : paths) {
            const auto value = overlay_.values.find(path);
            if (value != overlay_.values.end()) return value->second.source.text();
        }
        return place_;
    }

  private:
    const Overlay& overlay_;
    std::string place_;
};

void resolve_data(Recipe& recipe, const Said& said, Index longest) {
    DataOptions& data = recipe.data;
    if (data.block == 0) data.block = longest;
    if (data.corpus == "generated") {
        data.documents = data.documents.value_or(standard_documents);
        data.document_length = data.document_length.value_or(standard_document_length);
        data.generator_seed = data.generator_seed.value_or(0);
    }
    for (const std::string path : {"data.documents", "data.document_length", "data.generator_seed"})
        require(data.corpus == "generated" || !said.has(path),
                "{}: {} belongs to data.corpus: generated, not to '{}'", said.where({path}), path,
                data.corpus);
    try {
        check_options(data);
    } catch (const Error& error) {
        fail(error.kind(), "{}: {}", said.where({"data.test", "data.valid", "data.corpus"}), error.what());
    }
    try {
        recipe.model.vocabulary = make_tokenizer(data.tokenizer)->vocabulary();
    } catch (const Error& error) {
        fail(error.kind(), "{}: data.tokenizer: {}", said.where({"data.tokenizer"}), error.what());
    }
}

void resolve_model(ModelOptions& model, const Said& said) {
    if (!said.has("model.kv_heads")) model.kv_heads = model.heads;
    require(model.width % model.heads == 0,
            "{}: model.heads must divide model.width: width {} is not a multiple of {} heads",
            said.where({"model.heads", "model.width"}), model.width, model.heads);
    require(model.heads % model.kv_heads == 0,
            "{}: model.kv_heads must divide model.heads: {} heads are not a multiple of {} kv_heads",
            said.where({"model.kv_heads", "model.heads"}), model.heads, model.kv_heads);
    require(model.hidden() >= 1, "{}: model.mlp_ratio {} of model.width {} leaves no hidden width",
            said.where({"model.mlp_ratio"}), model.mlp_ratio, model.width);
}

void resolve_mask(const MaskOptions& mask, Index layers, const Said& said) {
    try {
        check_mask(mask, layers);
    } catch (const Error& error) {  // it begins with the key that is wrong
        const std::string text = error.what();
        fail(error.kind(), "{}: {}", said.where({text.substr(0, text.find(':'))}), text);
    }
}

// What a rule refuses has a line here; the length that it begins with is written down, so that it travels
// with every checkpoint.
void resolve_scaling(Recipe& recipe, const Said& said) {
    const Index root = recipe.from.original_length;
    try {
        locus::resolve_scaling(recipe.encoding.options, root > 0 ? root : recipe.train.length);
    } catch (const Error& error) {
        std::vector<std::string> places;
        for (const Option& option : extension_options()) places.push_back("encoding.scaling." + option.name);
        std::swap(places[1], places[2]);  // a target tells more of a fault than the original length
        places.push_back("encoding.scaling.type");
        fail(error.kind(), "{}: encoding.{}", said.where(places), error.what());
    }
}

void resolve_from(const Recipe& recipe, const Said& said) {
    const FromOptions& from = recipe.from;
    for (const std::string path : {"from.step", "from.original_length", "from.seen_tokens"})
        require(from.given() || !said.has(path), "{}: {} needs from.run or from.arm", said.where({path}),
                path);
    require(from.run.empty() || from.arm.empty(),
            "{}: from.run and from.arm say the same thing: give one of them", said.where({"from.arm"}));
    require(from.given() || recipe.train.tokens > 0,
            "{}: {}: expected an integer >= 1, found '0' (nothing to train is for runs with `from`)",
            said.where({"train.steps", "train.tokens"}),
            said.has("train.steps") ? "train.steps" : "train.tokens");
}

void resolve_steps(TrainOptions& train, const Draft& draft, const Said& said,
                   std::vector<std::string>& notes) {
    if (said.has("train.steps")) {
        train.tokens = draft.steps * train.batch_tokens;
    } else if (train.tokens % train.batch_tokens != 0) {
        const Index asked = train.tokens;
        train.tokens = train.steps() * train.batch_tokens;
        notes.push_back(fmt::format("train.tokens: {} rounded up to {} ({} whole steps of {})", asked,
                                    train.tokens, train.steps(), train.batch_tokens));
    }
    if (!said.has("train.warmup_steps"))
        train.warmup_steps = std::llround(draft.warmup * static_cast<double>(train.steps()));
    require(train.warmup_steps <= train.steps(),
            "{}: train.warmup_steps {} is more than the {} steps of training",
            said.where({"train.warmup_steps", "train.steps", "train.tokens"}), train.warmup_steps,
            train.steps());
}

// 0.0003, not 0.00030000000000000003: what a hand would write.
double rounded(double number) {
    return number_from(fmt::format("{:.15g}", number)).value_or(number);
}

void resolve_train(TrainOptions& train, const Draft& draft, Index block, const Said& said,
                   std::vector<std::string>& notes) {
    require(train.batch_tokens % train.length == 0,
            "{}: train.batch_tokens must be a multiple of train.length: {} is not a multiple of {}",
            said.where({"train.batch_tokens", "train.length"}), train.batch_tokens, train.length);
    require(block % train.length == 0,
            "{}: data.block must be a multiple of train.length: {} is not a multiple of {}",
            said.where({"data.block", "train.length"}), block, train.length);
    require(std::has_single_bit(static_cast<std::uint64_t>(train.shards)),
            "{}: train.shards: expected a power of two, found {}", said.where({"train.shards"}),
            train.shards);
    if (!said.has("train.min_lr")) train.min_lr = rounded(train.lr / 10);
    require(train.min_lr <= train.lr, "{}: train.min_lr {} is above train.lr {}",
            said.where({"train.min_lr", "train.lr"}), text_of(train.min_lr), text_of(train.lr));
    require(train.keep_every % train.checkpoint_every == 0,
            "{}: train.keep_every: expected a multiple of train.checkpoint_every ({}), found {}",
            said.where({"train.keep_every", "train.checkpoint_every"}), train.checkpoint_every,
            train.keep_every);
    resolve_steps(train, draft, said, notes);
}

void resolve_evaluate(EvaluateOptions& evaluate, Index longest, const Said& said) {
    if (!said.has("evaluate.lengths")) evaluate.lengths = {longest, 2 * longest, 4 * longest, 8 * longest};
    try {
        for (const Protocol& protocol : evaluate.protocols) check_protocol(protocol, evaluate.lengths);
    } catch (const Error& error) {
        fail(error.kind(), "{}: evaluate.protocols: {}",
             said.where({"evaluate.protocols", "evaluate.lengths"}), error.what());
    }
}

// What is measured must be able to stand in the primary column.
void check_primary(const Recipe& recipe, const Said& said) {
    const TableOptions& table = recipe.table;
    auto wanted = table.primary_column.begin();
    const auto check = [&](const char* key, const std::vector<std::string>& known) {
        require(std::find(known.begin(), known.end(), *wanted) != known.end(),
                "{}: table.primary_column: '{}' is none of {} ({})",
                said.where({"table.primary_column", key}), *wanted, key, fmt::join(known, ", "));
    };
    for (const std::string& axis : table.columns) {
        if (axis == "arm" || wanted == table.primary_column.end()) continue;
        std::vector<std::string> known;
        if (axis == "protocol") {
            for (const Protocol& protocol : recipe.evaluate.protocols) known.push_back(text_of(protocol));
            check("evaluate.protocols", known);
        } else if (axis == "length") {
            for (const Index length : recipe.evaluate.lengths) known.push_back(text_of(length));
            check("evaluate.lengths", known);
        }
        ++wanted;
    }
}

// Every number that a position source needs must fit the windows of training and evaluation.
void resolve_positions(Recipe& recipe, const Said& said) {
    PositionOptions& positions = recipe.data.positions;
    const bool randomized = positions.kind == PositionKind::randomized,
               pose = positions.kind == PositionKind::pose;
    require(randomized || pose || !said.has("data.max_position"),
            "{}: data.max_position belongs to data.positions: randomized or pose",
            said.where({"data.max_position"}));
    require(pose || !said.has("data.chunks"), "{}: data.chunks belongs to data.positions: pose",
            said.where({"data.chunks"}));
    const Index evaluated = recipe.evaluate.lengths.back(), length = recipe.train.length;
    if (randomized && positions.max_position == 0) positions.max_position = paper_max_position;
    if (pose && positions.max_position == 0) positions.max_position = std::max(evaluated, length);
    const std::string place = said.where({"data.max_position", "data.positions"});
    require(positions.span(length) >= length,
            "{}: data.max_position {} is less than the {} tokens of train.length", place,
            positions.max_position, length);
    require(!randomized || positions.max_position >= evaluated,
            "{}: data.max_position {} is less than the {} tokens of the longest of evaluate.lengths", place,
            positions.max_position, evaluated);
    require(!pose || positions.chunks <= length,
            "{}: {} chunks cannot be cut from a window of {} tokens (train.length)",
            said.where({"data.chunks", "data.positions"}), positions.chunks, length);
}

void check_table(const TableOptions& table, const std::vector<Coordinate>& cell, const Said& said,
                 const Schema& schema) {
    std::vector<std::string> axes;
    const auto varies = [&](const std::string& axis) {
        return std::any_of(cell.begin(), cell.end(), [&](const Coordinate& at) { return at.axis == axis; });
    };
    const auto check = [&](const std::string& path, const std::string& axis) {
        const std::vector<std::string> of_results = result_axes();
        const bool known =
            axis == "arm" || std::find(of_results.begin(), of_results.end(), axis) != of_results.end() ||
            (axis.find('.') != std::string::npos && schema.find(axis) != nullptr) || varies(axis);
        require(known,
                "{}: {}: expected arm, {}, an axis of `vary` or the dotted key of a varied value, found '{}'",
                said.where({path}), path, fmt::format("{}", fmt::join(of_results, ", ")), axis);
        require(std::find(axes.begin(), axes.end(), axis) == axes.end(),
                "{}: {}: '{}' is already another part of the table", said.where({path}), path, axis);
        axes.push_back(axis);
    };
    check("table.rows", table.rows);
    for (const std::string& axis : table.columns) check("table.columns", axis);
    check("table.over", table.over);
}

}  // namespace

Draft draft_of(const Overlay& overlay, const Schema& schema) {
    Draft draft;
    EncodingOptions& encoding = draft.recipe.encoding;
    Source source;
    for (const std::string path : {"encoding.kind", "encoding.preset"}) {
        const auto value = overlay.values.find(path);
        if (value == overlay.values.end()) continue;
        schema.find(path)->read(draft, value->second);
        source = value->second.source;
    }
    require(schema.kinds().contains(encoding.kind), "encoding kind '{}' is not known", encoding.kind);
    // The rule decides which options there are, so it is read before them: the recipe's, else the preset's.
    const auto said_rule = overlay.values.find("encoding.scaling.type");
    const auto preset_rule = draft.preset.find("scaling.type");
    std::optional<Value> rule;
    if (preset_rule != draft.preset.end()) rule = Value::scalar(preset_rule->second, source);
    if (said_rule != overlay.values.end()) rule = said_rule->second;
    encoding.options = Options(schema.options(encoding.kind, "plain"));
    if (rule) {
        const Key* key = schema.find("encoding.scaling.type", encoding.kind);
        const bool is_plain = key == nullptr && rule->text == "plain";  // such as scaling: null, for any kind
        if (key == nullptr && !is_plain)
            schema.refuse_foreign("encoding.scaling.type", encoding.kind, rule->source);
        if (key != nullptr) {
            key->read(draft, *rule);
            encoding.options = Options(schema.options(encoding.kind, encoding.options.text("scaling.type")));
        }
    }
    const bool other_rule = rule && preset_rule != draft.preset.end() &&
                            encoding.options.text("scaling.type") != preset_rule->second;
    for (const auto& [name, text] : draft.preset) {
        if (name.starts_with("scaling.") && (name == "scaling.type" || other_rule)) continue;
        const Key* key = schema.find("encoding." + name, encoding.kind);
        require(key != nullptr, "{}: the preset sets {}, which encoding {} does not have", source.text(),
                name, encoding.kind);
        key->read(draft, Value::scalar(text, source));
    }
    for (const auto& [path, value] : overlay.values) {
        const Key* key = schema.find(path, encoding.kind);
        if (key == nullptr && path == "encoding.scaling.type" && value.text == "plain") continue;
        if (key == nullptr) schema.refuse_foreign(path, encoding.kind, value.source);
        key->read(draft, value);
    }
    return draft;
}

void resolve_function(Draft& draft, const Overlay& overlay, const Schema& schema, const std::string& place) {
    const Said said(overlay, place);
    Recipe& recipe = draft.recipe;
    resolve_model(recipe.model, said);
    resolve_mask(recipe.mask, recipe.model.layers, said);
    resolve_scaling(recipe, said);
    try {
        schema.resolve_encoding(recipe);
    } catch (const Error& error) {
        const std::string text = error.what();
        if (!text.starts_with("scaling ")) throw;  // a rule names the option that it refuses
        std::vector<std::string> places;
        for (const auto& [path, value] : overlay.values)
            if (path.starts_with("encoding.scaling.") &&
                text.find(" " + path.substr(std::string("encoding.scaling.").size()) + ":") !=
                    std::string::npos)
                places.push_back(path);
        places.push_back("encoding.scaling.type");
        fail(error.kind(), "{}: encoding.{}", said.where(places), text);
    }
}

namespace {

// A stage may be trained beyond what its rule reaches, as by a factor that was meant of the stage before.
void note_reach(const Recipe& recipe, std::vector<std::string>& notes) {
    const Options& options = recipe.encoding.options;
    if (!options.has("scaling.factor") || !options.has("scaling.original_length")) return;
    const auto& rules = FrequencyRegistry::instance();
    const std::string& rule = options.text("scaling.type");
    if (rules.contains(rule) && rules.at(rule).varies_by_length) return;
    const double factor = options.number("scaling.factor");
    const Index original = options.integer("scaling.original_length");
    if (factor <= 0 || factor * static_cast<double>(original) >= static_cast<double>(recipe.train.length))
        return;
    notes.push_back(fmt::format(
        "encoding.scaling: factor {} of original_length {} reaches {:.0f} tokens, and train.length is {}: a "
        "factor counts from the length at the root, not from the stage before",
        text_of(factor), original, factor * static_cast<double>(original), recipe.train.length));
}

}  // namespace

Recipe resolved(Draft draft, const Overlay& overlay, const LongestOfArms& longest, const Schema& schema,
                const std::string& place, std::vector<std::string>& notes) {
    const Said said(overlay, place);
    Recipe& recipe = draft.recipe;
    resolve_data(recipe, said, longest.window);
    resolve_train(recipe.train, draft, recipe.data.block, said, notes);
    resolve_from(recipe, said);
    resolve_evaluate(recipe.evaluate, longest.root, said);
    resolve_positions(recipe, said);
    check_table(recipe.table, recipe.cell, said, schema);
    check_primary(recipe, said);
    note_reach(recipe, notes);
    return std::move(recipe);
}

}  // namespace locus
