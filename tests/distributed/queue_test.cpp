// Cells of an experiment: each is handed out once, and nobody waits for ever.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "recipes/engine/cell_queue.h"
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

TEST(RanksPerCell, OneWhereCellsFillTheRanks) {
    EXPECT_EQ(choose_ranks_per_cell(std::vector<double>(12, 1.0), 4, 16), 1);
    EXPECT_EQ(choose_ranks_per_cell(std::vector<double>(8, 1.0), 8, 16), 1);
}

TEST(RanksPerCell, AllForOneCell) {
    EXPECT_EQ(choose_ranks_per_cell({1.0}, 4, 16), 4);
    EXPECT_EQ(choose_ranks_per_cell({1.0}, 8, 2), 2);  // two shards keep two ranks busy
}

TEST(RanksPerCell, SharesOutFewCells) {
    EXPECT_EQ(choose_ranks_per_cell({1.0, 1.0}, 4, 16), 2);
    // one long cell among short ones decides the end: more ranks each are better than one each
    EXPECT_GT(choose_ranks_per_cell({10.0, 1.0, 1.0, 1.0}, 4, 16), 1);
}

TEST(RanksPerCell, NothingToDo) {
    EXPECT_EQ(choose_ranks_per_cell({}, 4, 16), 1);
}

}  // namespace
}  // namespace locus
