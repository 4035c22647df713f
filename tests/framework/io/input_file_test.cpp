#include "framework/io/input_file.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "framework/io/atomic_file.h"
#include "tests/framework/io/scratch.h"

namespace locus {
namespace {

TEST(InputFile, GivesWhatIsThere) {
    const Scratch scratch;
    std::string text(200'000, 'x');
    text[70'000] = '\0';
    write_file_atomically(scratch / "a", text);
    const InputFile file(scratch / "a", Failure::data);
    EXPECT_EQ(file.size(), text.size());
    EXPECT_EQ(file.read_all(), text);
    EXPECT_EQ(file.head(10), text.substr(0, 10));
    std::string piece(20, '?');
    EXPECT_EQ(file.read_at(199'990, std::as_writable_bytes(std::span(piece))), 10u);
    EXPECT_EQ(piece, text.substr(199'990) + std::string(10, '?'));
}

TEST(InputFile, LinksAreTheFileThatTheyNameAndHaveItsIdentity) {
    const Scratch scratch;
    write_file_atomically(scratch / "a", "text");
    write_file_atomically(scratch / "b", "text");
    std::filesystem::create_symlink("a", scratch / "link");
    EXPECT_EQ(read_file(scratch / "link"), "text");
    const auto identity = [&](const char* name) {
        return InputFile(scratch / name, Failure::data).identity();
    };
    EXPECT_EQ(identity("link"), identity("a"));
    EXPECT_NE(identity("b"), identity("a"));
}

TEST(InputFile, WhatIsNoRegularFileIsRefusedAtOnce) {
    const Scratch scratch;
    ASSERT_EQ(::mkfifo((scratch / "pipe").c_str(), 0600), 0);
    sockaddr_un address{AF_UNIX, {}};
    (scratch / "socket").string().copy(address.sun_path, sizeof address.sun_path - 1);
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    const auto message = [&](const std::string& path) {
        return message_of(Failure::data, [&] { read_file(path, Failure::data); });
    };
    for (const char* kind : {"pipe", "socket"}) {
        const std::string path = (scratch / kind).string();
        EXPECT_EQ(message(path), fmt::format("{}: cannot be read: it is not a file but a {}", path, kind));
    }
    EXPECT_EQ(message("/dev/zero"), "/dev/zero: cannot be read: it is not a file but a device");
    const std::string path(300, 'n');
    EXPECT_EQ(message(path), path + ": cannot be read: File name too long");
    std::filesystem::create_symlink("nowhere", scratch / "link");
    EXPECT_EQ(message((scratch / "link").string()),
              (scratch / "link").string() + ": cannot be read: No such file or directory");
    ::close(socket);
}

TEST(InputFile, MoreThanTheLimitIsRefusedWithBothSizes) {
    const Scratch scratch;
    write_file_atomically(scratch / "a", "12345");
    EXPECT_EQ(read_file(scratch / "a", Failure::data, 5), "12345");
    EXPECT_EQ(message_of(Failure::data, [&] { read_file(scratch / "a", Failure::data, 4); }),
              (scratch / "a").string() + ": cannot be read: it has 5 bytes, expected at most 4");
    // Files of the kernel call themselves empty.
    EXPECT_GT(read_file("/proc/self/status").size(), 100u);
    EXPECT_NE(message_of(Failure::data, [&] { read_file("/proc/self/status", Failure::data, 10); })
                  .find("at most 10"),
              std::string::npos);
}

}  // namespace
}  // namespace locus
