#include "recipes/engine/config/resolve.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "data/tokenizer.h"
#include "framework/core/error.h"
#include "models/frequency_rule.h"
#include "recipes/engine/config/said.h"

namespace locus {

namespace {

constexpr Index paper_max_position = 2048;  // of randomized positions (arXiv:2305.16843)

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
