#include "framework/io/checkpoint_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>

#include "framework/io/atomic_file.h"
#include "tests/framework/io/sample_checkpoint.h"
#include "tests/framework/io/scratch.h"

namespace locus {
namespace {

std::vector<std::string> names(const CheckpointFolder& folder) {
    std::vector<std::string> list;
    for (const auto& path : folder.files()) list.push_back(path.filename());
    return list;
}

void save(const CheckpointFolder& folder, std::int64_t step) {
    SampleRun run(step);
    folder.save(run.state());
}

TEST(CheckpointFolder, KeepsTheNewest) {
    const Scratch scratch;
    const CheckpointFolder folder(scratch / "run" / "checkpoints", 2);
    EXPECT_FALSE(folder.newest().has_value());
    for (const std::int64_t step : {500, 1000, 1500}) save(folder, step);
    EXPECT_EQ(names(folder), (std::vector<std::string>{"step_00001000.h5", "step_00001500.h5"}));
    const auto found = folder.newest();
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->checkpoint.step, 1500);
    EXPECT_EQ(found->path, folder.path_of(1500));
    EXPECT_TRUE(found->warnings.empty());
    save(folder, 123'456'789);
    EXPECT_EQ(names(folder), (std::vector<std::string>{"step_00001500.h5", "step_123456789.h5"}));
}

TEST(CheckpointFolder, KeepsMultiplesBesideTheNewest) {
    const Scratch scratch;
    const CheckpointFolder folder(scratch.path(), 1, 4);
    for (std::int64_t step = 2; step <= 10; step += 2) save(folder, step);
    EXPECT_EQ(names(folder),
              (std::vector<std::string>{"step_00000004.h5", "step_00000008.h5", "step_00000010.h5"}));
    save(folder, 6);  // a multiple of a future that this save replaces goes as well
    EXPECT_EQ(names(folder), (std::vector<std::string>{"step_00000004.h5", "step_00000006.h5"}));
    message_of(Failure::usage, [&] { CheckpointFolder(scratch.path(), 1, -4); });
}

TEST(CheckpointFolder, ASaveReplacesALaterFuture) {
    const Scratch scratch;
    const CheckpointFolder folder(scratch.path(), 2);
    for (const std::int64_t step : {500, 900}) save(folder, step);
    save(folder, 600);
    EXPECT_EQ(names(folder), (std::vector<std::string>{"step_00000500.h5", "step_00000600.h5"}));
    EXPECT_EQ(folder.newest()->checkpoint.step, 600);
}

TEST(CheckpointFolder, FallsBackFromADamagedFileAndSaysSo) {
    const Scratch scratch;
    const CheckpointFolder folder(scratch.path(), 3);
    for (const std::int64_t step : {1, 2, 3}) save(folder, step);
    const std::string good = read_file(folder.path_of(3));
    std::ofstream(folder.path_of(3), std::ios::binary) << good.substr(0, good.size() * 6 / 10);
    const auto found = folder.newest();
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->checkpoint.step, 2);
    ASSERT_EQ(found->warnings.size(), 1U);
    EXPECT_NE(found->warnings[0].find(folder.path_of(3).string()), std::string::npos);
    EXPECT_NE(found->warnings[0].find("is cut off"), std::string::npos);

    std::ofstream(folder.path_of(2), std::ios::binary) << "";
    std::ofstream(folder.path_of(1), std::ios::binary) << "text";
    const std::string message = message_of(Failure::storage, [&] { folder.newest(); });
    EXPECT_NE(message.find("no checkpoint can be read"), std::string::npos);
    EXPECT_NE(message.find("is empty"), std::string::npos);
    EXPECT_NE(message.find("is not an HDF5 file"), std::string::npos);
}

TEST(CheckpointFolder, RemovesWhatAnInterruptedSaveLeftAndNothingElse) {
    const Scratch scratch;
    const CheckpointFolder folder(scratch.path(), 1);
    for (const char* name : {"step_00000001.h5.tmp-77-0", "notes.tmp-1", "step_x.h5", "best.h5"}) {
        std::ofstream(scratch / name) << "half";
    }
    EXPECT_FALSE(folder.newest().has_value());
    save(folder, 2);
    EXPECT_FALSE(std::filesystem::exists(scratch / "step_00000001.h5.tmp-77-0"));
    for (const char* name : {"notes.tmp-1", "step_x.h5", "best.h5"}) {
        EXPECT_TRUE(std::filesystem::exists(scratch / name)) << name;
    }
    EXPECT_EQ(folder.newest()->checkpoint.step, 2);
}

TEST(CheckpointFolder, AFolderThatCannotBeIsAStorageError) {
    const Scratch scratch;
    std::ofstream(scratch / "file") << "text";
    const CheckpointFolder folder(scratch / "file" / "checkpoints", 1);
    const std::string message = message_of(Failure::storage, [&] { save(folder, 1); });
    EXPECT_NE(message.find((scratch / "file").string()), std::string::npos);
    message_of(Failure::usage, [&] { CheckpointFolder(scratch.path(), 0); });
}

TEST(CheckpointFolder, AFullDiskKeepsTheCheckpointThatWasThere) {
    const Scratch scratch;
    const CheckpointFolder folder(scratch.path(), 1);
    save(folder, 1);
    const bool right = with_file_limit(2000, [&] {
        try {
            save(folder, 2);
        } catch (const Error& error) {
            return error.kind() == Failure::storage &&
                   error.what() == "cannot write " + folder.path_of(2).string() + ": File too large";
        }
        return false;
    });
    EXPECT_TRUE(right);
    EXPECT_EQ(names(folder), (std::vector<std::string>{"step_00000001.h5"}));
    EXPECT_EQ(folder.newest()->checkpoint.step, 1);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path()), {}), 1);
}

TEST(CheckpointFolder, AKilledSaveLeavesACompleteCheckpoint) {
    const Scratch scratch;
    const CheckpointFolder folder(scratch.path(), 1);
    const auto start = std::chrono::steady_clock::now();
    save(folder, 1);
    const std::chrono::duration<double, std::micro> one_save = std::chrono::steady_clock::now() - start;
    std::int64_t last = 1;
    // Twenty moments at least, spread over two saves, and more where the machine is too busy to end any.
    for (int trial = 0; trial < 20 || (last == 1 && trial < 400); ++trial) {
        const pid_t child = ::fork();
        if (child == 0) {
            for (std::int64_t step = last + 1;; ++step) save(folder, step);
        }
        ::usleep(static_cast<useconds_t>(one_save.count() * 0.1 * (1 + trial)));
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        const auto found = folder.newest();
        ASSERT_TRUE(found.has_value());
        EXPECT_TRUE(found->warnings.empty());
        EXPECT_GE(found->checkpoint.step, last);
        last = found->checkpoint.step;
        SampleRun expected(last);
        EXPECT_EQ(state_hash(found->checkpoint), state_hash(expected.state()));
    }
    EXPECT_GT(last, 1);
}

}  // namespace
}  // namespace locus
