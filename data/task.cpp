#include "data/task.h"

#include "framework/core/error.h"

namespace locus {

namespace {

constexpr int max_draws = 1000;  // an eighth of all items is missed so often once in 10^58 times

}  // namespace

double Task::majority(Index) const {
    return chance();
}

std::vector<Token> Task::gist(const TaskItem& item) const {
    std::vector<Token> gist;
    for (const Token token : item.tokens)
        if (!filler_.holds(token)) gist.push_back(token);
    return gist;
}

std::unique_ptr<Task> make_task(const std::string& name, const Options& options) {
    const TaskRegistry& known = TaskRegistry::instance();
    require(known.contains(name), "task {}", known.unknown(name));
    auto task = known.at(name).make(options);
    task->name_ = name;
    return task;
}

std::unique_ptr<Task> make_task(const std::string& name) {
    const TaskRegistry& known = TaskRegistry::instance();
    require(known.contains(name), "task {}", known.unknown(name));
    return make_task(name, Options(known.at(name).options));
}

// An eighth to validate, an eighth to test. The seed has no say: what one seed trains on, no other tests.
ItemPart part_of(const Task& task, const TaskItem& item) {
    const std::vector<Token> gist = task.gist(item);
    const std::uint64_t hash =
        name_index({reinterpret_cast<const char*>(gist.data()), gist.size() * sizeof(Token)});
    return hash % 8 == 0 ? ItemPart::valid : hash % 8 == 1 ? ItemPart::test : ItemPart::train;
}

TaskItem draw_item(const Task& task, std::uint64_t seed, ItemPart part, Index index, Index length) {
    require(length >= task.shortest(), "task {}: an item has {} tokens or more, not {}; nothing is cut off",
            task.name(), task.shortest(), length);
    RandomStream random(
        seed, Purpose::generator,
        {name_index(task.name()), static_cast<std::uint64_t>(part), static_cast<std::uint64_t>(index)});
    for (int i = 0; i < max_draws; ++i) {
        TaskItem item = task.draw(length, random);
        require(static_cast<Index>(item.tokens.size()) == length && item.without.size() == item.tokens.size(),
                Failure::data, "task {}: {} tokens were asked for, {} came", task.name(), length,
                item.tokens.size());
        if (part_of(task, item) == part) return item;
    }
    fail(Failure::data, "task {}: no item of {} tokens is of the {} part: there are too few of that length",
         task.name(), length, name_of(part));
}

std::string name_of(ItemPart part) {
    return part == ItemPart::train ? "train" : part == ItemPart::valid ? "valid" : "test";
}

}  // namespace locus
