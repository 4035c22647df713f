// One item of each task, which a reader can solve: it also holds the generators to their numbers.
#include "tests/data/tasks/support.h"

namespace locus {

namespace {

struct Example {
    std::string setting, item, without;
};

const std::vector<Example> examples = {
    {"addition", "7 1 + 8 8 = 1 5 9", "3 7 + 7 7 = 1 5 9"},
    {"bucket_sort", "_ s4 s4 = s4 s4", "_ s1 s0 = s4 s4"},
    {"conflict", "k3 v11 k2 v3 .0 k3 v9 .7 .0 k1 v6 k1 v6 k2 v14 ? k3 CONFLICT",
     ".3 .7 k2 v3 .0 .3 .1 .7 .0 k1 v6 k1 v6 k2 v14 ? k3 CONFLICT"},
    {"copy", "_ s7 s13 = s7 s13", "_ s7 s9 = s7 s13"},
    {"count", "s3 s0 s1 .6 s0 s1 s0 s1 s2 s2 .4 .5 s1 s3 s3 ? s1",
     ".4 .6 .3 .6 .4 .7 .5 .5 .4 .7 .4 .5 .2 .4 .6 ? s1"},
    {"dyck", "_ (2 (3 = )3 )2", "_ (0 (2 = )3 )2"},
    {"even_pairs", "a a b b b = odd", "a a b a a = odd"},
    {"induction", "s8 t2 s0 s10 s9 t2 s0", "s8 s15 s13 s10 s9 t2 s0"},
    {"k_hop", ".2 x25 v5 .2 x13 x25 x19 v14 .7 x21 x19 ? x13 v5",
     ".2 .5 .2 .2 .7 .3 x19 v14 .7 x21 x19 ? x13 v5"},
    {"modular_arithmetic", "_ 4 - 2 = 2", "_ 1 + 0 = 2"},
    {"mqar",
     "k3 v26 k41 v22 k27 v43 k36 v31 k17 v3 k61 v44 k40 v8 k21 v9 k41 v22 k40 v8 .2 k21 v9 k61 v44 k36 v31 "
     "k3 v26 k17 v3 .2 .1 k27 v43",
     ".1 .7 .2 .6 .3 .5 .1 .0 .3 .5 .7 .3 .1 .6 .6 .6 k41 v22 k40 v8 .2 k21 v9 k61 v44 k36 v31 k3 v26 k17 v3 "
     ".2 .1 k27 v43"},
    {"needle", ".1 .0 k14 k7 v1 .6 ? k14 k7 v1", ".1 .0 .3 .0 .4 .6 ? k14 k7 v1"},
    {"parity", "1 1 0 0 = even", "0 0 0 0 = even"},
    {"passkey", "R The key is 27834.ld The key is 27834", "Rain falls on the old The key is 27834"},
    {"recall", "_ s7 _ s13 _ s15 _ s11 _ s9 s7 s4 s13", "_ s9 _ s13 _ s11 _ s0 _ s0 s7 s2 s13"},
    {"reverse", "_ s4 s1 = s1 s4", "_ s0 s10 = s1 s4"},
    {"update", "k6 v13 k15 v14 .5 k12 v10 k6 v7 .5 k15 v4 k12 v3 k12 v11 k15 v1 .7 k6 v14 ? k12 v11",
     "k6 v13 k15 v14 .5 .2 .4 k6 v7 .5 k15 v4 .4 .3 .7 .3 k15 v1 .7 k6 v14 ? k12 v11"}};

TEST(Examples, AreThoseOfEveryTask) {
    std::vector<std::string> shown;
    for (const auto& [setting, item, without] : examples) {
        const Sample sample(setting);
        shown.push_back(setting);
        const TaskItem drawn = sample.at(0, sample.task->shortest() + 3);
        EXPECT_EQ(sample.task->vocabulary().text(drawn.tokens), item);
        EXPECT_EQ(sample.task->vocabulary().text(drawn.without), without);
    }
    EXPECT_EQ(shown, TaskRegistry::instance().names());
}

}  // namespace

}  // namespace locus
