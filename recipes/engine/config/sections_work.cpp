// The sections that say how a model is trained: data, train, from.
#include <algorithm>

#include "framework/core/error.h"
#include "recipes/engine/config/sections.h"

namespace locus {

namespace {

constexpr double unbounded = std::numeric_limits<double>::max();

using Writer = std::function<std::optional<Value>(const Recipe&)>;

/// A split: names, or a fraction of the corpus.
void add_split(Keys<DataOptions>& keys, const std::string& name, std::vector<std::string> DataOptions::*names,
               std::optional<double> DataOptions::*fraction) {
    keys.custom(
        name, "books or documents by name, or a fraction of the tokens; absent: the corpus's own split",
        {"list of texts or number", "[0, 1)"},
        [=](Draft& draft, const Value& value, const std::string& path) {
            DataOptions& data = draft.recipe.data;
            (data.*names).clear();
            (data.*fraction).reset();
            if (value.type == Value::Type::list) {
                data.*names = read_texts(value, path, "[emma, persuasion]");
            } else if (value.type == Value::Type::scalar && !number_from(value.text)) {
                // A text that begins like a number is a number gone wrong, not the name of a book.
                if (value.text.find_first_of("0123456789+-.") == 0)
                    refuse(value, path, fmt::format("a fraction, or names as a list ([{}])", value.text));
                data.*names = {read_text(value, path)};
            } else {
                data.*fraction = read_number(value, path, {0, 1, false, true});
            }
        },
        [=](const Recipe& recipe) -> std::optional<Value> {
            if (!(recipe.data.*names).empty()) return Value::list(recipe.data.*names);
            if (recipe.data.*fraction) return Value::number(*(recipe.data.*fraction));
            return std::nullopt;
        });
}

/// A count that a recipe may leave open.
template <typename T>
void add_optional(Keys<DataOptions>& keys, const std::string& name, std::optional<T> DataOptions::*member,
                  Range<Index> range, const std::string& doc) {
    keys.custom(
        name, doc, integer_type(range),
        [=](Draft& draft, const Value& value, const std::string& path) {
            draft.recipe.data.*member = static_cast<T>(read_integer(value, path, range));
        },
        [=](const Recipe& recipe) -> std::optional<Value> {
            const std::optional<T>& count = recipe.data.*member;
            if (!count) return std::nullopt;
            return Value::number(static_cast<Index>(*count));
        });
}

/// The keys of where tokens are said to be. Those that a kind does not have are not written.
void add_positions(Keys<DataOptions>& keys) {
    using P = PositionOptions;
    const std::vector<std::string> kinds = {"consecutive", "packed", "randomized", "pose"};
    keys.custom(
        "positions", "consecutive; packed documents; randomized (arXiv:2305.16843); pose (arXiv:2309.10400)",
        choice_type(kinds),
        [kinds](Draft& draft, const Value& value, const std::string& path) {
            draft.recipe.data.positions.kind = static_cast<PositionKind>(read_choice(value, path, kinds));
        },
        [kinds](const Recipe& recipe) {
            return Value::scalar(kinds[static_cast<std::size_t>(recipe.data.positions.kind)]);
        });
    const auto add = [&](const std::string& name, Index P::*member, Range<Index> range,
                         const std::vector<PositionKind>& owners, const std::string& doc) {
        keys.custom(
            name, doc, integer_type(range),
            [=](Draft& draft, const Value& value, const std::string& path) {
                draft.recipe.data.positions.*member = read_integer(value, path, range);
            },
            [=](const Recipe& recipe) -> std::optional<Value> {
                const P& positions = recipe.data.positions;
                if (std::count(owners.begin(), owners.end(), positions.kind) == 0) return std::nullopt;
                return Value::number(positions.*member);
            });
    };
    add("max_position", &P::max_position, at_least(1), {PositionKind::randomized, PositionKind::pose},
        "positions lie below it; default: 2048 (randomized), the greatest evaluated length (pose)");
    add("chunks", &P::chunks, at_least(2), {PositionKind::pose}, "parts of a window that are moved apart");
}

// No training at all, which resolve() allows only after another run.
bool is_zero(const Value& value) {
    return value.type == Value::Type::scalar && integer_from(value.text) == Index{0};
}

Range<Index> seeds() {
    return {0, std::numeric_limits<Index>::max()};
}

}  // namespace

std::vector<Key> data_keys() {
    using D = DataOptions;
    Keys<D> keys("data", &Recipe::data);
    keys.custom(
        "corpus",
        "generated, the name of a fetched corpus, or a path; a relative one begins at the folder of the "
        "recipe "
        "that says it, on the command line at the working folder",
        {"text"},
        [](Draft& draft, const Value& value, const std::string& path) {
            draft.recipe.data.corpus = read_text(value, path);
            draft.recipe.data.folder = value.source.folder();
        },
        [](const Recipe& recipe) { return Value::scalar(recipe.data.corpus); });
    keys.choice("format", &D::format, {"auto", "bytes"},
                "auto: text, JSON lines or gzip of these, by content; bytes: each file as it lies there");
    keys.text("tokenizer", &D::tokenizer, "how text becomes tokens");
    keys.integer(
        "block", &D::block, at_least(1),
        "tokens of a block of the training order; default: the longest training length among the arms");
    add_positions(keys);
    add_split(keys, "valid", &D::valid, &D::valid_fraction);
    add_split(keys, "test", &D::test, &D::test_fraction);
    add_optional(keys, "documents", &D::documents, at_least(1), "of the generated corpus");
    add_optional(keys, "document_length", &D::document_length, at_least(1), "bytes of a generated document");
    add_optional(keys, "generator_seed", &D::generator_seed, seeds(), "of the generated corpus");
    return keys.take();
}

std::vector<Key> train_keys() {
    using T = TrainOptions;
    const Writer unwritten = [](const Recipe&) { return std::nullopt; };
    Keys<T> keys("train", &Recipe::train);
    keys.integer("length", &T::length, at_least(1), "tokens of a training window");
    keys.custom(
        "tokens", "in all; rounded up to whole steps", {"integer", ">= 1"},
        [](Draft& draft, const Value& value, const std::string& path) {
            draft.recipe.train.tokens =
                is_zero(value) ? 0 : read_integer(value, path, {1, 1'000'000'000'000'000});
        },
        [](const Recipe& recipe) { return Value::number(recipe.train.tokens); });
    keys.custom(
        "steps",
        "of the optimizer, each of batch_tokens; instead of tokens; 0 with `from`: nothing is trained",
        {"integer", ">= 0"},
        [](Draft& draft, const Value& value, const std::string& path) {
            draft.steps = is_zero(value) ? 0 : read_integer(value, path, at_least(1));
        },
        unwritten, "tokens");
    keys.integer("batch_tokens", &T::batch_tokens, at_least(1),
                 "of one optimizer step; a multiple of length");
    keys.integer("shards", &T::shards, {1, 1 << 20}, "fixed cuts of a step's batch; a power of two");
    keys.choice("reduction", &T::reduction, {"exact", "fast"},
                "gradients of ranks: the same bits on any number of them, or MPI's own order");
    keys.number("lr", &T::lr, {0, unbounded, true, false}, "greatest learning rate");
    keys.number("min_lr", &T::min_lr, {0, unbounded}, "where the schedule ends; default: lr / 10");
    keys.custom(
        "warmup", "share of the steps in linear warm-up; 0.03 where neither it nor warmup_steps is given",
        {"number", "[0, 1]"},
        [](Draft& draft, const Value& value, const std::string& path) {
            draft.warmup = read_number(value, path, {0, 1});
        },
        unwritten, "warmup_steps");
    keys.integer("warmup_steps", &T::warmup_steps, at_least(0), "steps of linear warm-up; instead of warmup");
    keys.choice("schedule", &T::schedule, {"constant", "linear", "cosine"}, "what follows the warm-up");
    keys.number("weight_decay", &T::weight_decay, {0, unbounded}, "AdamW; on matrices only");
    keys.number("beta1", &T::beta1, {0, 1, false, true}, "AdamW");
    keys.number("beta2", &T::beta2, {0, 1, false, true}, "AdamW");
    keys.number("epsilon", &T::epsilon, {0, unbounded, true, false}, "AdamW");
    keys.number("clip", &T::clip, {0, unbounded}, "greatest norm of the whole gradient; 0: no clipping");
    keys.choice("precision", &T::precision, {"fp32", "bf16"},
                "of the factors of products of weights in training steps; all else stays fp32");
    keys.custom(
        "seed", "of initial values, data order and dropout", {"integer", ">= 0"},
        [](Draft& draft, const Value& value, const std::string& path) {
            draft.recipe.train.seed = static_cast<std::uint64_t>(read_integer(value, path, seeds()));
        },
        [](const Recipe& recipe) { return Value::number(static_cast<Index>(recipe.train.seed)); });
    keys.integer("validate_every", &T::validate_every, at_least(0), "steps; 0: never during training");
    keys.integer("checkpoint_every", &T::checkpoint_every, at_least(1),
                 "steps; the last step is always kept");
    keys.integer("keep", &T::keep, at_least(1), "the newest checkpoints that stay");
    keys.integer("keep_every", &T::keep_every, at_least(0),
                 "steps, a multiple of checkpoint_every, whose checkpoints stay as well; 0: none");
    return keys.take();
}

std::vector<Key> from_keys() {
    using F = FromOptions;
    Keys<F> keys("from", &Recipe::from);
    const auto text = [&](const std::string& name, std::string F::*member, const std::string& doc) {
        keys.custom(
            name, doc, {"text"},
            [=](Draft& draft, const Value& value, const std::string& path) {
                draft.recipe.from.*member = read_text(value, path);
                if (member == &F::run) draft.recipe.from.folder = value.source.folder();
            },
            [=](const Recipe& recipe) -> std::optional<Value> {
                if ((recipe.from.*member).empty()) return std::nullopt;
                return Value::scalar(recipe.from.*member);
            });
    };
    const auto count = [&](const std::string& name, Index F::*member, Index min, const std::string& doc) {
        keys.custom(
            name, doc, {name == "step" ? "integer or last" : "integer", fmt::format(">= {}", min)},
            [=](Draft& draft, const Value& value, const std::string& path) {
                const bool last = name == "step" && value.text == "last";
                draft.recipe.from.*member =
                    last ? -1 : read_integer(value, path, {min, std::numeric_limits<Index>::max()});
            },
            [=](const Recipe& recipe) -> std::optional<Value> {
                if (!recipe.from.given()) return std::nullopt;
                const Index number = recipe.from.*member;
                return number < 0 ? Value::scalar("last") : Value::number(number);
            });
    };
    text("run", &F::run,
         "a run folder or a checkpoint whose parameters this run begins with; a relative path begins where "
         "that of "
         "data.corpus does");
    text("arm", &F::arm, "an earlier arm of this recipe, whose cell at the same grid values it begins with");
    count("step", &F::step, 0, "of the checkpoint; last: the newest");
    count("original_length", &F::original_length, 1, "train.length of the run at the root; filled in");
    count("seen_tokens", &F::tokens, 0, "until then, from where the training text goes on; filled in");
    return keys.take();
}

}  // namespace locus
