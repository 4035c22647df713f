// Where evidence lies, and what is refused.
#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "data/sheet.h"
#include "framework/core/error.h"
#include "tests/data/tasks/support.h"

namespace locus {

namespace {

std::string refusal(const std::function<void()>& act) {
    try {
        act();
    } catch (const Error& error) {
        return error.what();
    }
    return "not refused";
}

void expect_refused(const std::string& setting, const std::string& says) {
    const std::string why = refusal([&] { Sample{setting}; });
    EXPECT_NE(why.find(says), std::string::npos) << setting << ": " << why;
}

TEST(Needle, IsWholeAtEveryDepth) {
    for (const std::string task :
         {"passkey", "needle value_length=3", "induction", "needle form=multi_key distractors=4"}) {
        for (const auto& [depth, share] :
             std::vector<std::pair<std::string, double>>{{"0", 0}, {"0.5", 0.5}, {"1", 1}, {"0.33", 0.33}}) {
            const Sample sample(task + " depth=" + depth);
            for (Index index = 0; index < 40; ++index) {
                const TaskItem item = sample.at(index, 64);
                ASSERT_EQ(item.evidence.size(), 1u);
                const Stretch needle = item.evidence.front();
                EXPECT_GE(needle.begin, 0);
                EXPECT_LT(needle.begin + needle.count, item.answers.front());
                EXPECT_EQ(item.answers.back(), 63) << "prompt and answer fill the item";
                const Words row = sample.row(item.tokens);
                EXPECT_EQ(solve(sample, hide(row, item.answers), false), answers_of(row, item.answers));
                const Sample latest(task + " depth=1");
                const Index last = latest.at(index, 64).evidence.front().begin;
                EXPECT_NEAR(static_cast<double>(needle.begin), share * static_cast<double>(last), 0.5);
            }
        }
    }
}

TEST(Needle, LiesEverywhereAsOftenWhereNoDepthIsSaid) {
    const Sample sample("needle form=multi_key distractors=6");
    std::map<Index, Index> places;
    const Index room = 64 - 4 - 3 + 1, items = 100 * room;
    for (Index index = 0; index < items; ++index) ++places[sample.at(index, 64).evidence.front().begin];
    ASSERT_EQ(static_cast<Index>(places.size()), room);
    for (const auto& [place, count] : places) EXPECT_NEAR(static_cast<double>(count), 100, 45) << place;
}

TEST(Needle, HasDistractorsThatShareAsManySymbolsAsAreSaid) {
    for (const Index similarity : {0, 1, 2, 3}) {
        const Sample sample("needle form=multi_key distractors=5 key_length=4 symbols=6 similarity=" +
                            std::to_string(similarity));
        for (Index index = 0; index < 50; ++index) {
            const Words row = sample.row(sample.at(index, 64).tokens);
            const auto query = std::find(row.begin(), row.end(), "?") + 1;
            Index others = 0;
            for (auto place = row.begin(); place + 5 < query; ++place) {
                if (place->front() != 'k') continue;
                const Index shared = std::inner_product(place, place + 4, query, Index{0}, std::plus<>(),
                                                        [](auto& a, auto& b) { return Index{a == b}; });
                others += shared == similarity;
                EXPECT_TRUE(shared == similarity || shared == 4);
                place += 4;
            }
            EXPECT_EQ(others, 5);
        }
    }
}

// A key that filler could hold would make the control a lie. The key that is asked of "mqar", "k_hop",
// "update" and "conflict" is the symbol before the answer.
TEST(Filler, HoldsNoKey) {
    for (const std::string& setting : settings()) {
        const Sample sample(setting);
        const Words asking = {"mqar", "k_hop", "update", "conflict"};
        if (std::count(asking.begin(), asking.end(), sample.task->name()) == 0) continue;
        for (Index index = 0; index < 50; ++index) {
            const TaskItem item = sample.at(index, sample.long_enough());
            for (const Index place : item.answers) {
                const Token key = item.tokens[static_cast<std::size_t>(place - 1)];
                EXPECT_EQ(std::count(item.without.begin(), item.without.end(), key), 1) << setting;
            }
        }
    }
    const Sample passkey("passkey");
    for (Index index = 0; index < 100; ++index) {
        const TaskItem item = passkey.at(index, 400);
        const std::string text = passkey.task->vocabulary().text(
            std::span(item.without).first(static_cast<std::size_t>(item.answers.front())));
        EXPECT_EQ(text.find_first_of("0123456789"), std::string::npos) << text;
        EXPECT_EQ(text.find("key"), text.size() - 7) << text;
    }
}

TEST(Sheet, RefusesWhatWouldBeCutOrLieOnAnotherPiece) {
    const Alphabet filler{0, 1};
    RandomStream random(0, Purpose::test, {0});
    const std::vector<Token> piece = {5, 6, 7};
    Sheet sheet(8, filler, random);
    EXPECT_NE(refusal([&] { sheet.evidence(6, piece); }).find("cut off"), std::string::npos);
    EXPECT_NE(refusal([&] { sheet.evidence(-1, piece); }).find("cut off"), std::string::npos);
    sheet.evidence(2, piece);
    EXPECT_NE(refusal([&] { sheet.write(4, 9); }).find("two pieces lie at 4"), std::string::npos);
    EXPECT_NE(refusal([&] {
                  sheet.source(5, piece, {piece.data(), 2});
              }).find("2 tokens"),
              std::string::npos);
    sheet.answer(7, 9);
    const TaskItem item = sheet.take();
    EXPECT_EQ(item.tokens, (std::vector<Token>{0, 0, 5, 6, 7, 0, 0, 9}));
    EXPECT_EQ(item.without, (std::vector<Token>{0, 0, 0, 0, 0, 0, 0, 9}));
    EXPECT_EQ(item.answers, std::vector<Index>{7});
    EXPECT_EQ(item.evidence, (std::vector<Stretch>{{2, 3}}));
}

TEST(Tasks, RefuseOptionsThatDoNotGoTogether) {
    expect_refused("mqar pairs=9 keys=8", "9 pairs need 9 different keys, there are 8");
    expect_refused("k_hop hops=4 distractors=9 names=32", "10 chains of 4 hops need 40 different names");
    expect_refused("update distractors=16 keys=16", "need 17 keys, there are 16");
    expect_refused("update pieces=17 values=16", "17 pieces need as many different values");
    expect_refused("conflict distractors=15 keys=16", "need 17 keys, there are 16");
    expect_refused("needle pieces=2", "single has one piece, not pieces: 2");
    expect_refused("needle distractors=2", "single has no distractors, not 2");
    expect_refused("needle form=multi_key", "multi_key has one distractor or more");
    expect_refused("needle form=multi_value", "multi_value has two pieces or more, not pieces: 1");
    expect_refused("needle form=multi_query pieces=2 depth=0.5", "depth belongs to one piece");
    expect_refused("needle form=multi_key distractors=1 similarity=2", "shares fewer than the 2 symbols");
    expect_refused("needle form=multi_query pieces=4 symbols=4", "4 pieces need more than 4 symbols");
}

TEST(Tasks, SayWhereAPartHasNoItem) {
    const Sample parity("parity");
    std::set<std::string> refusals;
    for (const ItemPart part : {ItemPart::train, ItemPart::valid, ItemPart::test}) {
        const std::string why = refusal([&] { parity.at(0, 3, part); });
        EXPECT_TRUE(why == "not refused" || why == "task parity: no item of 3 tokens is of the " +
                                                       name_of(part) +
                                                       " part: there are too few of that length");
        refusals.insert(why);
    }
    EXPECT_GE(refusals.size(), 2u) << "two items cannot be of three parts";
}

TEST(Draws, ScatterEveryLayoutAsOften) {
    RandomStream random(1, Purpose::test, {2});
    std::map<std::vector<Index>, Index> layouts;
    for (int i = 0; i < 3000; ++i) ++layouts[scatter(2, 2, 6, random)];
    ASSERT_EQ(layouts.size(), 6u);  // two pieces and two blanks
    for (const auto& [places, count] : layouts) EXPECT_NEAR(static_cast<double>(count), 500, 100);
    for (Index fixed = 0; fixed <= 12; ++fixed)
        for (int i = 0; i < 50; ++i) {
            std::vector<Index> places = scatter_around(fixed, 3, 3, 15, random);
            places.push_back(fixed);
            std::sort(places.begin(), places.end());
            ASSERT_EQ(places.size(), 4u);
            for (std::size_t k = 1; k < 4; ++k) EXPECT_GE(places[k], places[k - 1] + 3);
            EXPECT_GE(places.front(), 0);
            EXPECT_LE(places.back(), 12);
        }
}

}  // namespace

}  // namespace locus
