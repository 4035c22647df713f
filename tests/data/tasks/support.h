// Every task under settings that vary each of its options.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <sstream>

#include "data/draws.h"
#include "data/task.h"

namespace locus {

using Words = std::vector<std::string>;

inline Words words_of(const std::string& text) {
    std::istringstream in(text);
    return {std::istream_iterator<std::string>(in), {}};
}

// One a line: a task, and what is said of its options.
inline const std::vector<std::string>& settings() {
    static const std::vector<std::string> all = {
        "recall",
        "recall offset=0",
        "recall offset=9 symbols=2",
        "copy",
        "copy symbols=3",
        "reverse",
        "reverse symbols=30",
        "bucket_sort",
        "bucket_sort symbols=2",
        "induction",
        "induction symbols=2 triggers=1",
        "induction depth=0.5",
        "mqar",
        "mqar pairs=1 keys=7 values=9",
        "mqar pairs=5 keys=6 values=3 fillers=1",
        "passkey",
        "passkey digits=3 depth=1",
        "passkey digits=12 depth=0",
        "needle",
        "needle key_length=4 value_length=3 symbols=5 depth=0.25",
        "needle form=multi_key distractors=3 key_length=3 similarity=2",
        "needle form=multi_key distractors=7 key_length=1 fillers=2 depth=0.5",
        "needle form=multi_value pieces=3 value_length=2",
        "needle form=multi_value pieces=2 distractors=4",
        "needle form=multi_query pieces=4 distractors=2 similarity=1",
        "needle form=multi_query pieces=3 key_length=1 symbols=4",
        "k_hop",
        "k_hop hops=1 distractors=0",
        "k_hop hops=3 order=reverse names=40 values=5",
        "k_hop hops=4 order=shuffled distractors=2 fillers=1",
        "update",
        "update pieces=1 distractors=0",
        "update pieces=5 distractors=1 keys=2 values=5 fillers=3",
        "conflict",
        "conflict distractors=0 keys=4 values=4",
        "conflict distractors=6 fillers=1",
        "count",
        "count pieces=3 symbols=5",
        "count pieces=30 symbols=9 fillers=1",
        "parity",
        "even_pairs",
        "modular_arithmetic",
        "modular_arithmetic modulus=2",
        "modular_arithmetic modulus=11",
        "addition",
        "addition order=reverse",
        "dyck",
        "dyck types=2 depth=1",
        "dyck types=9 depth=12"};
    return all;
}

/// A task as it is made from a line of the above.
struct Sample {
    std::string setting;
    Options options;
    std::shared_ptr<const Task> task;

    explicit Sample(const std::string& line) : setting(line) {
        const Words words = words_of(line);
        const std::vector<Option>& declared = TaskRegistry::instance().at(words.front()).options;
        options = Options(declared);
        for (std::size_t i = 1; i < words.size(); ++i) {
            const std::string name = words[i].substr(0, words[i].find('='));
            set(name, words[i].substr(name.size() + 1));
        }
        task = make_task(words.front(), options);
    }

    void set(const std::string& name, const std::string& text) {
        const OptionValue& standard = options.values().at(name);
        if (std::holds_alternative<Index>(standard))
            options.set(name, Index{std::stoll(text)});
        else if (std::holds_alternative<double>(standard))
            options.set(name, std::stod(text));
        else
            options.set(name, text);
    }

    TaskItem at(Index index, Index length, ItemPart part = ItemPart::train, std::uint64_t seed = 0) const {
        return draw_item(*task, seed, part, index, length);
    }
    /// A length that has room for all, and many items.
    Index long_enough() const { return std::max(Index{64}, task->shortest()); }

    Words row(const std::vector<Token>& tokens) const {
        Words words;
        for (const Token token : tokens)
            words.push_back(task->vocabulary().symbols()[static_cast<std::size_t>(token)]);
        return words;
    }
};

class EveryTask : public testing::TestWithParam<std::string> {
  protected:
    const Sample sample_{GetParam()};
};

inline std::string test_name(const testing::TestParamInfo<std::string>& info) {
    std::string name;
    for (const char c : info.param) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    return name;
}

/// The row as a solver may see it: "?" in the place of every answer.
inline const std::string hidden = "<answer>";

inline Words hide(Words row, const std::vector<Index>& answers) {
    for (const Index place : answers) row[static_cast<std::size_t>(place)] = hidden;
    return row;
}

inline Words answers_of(const Words& row, const std::vector<Index>& answers) {
    Words right;
    for (const Index place : answers) right.push_back(row[static_cast<std::size_t>(place)]);
    return right;
}

/// What the rule of the task gives for a row with hidden answers, by a reading of its words that shares
/// nothing with the task's code. `off`: read one place, one step or one number beside the right one.
Words solve(const Sample& sample, const Words& row, bool off);

}  // namespace locus
