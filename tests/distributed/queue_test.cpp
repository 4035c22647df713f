// Cells of an experiment: each is handed out once, and nobody waits for ever.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "framework/distributed/rank_errors.h"
#include "recipes/engine/config/vary.h"
#include "recipes/engine/config/yaml.h"
#include "recipes/engine/experiment/cell_queue.h"
#include "recipes/engine/experiment/ranks_per_cell.h"
#include "recipes/engine/run/workbench.h"
#include "tests/distributed/session.h"

namespace locus {
namespace {

// Which cells this rank's group got; a group that leaves takes one only.
std::string taken(const Communicator& group, std::size_t cells, bool leaves) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < cells; ++i) order.push_back(cells - 1 - i);
    CellQueue queue(world(), group, order);
    std::string got;
    while (const auto next = queue.next()) {
        got += fmt::format("{} ", *next);
        for (int step = 0; step < 3; ++step) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            queue.serve();
        }
        if (leaves) break;
    }
    queue.close();
    return got;
}

// How often each cell was taken, by all groups.
std::vector<int> counts(const Communicator& group, std::size_t cells, bool leaves = false) {
    std::string words;
    for (const std::string& part :
         world().gather(group.is_root() ? taken(group, cells, leaves) : (taken(group, cells, leaves), "")))
        words += part;
    std::vector<int> result(cells);
    for (std::size_t at = 0; at < words.size(); at = words.find(' ', at) + 1)
        ++result[static_cast<std::size_t>(std::stoul(words.substr(at)))];
    return result;
}

TEST(CellQueue, EachCellOnce) {
    for (const std::size_t cells : {0, 1, 2, 13}) {
        EXPECT_EQ(counts(world().split(world().rank()), cells), std::vector<int>(cells, 1));
        EXPECT_EQ(counts(world().split(world().rank() / 2), cells), std::vector<int>(cells, 1));
        EXPECT_EQ(counts(world(), cells), std::vector<int>(cells, 1));
    }
}

TEST(CellQueue, AGroupMayLeave) {
    const bool leaves = world().rank() == world().size() - 1;
    for (const int taken_so_often : counts(world().split(world().rank()), 9, leaves))
        EXPECT_LE(taken_so_often, 1);
}

// Steps of 8 ms on one rank, on groups of 1, 2, 4 and 8 as far as there are ranks; k ranks gain `gain` per
// doubling.
std::vector<StepTime> times(int ranks, double gain) {
    std::vector<StepTime> result;
    double seconds = 0.008;
    for (int k = 1; k <= ranks; k *= 2, seconds /= gain) result.push_back({k, seconds});
    return result;
}

int choice(const std::vector<double>& steps, int ranks, double gain) {
    return choose_ranks_per_cell(steps, ranks, times(ranks, gain)).ranks_per_cell;
}

TEST(RanksPerCell, OneWhereCellsFillTheRanks) {
    EXPECT_EQ(choice(std::vector<double>(12, 100), 4, 1.94), 1);
    EXPECT_EQ(choice(std::vector<double>(8, 100), 8, 2), 1);  // equal ends: the smaller groups
    EXPECT_EQ(choice(std::vector<double>(12, 100), 4, 2.2),
              4);  // a group that is more than the sum of its ranks
}

TEST(RanksPerCell, AllForOneCell) {
    EXPECT_EQ(choice({100}, 4, 1.94), 4);
    EXPECT_EQ(
        choose_ranks_per_cell({100}, 8, {{1, 0.008}, {2, 0.004}, {4, 0.004}, {8, 0.005}}).ranks_per_cell, 2);
    EXPECT_EQ(choice({100}, 4, 0.9), 1);  // ranks that share a core are in each other's way
}

TEST(RanksPerCell, SharesOutFewCells) {
    EXPECT_EQ(choice({100, 100}, 4, 1.94), 2);
    // one long cell among short ones decides the end: more ranks each are better than one each
    EXPECT_GT(choice({1000, 100, 100, 100}, 4, 1.94), 1);
}

TEST(RanksPerCell, SaysHowLongAllCellsTake) {
    const std::vector<double> steps(12, 1000);
    const RankChoice found = choose_ranks_per_cell(steps, 4, times(4, 1.6));
    EXPECT_DOUBLE_EQ(found.seconds, 24);  // three rounds of 1000 steps of 8 ms
    const std::string reason = reason_of(found, steps, 4, times(4, 1.6));
    for (const char* part : {"1 of 4, by measurement", "1: 8 ms per step", "2: 5 ms per step"})
        EXPECT_NE(reason.find(part), std::string::npos) << reason;
}

TEST(RanksPerCell, IsMeasuredAlikeOnAllRanks) {
    Recipe recipe =
        expand({"r.yaml", read_yaml("data: {corpus: generated}\nmodel: {layers: 1, width: 16, heads: 2}\n"
                                    "train: {length: 16, batch_tokens: 128, lr: 1e30}",
                                    "r.yaml")},
               {}, recipe_schema())
            .front()
            .recipe;
    const std::vector<StepTime> found = time_steps(recipe, world(), 1);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found.front().ranks, 1);
    EXPECT_EQ(found.back().ranks, world().size());
    std::string words;
    for (const StepTime& time : found) {
        EXPECT_GT(time.seconds, 0);
        words += fmt::format("{} {}, ", time.ranks, time.seconds);
    }
    require_alike(world(), "times", words);
}

}  // namespace
}  // namespace locus
