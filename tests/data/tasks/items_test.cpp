// What holds for the items of every task.
#include <algorithm>
#include <map>
#include <set>

#include "framework/core/error.h"
#include "tests/data/tasks/support.h"

namespace locus {

namespace {

constexpr ItemPart parts[] = {ItemPart::train, ItemPart::valid, ItemPart::test};

TEST(Tasks, HaveSettingsThatVaryEveryOption) {
    std::set<std::string> varied, declared;
    for (const std::string& setting : settings()) {
        const Words words = words_of(setting);
        varied.insert(words.front());
        for (std::size_t i = 1; i < words.size(); ++i)
            varied.insert(words.front() + " " + words[i].substr(0, words[i].find('=')));
    }
    for (const std::string& name : TaskRegistry::instance().names()) {
        declared.insert(name);
        for (const Option& option : TaskRegistry::instance().at(name).options) {
            declared.insert(name + " " + option.name);
            EXPECT_FALSE(option.doc.empty()) << name << " " << option.name;
        }
    }
    EXPECT_EQ(varied, declared);
}

TEST(Tasks, AreTheSeventeen) {
    const Words named = {"addition", "bucket_sort", "conflict",  "copy",    "count",
                         "dyck",     "even_pairs",  "induction", "k_hop",   "modular_arithmetic",
                         "mqar",     "needle",      "parity",    "passkey", "recall",
                         "reverse",  "update"};
    EXPECT_EQ(TaskRegistry::instance().names(), named);
}

TEST_P(EveryTask, IsDecidedBySeedPartAndIndex) {
    const Index length = sample_.long_enough();
    const Sample again(GetParam());
    std::set<std::vector<Token>> seen;
    for (const ItemPart part : parts)
        for (Index index = 0; index < 4; ++index)
            for (const std::uint64_t seed : {0, 1, 77}) {
                const TaskItem item = sample_.at(index, length, part, seed);
                EXPECT_EQ(item, again.at(index, length, part, seed));
                seen.insert(item.tokens);
            }
    EXPECT_GT(seen.size(), 30u) << "items of other seeds, parts and numbers are others";
}

TEST_P(EveryTask, HasItemsOfExactlyTheLengthThatIsAsked) {
    const Index shortest = sample_.task->shortest();
    for (const Index length : {shortest + 2, shortest + 3, shortest + 4, shortest + 31, shortest + 128}) {
        for (Index index = 0; index < 8; ++index) {
            const TaskItem item = sample_.at(index, length);
            ASSERT_EQ(static_cast<Index>(item.tokens.size()), length);
            ASSERT_EQ(static_cast<Index>(item.without.size()), length);
            ASSERT_FALSE(item.answers.empty());
            EXPECT_TRUE(std::is_sorted(item.answers.begin(), item.answers.end()));
            EXPECT_GT(item.answers.front(), 0);
            for (const Index place : item.answers) {
                const Token answer = item.tokens.at(static_cast<std::size_t>(place));
                EXPECT_TRUE(sample_.task->answers().holds(answer));
                EXPECT_EQ(item.without[static_cast<std::size_t>(place)], answer);
            }
            for (const Token token : item.tokens) {
                EXPECT_GE(token, 0);
                EXPECT_LT(token, sample_.task->vocabulary().size());
            }
        }
    }
}

TEST_P(EveryTask, FitsItsShortestLengthAndRefusesToBeCut) {
    RandomStream random(5, Purpose::test, {0});
    for (int i = 0; i < 50; ++i)
        EXPECT_EQ(static_cast<Index>(sample_.task->draw(sample_.task->shortest(), random).tokens.size()),
                  sample_.task->shortest());
    try {
        sample_.at(0, sample_.task->shortest() - 1);
        FAIL() << "an item was cut";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::usage);
        EXPECT_NE(std::string(error.what()).find("nothing is cut off"), std::string::npos) << error.what();
    }
}

TEST_P(EveryTask, SharesNoItemBetweenParts) {
    const Index length = sample_.long_enough();
    std::map<std::vector<Token>, ItemPart> seen;
    for (const ItemPart part : parts)
        for (const std::uint64_t seed : {0, 1})
            for (Index index = 0; index < 200; ++index) {
                const TaskItem item = sample_.at(index, length, part, seed);
                const auto [place, is_new] = seen.emplace(sample_.task->gist(item), part);
                ASSERT_EQ(place->second, part) << sample_.task->vocabulary().text(item.tokens);
                const auto [row, is_new_row] = seen.emplace(item.tokens, part);
                ASSERT_EQ(row->second, part);
            }
}

TEST_P(EveryTask, HasNoEvidenceInTheOtherForm) {
    for (Index index = 0; index < 100; ++index) {
        const TaskItem item = sample_.at(index, sample_.long_enough());
        std::vector<bool> is_evidence(item.tokens.size());
        for (const Stretch& stretch : item.evidence)
            for (Index i = stretch.begin; i < stretch.begin + stretch.count; ++i) {
                ASSERT_FALSE(is_evidence.at(static_cast<std::size_t>(i)));
                is_evidence[static_cast<std::size_t>(i)] = true;
            }
        for (const Index place : item.answers) EXPECT_FALSE(is_evidence[static_cast<std::size_t>(place)]);
        const Alphabet& filler = sample_.task->filler();
        const bool is_refilled = filler.count > 0 && sample_.task->vocabulary().symbols()[0] == "?";
        for (std::size_t i = 0; i < item.tokens.size(); ++i) {
            if (!is_evidence[i]) {
                EXPECT_EQ(item.tokens[i], item.without[i]);
                continue;
            }
            EXPECT_FALSE(filler.holds(item.tokens[i]));
            EXPECT_TRUE(!is_refilled || filler.holds(item.without[i]));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(, EveryTask, testing::ValuesIn(settings()), test_name);

}  // namespace

}  // namespace locus
