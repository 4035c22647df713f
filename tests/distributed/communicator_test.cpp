// Every call of a group, on as many ranks as the job has.
#include "framework/distributed/communicator.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>

#include "framework/core/error.h"
#include "framework/distributed/launcher.h"
#include "tests/distributed/session.h"

namespace locus {
namespace {

TEST(Communicator, TheJobHasTheRanksOfItsLauncher) {
    const char* wanted = std::getenv("LOCUS_TEST_RANKS");
    EXPECT_EQ(world().size(), wanted == nullptr ? 1 : std::atoi(wanted));
}

TEST(Communicator, LargestAndAny) {
    EXPECT_EQ(world().largest(10 * world().rank() - 3), 10 * (world().size() - 1) - 3);
    EXPECT_TRUE(world().any(world().rank() == world().size() - 1));
    EXPECT_FALSE(world().any(false));
}

TEST(Communicator, BroadcastsRankZerosTextOfAnyLength) {
    EXPECT_EQ(
        world().broadcast(std::string(world().is_root() ? "of the root" : "mine, and longer than that")),
        "of the root");
    EXPECT_EQ(world().broadcast(std::string(world().is_root() ? "" : "mine")), "");
}

TEST(Communicator, GathersTextsByRank) {
    const auto texts = world().gather(std::string(static_cast<std::size_t>(world().rank()), 'x'));
    ASSERT_EQ(static_cast<int>(texts.size()), world().size());
    for (std::size_t rank = 0; rank < texts.size(); ++rank) EXPECT_EQ(texts[rank], std::string(rank, 'x'));
}

TEST(Communicator, GathersPartsOfUnequalSize) {
    std::vector<Index> begins = {0};
    for (int rank = 0; rank < world().size(); ++rank) begins.push_back(begins.back() + rank % 3);
    std::vector<double> all(static_cast<std::size_t>(begins.back()), -1);
    const auto me = static_cast<std::size_t>(world().rank());
    for (Index i = begins[me]; i < begins[me + 1]; ++i)
        all[static_cast<std::size_t>(i)] = 0.1 * static_cast<double>(i);
    world().gather(std::span(all), begins);
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], 0.1 * static_cast<double>(i));
}

TEST(Communicator, ParcelsArriveInOrder) {
    // To every other rank: first its number, then ten times that.
    const auto ranks = static_cast<std::size_t>(world().size());
    std::vector<int> out(2 * ranks), in(2 * ranks, -1);
    std::vector<Message> sends, receives;
    for (std::size_t r = 0; r < ranks; ++r) {
        if (static_cast<int>(r) == world().rank()) continue;
        for (std::size_t part = 0; part < 2; ++part) {
            out[2 * r + part] =
                static_cast<int>(100 * static_cast<std::size_t>(world().rank()) + 10 * r + part);
            sends.push_back({static_cast<int>(r), std::as_writable_bytes(std::span(&out[2 * r + part], 1))});
            receives.push_back(
                {static_cast<int>(r), std::as_writable_bytes(std::span(&in[2 * r + part], 1))});
        }
    }
    world().exchange(sends, receives);
    for (std::size_t r = 0; r < ranks; ++r) {
        if (static_cast<int>(r) == world().rank()) continue;
        for (std::size_t part = 0; part < 2; ++part)
            EXPECT_EQ(in[2 * r + part],
                      static_cast<int>(100 * r + 10 * static_cast<std::size_t>(world().rank()) + part));
    }
}

TEST(Communicator, SumsNumbersOfEitherType) {
    std::vector<float> singles = {1, static_cast<float>(world().rank())};
    std::vector<double> doubles = {1, static_cast<double>(world().rank())};
    world().sum(singles);
    world().sum(doubles);
    const double ranks = world().size(), total = ranks * (ranks - 1) / 2;
    EXPECT_EQ(singles[0], ranks);
    EXPECT_EQ(singles[1], total);
    EXPECT_EQ(doubles[1], total);
}

TEST(Communicator, SplitsIntoGroupsThatWorkByThemselves) {
    const Communicator group = world().split(world().rank() % 2);
    EXPECT_EQ(group.size(), (world().size() + 1 - world().rank() % 2) / 2);
    EXPECT_EQ(group.rank(), world().rank() / 2);
    EXPECT_EQ(group.largest(world().rank()) % 2, world().rank() % 2);
}

TEST(Communicator, OfOneNeedsNoJob) {
    const Communicator one;
    std::vector<double> all = {4, 5};
    const std::vector<Index> begins = {0, 2};
    one.barrier();
    one.gather(std::span(all), begins);
    one.sum(std::span(all));
    EXPECT_EQ(all, (std::vector<double>{4, 5}));
    EXPECT_EQ(one.gather("a"), std::vector<std::string>{"a"});
    EXPECT_EQ(one.broadcast(std::string("b")), "b");
    EXPECT_EQ(one.largest(-7), -7);
    EXPECT_EQ(one.split(3).size(), 1);
    EXPECT_EQ(one.sharing_cores(), 1);
}

TEST(Communicator, RanksOfOneMachineShareCores) {
    EXPECT_GE(world().sharing_cores(), 1);
    EXPECT_LE(world().sharing_cores(), world().size());
}

TEST(Launch, ReadsTheVariablesOfEveryLauncher) {
    const char* names[] = {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK",
                           "PMI_SIZE"};
    std::vector<std::pair<std::string, std::string>> before;
    for (const char* name : names) {
        if (const char* value = std::getenv(name)) before.emplace_back(name, value);
        unsetenv(name);
    }
    setenv("SLURM_PROCID", "0", 1);  // of a batch script: no launch
    setenv("SLURM_NTASKS", "4", 1);
    EXPECT_FALSE(launch_of_environment().present || launch_of_environment().without_mpi);
    setenv("SLURM_STEP_NUM_TASKS", "1", 1);
    EXPECT_FALSE(launch_of_environment().without_mpi);
    setenv("SLURM_STEP_NUM_TASKS", "4", 1);  // of srun without MPI
    EXPECT_TRUE(launch_of_environment().without_mpi);
    unsetenv("SLURM_STEP_NUM_TASKS");
    setenv("SLURM_PROCID", "3", 1);
    EXPECT_TRUE(launch_of_environment().without_mpi);
    EXPECT_FALSE(launch_of_environment().present);
    unsetenv("SLURM_PROCID");
    unsetenv("SLURM_NTASKS");
    setenv("PMI_RANK", "2", 1);
    setenv("PMI_SIZE", "4", 1);
    EXPECT_TRUE(launch_of_environment().present);
    EXPECT_EQ(launch_of_environment().rank, 2);
    EXPECT_EQ(launch_of_environment().size, 4);
    setenv("PMI_RANK", "x", 1);
    EXPECT_THROW(launch_of_environment(), Error);
    unsetenv("PMI_RANK");
    unsetenv("PMI_SIZE");
    for (const auto& [name, value] : before) setenv(name.c_str(), value.c_str(), 1);
}

}  // namespace
}  // namespace locus
