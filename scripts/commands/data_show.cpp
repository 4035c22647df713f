#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "data/task.h"
#include "recipes/engine/config/nearest.h"
#include "recipes/engine/config/overrides.h"
#include "recipes/engine/config/sections.h"
#include "scripts/commands/arguments.h"
#include "scripts/commands/data_show.h"
#include "scripts/commands/output.h"

namespace locus {

namespace {

/// What may be said beside the options of the task.
std::vector<Option> view_options() {
    return {{.name = "length", .standard = Index{64}, .doc = "tokens of an item", .min = 1, .max = 1 << 20},
            {.name = "items", .standard = Index{3}, .doc = "how many are shown", .min = 1, .max = 1 << 20},
            {.name = "first", .standard = Index{0}, .doc = "number of the first one", .min = 0},
            {.name = "seed", .standard = Index{0}, .doc = "that they are drawn by", .min = 0},
            {.name = "part",
             .standard = std::string("test"),
             .doc = "that they are of",
             .choices = {name_of(ItemPart::train), name_of(ItemPart::valid), name_of(ItemPart::test)}}};
}

ItemPart asked_part(const Options& view) {
    for (const ItemPart part : {ItemPart::train, ItemPart::valid})
        if (view.text("part") == name_of(part)) return part;
    return ItemPart::test;
}

/// Sets each option in the one of the two that declares it.
void read_options(const Words& overrides, const std::vector<Option>& declared, Options& task, Options& view) {
    std::vector<std::string> names;
    for (const Option& option : declared) names.push_back(option.name);
    const std::vector<Entry> said = read_overrides(overrides).keys;
    require(said.size() == overrides.size(), "data show: `vary` belongs to recipes; a task has: {}",
            fmt::join(names, ", "));
    for (const Entry& entry : said) {
        const auto option = std::find_if(declared.begin(), declared.end(),
                                         [&](const Option& known) { return known.name == entry.key; });
        require(option != declared.end(), "{}: unknown option '{}'; the nearest is '{}'", entry.source.text(),
                entry.key, nearest_key(entry.key, names));
        (task.has(entry.key) ? task : view).set(entry.key, read_option(entry.value, entry.key, *option));
    }
}

/// The row as text, its answers in brackets.
std::string bracketed(const Task& task, const TaskItem& item, const std::vector<Token>& row) {
    std::vector<bool> is_answer(row.size() + 1);
    for (const Index place : item.answers) is_answer[static_cast<std::size_t>(place)] = true;
    std::vector<std::string> runs;
    for (std::size_t i = 0; i < row.size();) {
        std::size_t end = i + 1;
        while (end < row.size() && is_answer[end] == is_answer[i]) ++end;
        const std::string text = task.vocabulary().text(std::span(row).subspan(i, end - i));
        runs.push_back(is_answer[i] ? "[" + text + "]" : text);
        i = end;
    }
    return fmt::format("{}", fmt::join(runs, task.vocabulary().between()));
}

std::vector<Token> answer_tokens(const TaskItem& item) {
    std::vector<Token> answers;
    for (const Index place : item.answers) answers.push_back(item.tokens[static_cast<std::size_t>(place)]);
    return answers;
}

nlohmann::json item_json(const Task& task, const TaskItem& item, Index number) {
    const Vocabulary& vocabulary = task.vocabulary();
    auto evidence = nlohmann::json::array();
    for (const Stretch& stretch : item.evidence)
        evidence.push_back({{"begin", stretch.begin}, {"count", stretch.count}});
    const auto prompt = std::span(item.tokens).first(static_cast<std::size_t>(item.answers.front()));
    return {{"item", number},
            {"prompt", vocabulary.text(prompt)},
            {"answer", vocabulary.text(answer_tokens(item))},
            {"text", bracketed(task, item, item.tokens)},
            {"no_evidence", bracketed(task, item, item.without)},
            {"tokens", item.tokens},
            {"answers", item.answers},
            {"evidence", evidence},
            {"without", item.without}};
}

nlohmann::json task_json(const Task& task, const Options& options, Index length) {
    auto said = nlohmann::json::object();
    for (const auto& [name, value] : options.values())
        std::visit([&, &key = name](const auto& held) { said[key] = held; }, value);
    return {{"task", task.name()},
            {"doc", TaskRegistry::instance().at(task.name()).doc},
            {"options", said},
            {"length", length},
            {"shortest", task.shortest()},
            {"vocabulary", task.vocabulary().symbols()},
            {"answer_set", task.answers().tokens()},
            {"chance", task.chance()},
            {"majority", task.majority(length)}};
}

/// Items by number.
using Items = std::map<Index, TaskItem>;

void print_json(const Task& task, const Options& options, Index length, const Items& items) {
    nlohmann::json shown = task_json(task, options, length);
    for (const auto& [number, item] : items) shown["items"].push_back(item_json(task, item, number));
    put("{}\n", shown.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

void print_text(const Task& task, const std::string& part, Index length, const Items& items) {
    put("{}: {}\n  {} symbols, {} of them answers; chance {:.4f}, majority {:.4f}; {} tokens or more\n",
        task.name(), TaskRegistry::instance().at(task.name()).doc, task.vocabulary().size(),
        task.answers().count, task.chance(), task.majority(length), task.shortest());
    for (const auto& [number, item] : items)
        put("\n{} item {}\n  prompt       {}\n  answer       {}\n  no evidence  {}\n", part, number,
            bracketed(task, item, item.tokens), task.vocabulary().text(answer_tokens(item)),
            bracketed(task, item, item.without));
}

}  // namespace

int show_task(const Words& words) {
    const Arguments arguments("data show TASK [key=value ...]", words, {{"json", "one JSON document"}});
    if (arguments.help()) return 0;
    const std::string name = arguments.subject("TASK");
    const TaskRegistry& known = TaskRegistry::instance();
    require(known.contains(name), "task {}", known.unknown(name));
    std::vector<Option> declared = view_options();
    Options options(known.at(name).options), view(declared);
    declared.insert(declared.begin(), known.at(name).options.begin(), known.at(name).options.end());
    read_options(arguments.overrides(), declared, options, view);

    const auto task = make_task(name, options);
    const Index length = view.integer("length"), first = view.integer("first");
    const auto seed = static_cast<std::uint64_t>(view.integer("seed"));
    Items items;  // all before the first is shown: what is refused shows nothing
    for (Index i = first; i < first + view.integer("items"); ++i)
        items[i] = draw_item(*task, seed, asked_part(view), i, length);
    if (arguments.has("json"))
        print_json(*task, options, length, items);
    else
        print_text(*task, view.text("part"), length, items);
    return 0;
}

}  // namespace locus
