#include "framework/io/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/mount.h>

#include <cstring>
#include <iostream>

#include "tests/framework/io/scratch.h"

namespace locus {
namespace {

std::size_t files_in(const std::filesystem::path& folder) {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

TEST(AtomicFile, ReplacesTheWholeFile) {
    const Scratch scratch;
    write_file_atomically(scratch / "x", "a longer text");
    write_file_atomically(scratch / "x", "short");
    EXPECT_EQ(read_file(scratch / "x"), "short");
    write_file_atomically(scratch / "x", "");
    EXPECT_EQ(read_file(scratch / "x"), "");
    const std::string large(3'000'000, 'x');
    write_file_atomically(scratch / "x", large);
    EXPECT_EQ(read_file(scratch / "x"), large);
    EXPECT_EQ(files_in(scratch.path()), 1U);
}

TEST(AtomicFile, NamesPathAndReasonWhenItCannotWrite) {
    const Scratch scratch;
    write_file_atomically(scratch / "file", "text");
    const auto message = [&](const std::filesystem::path& path) {
        return message_of(Failure::storage, [&] { write_file_atomically(path, "new"); });
    };
    const auto under_file = scratch / "file" / "x";
    EXPECT_EQ(message(under_file), "cannot write " + under_file.string() + ": Not a directory");
    const auto nowhere = scratch / "none" / "x";
    EXPECT_EQ(message(nowhere), "cannot write " + nowhere.string() + ": No such file or directory");
    EXPECT_EQ(message(scratch.path()),
              "cannot write " + scratch.path().string() + ": it exists and is not a file");
    EXPECT_EQ(message("/dev/full"), "cannot write /dev/full: it exists and is not a file");
    EXPECT_EQ(message_of(Failure::data, [&] { read_file(nowhere, Failure::data); }),
              nowhere.string() + ": cannot be read: No such file or directory");
    EXPECT_EQ(message_of(Failure::storage, [&] { read_file(scratch.path()); }),
              scratch.path().string() + ": cannot be read: it is not a file but a folder");
}

TEST(AtomicFile, AFailureInMidFileKeepsTheOldOne) {
    const Scratch scratch;
    write_file_atomically(scratch / "x", "old");
    const std::string expected = "cannot write " + (scratch / "x").string() + ": File too large";
    const bool right = with_file_limit(4096, [&] {
        try {
            write_file_atomically(scratch / "x", std::string(10'000, 'n'));
        } catch (const Error& error) {
            return error.kind() == Failure::storage && error.what() == expected;
        }
        return false;
    });
    EXPECT_TRUE(right);
    EXPECT_EQ(read_file(scratch / "x"), "old");
    EXPECT_EQ(files_in(scratch.path()), 1U);
}

TEST(AtomicFile, AFullDiskKeepsTheOldFile) {
    const Scratch scratch;
    std::filesystem::create_directory(scratch / "disk");
    const std::string disk = scratch / "disk";
    if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=64k") != 0) {
        std::cout << "not run: a small disk cannot be mounted: " << std::strerror(errno) << "\n";
        GTEST_SKIP() << "not run: a small disk cannot be mounted";
    }
    write_file_atomically(disk + "/x", "old");
    const std::string message = message_of(
        Failure::storage, [&] { write_file_atomically(disk + "/x", std::string(1'000'000, 'n')); });
    EXPECT_EQ(message, "cannot write " + disk + "/x: No space left on device");
    EXPECT_EQ(read_file(disk + "/x"), "old");
    EXPECT_EQ(files_in(disk), 1U);
    ::umount2(disk.c_str(), MNT_DETACH);
}

}  // namespace
}  // namespace locus
