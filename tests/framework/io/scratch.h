// A folder for one test, and the message of an expected Error.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <span>
#include <string>

#include "framework/core/error.h"
#include "framework/io/atomic_file.h"
#include "framework/io/input_file.h"
#include "framework/io/seal.h"

namespace locus {

/// A new empty folder, removed at the end.
class Scratch {
  public:
    Scratch() {
        std::string name = (std::filesystem::temp_directory_path() / "locus-XXXXXX").string();
        require(::mkdtemp(name.data()) != nullptr, Failure::storage, "no folder for the test");
        path_ = name;
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() { std::filesystem::remove_all(path_); }

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  private:
    std::filesystem::path path_;
};

/// Puts a right seal on a file that a test changed, so that what lies behind the seal is looked at.
inline void seal_again(const std::filesystem::path& path) {
    std::string bytes = read_file(path);
    if (bytes.size() >= seal_size && is_seal(std::string_view(bytes).substr(bytes.size() - seal_size)))
        bytes.resize(bytes.size() - seal_size);
    bytes += seal_of(std::as_bytes(std::span(bytes)));
    write_file_atomically(path, bytes);
}

/// The message of the Error of `kind` that `call` must throw.
template <typename Call>
std::string message_of(Failure kind, Call call) {
    try {
        call();
    } catch (const Error& error) {
        EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(kind)) << error.what();
        return error.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return "";
}

/// Runs `call` where no file can grow beyond `bytes`, as on a full disk; in a child, since the limit stays.
/// True when `call` returns true.
template <typename Call>
bool with_file_limit(rlim_t bytes, Call call) {
    const pid_t child = ::fork();
    if (child == 0) {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{bytes, bytes};
        const bool right = ::setrlimit(RLIMIT_FSIZE, &limit) == 0 && call();
        ::_exit(right ? 0 : 1);
    }
    int status = 0;
    return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace locus
