// The sections that say what is measured and shown: evaluate, table.
#include <fmt/ranges.h>

#include <set>

#include "framework/core/error.h"
#include "recipes/engine/config/sections.h"
#include "recipes/engine/measure/metric.h"

namespace locus {

std::vector<std::string> read_texts(const Value& value, const std::string& path, const std::string& example) {
    std::vector<std::string> texts;
    std::set<std::string> seen;
    for (const Value& item : read_list(value, path, example)) {
        texts.push_back(read_text(item, path));
        require(seen.insert(texts.back()).second, "{}: {}: '{}' is given twice", item.source.text(), path,
                texts.back());
    }
    return texts;
}

std::vector<Key> evaluate_keys() {
    using E = EvaluateOptions;
    Keys<E> keys("evaluate", &Recipe::evaluate);
    keys.custom(
        "lengths",
        "tokens, ascending; may begin below the training length; default: 1, 2, 4 and 8 times the longest "
        "one, "
        "before anything is extended",
        {"list of integers", ">= 1"},
        [](Draft& draft, const Value& value, const std::string& path) {
            std::vector<Index> lengths;
            for (const Value& item : read_list(value, path, "[128, 256]")) {
                const Index length = read_integer(item, path, at_least(1));
                if (!lengths.empty() && length <= lengths.back())
                    refuse(item, path, fmt::format("ascending lengths, above {}", lengths.back()));
                lengths.push_back(length);
            }
            draft.recipe.evaluate.lengths = lengths;
        },
        [](const Recipe& recipe) { return Value::list(recipe.evaluate.lengths); });
    keys.custom(
        "protocols", protocol_forms(), {"list of protocols"},
        [](Draft& draft, const Value& value, const std::string& path) {
            std::vector<Protocol> protocols;
            for (const std::string& text : read_texts(value, path, "[non_overlapping, sliding:64]")) {
                try {
                    protocols.push_back(parse_protocol(text));
                } catch (const Error& error) {
                    fail(Failure::usage, "{}: {}: {}", value.source.text(), path, error.what());
                }
            }
            draft.recipe.evaluate.protocols = protocols;
        },
        [](const Recipe& recipe) {
            std::vector<std::string> texts;
            for (const Protocol& protocol : recipe.evaluate.protocols) texts.push_back(text_of(protocol));
            return Value::list(texts);
        });
    keys.choice("split", &E::split, {"valid", "test"}, "the documents that are scored");
    keys.integer("targets", &E::targets, at_least(1), "tokens that same_target scores");
    return keys.take();
}

std::vector<Key> table_keys() {
    using T = TableOptions;
    Keys<T> keys("table", &Recipe::table);
    keys.text(
        "rows", &T::rows,
        "an axis: arm, protocol, length or another one of results, or the dotted key of a varied value");
    keys.custom(
        "columns", "axes, as for rows, the slowest first", {"list of texts"},
        [](Draft& draft, const Value& value, const std::string& path) {
            draft.recipe.table.columns = read_texts(value, path, "[protocol, length]");
        },
        [](const Recipe& recipe) { return Value::list(recipe.table.columns); });
    keys.custom(
        "cell", "the metric that is shown",
        {"choice", fmt::format("{}", fmt::join(MetricRegistry::instance().names(), ", "))},
        [](Draft& draft, const Value& value, const std::string& path) {
            const auto names = MetricRegistry::instance().names();
            draft.recipe.table.cell = names[read_choice(value, path, names)];
        },
        [](const Recipe& recipe) { return Value::scalar(recipe.table.cell); });
    keys.text("over", &T::over, "the axis that the mean and its interval run over");
    const auto contrasts = [&](const char* name, std::vector<std::string> T::*member, const char* doc) {
        keys.custom(
            name, doc, {"list of texts"},
            [=](Draft& draft, const Value& value, const std::string& path) {
                const bool none = value.type == Value::Type::list && value.items.empty();
                draft.recipe.table.*member = none ? std::vector<std::string>{}
                                                  : read_texts(value, path, "[yarn - plain, yarn - linear]");
            },
            [=](const Recipe& recipe) -> std::optional<Value> {
                if ((recipe.table.*member).empty()) return std::nullopt;
                return Value::list(recipe.table.*member);
            });
    };
    contrasts("contrasts", &T::contrasts,
              "pairs of arms or of patterns, [A - B, ...]: their differences, paired by `over`, with "
              "intervals");
    contrasts("primary_contrasts", &T::primary_contrasts,
              "those that answer the question, in the primary column: they alone are tested, all else is "
              "exploratory");
    keys.custom(
        "primary_column",
        "a value for each axis of `columns` but arm, such as [same_target, 128]: where the question is "
        "answered",
        {"list of texts"},
        [](Draft& draft, const Value& value, const std::string& path) {
            draft.recipe.table.primary_column = read_texts(value, path, "[same_target, 128]");
        },
        [](const Recipe& recipe) -> std::optional<Value> {
            if (recipe.table.primary_column.empty()) return std::nullopt;
            return Value::list(recipe.table.primary_column);
        });
    return keys.take();
}

}  // namespace locus
