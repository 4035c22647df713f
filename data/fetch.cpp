#include "data/fetch.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <system_error>

#include "framework/core/error.h"
#include "framework/core/stop.h"
#include "framework/io/own_files.h"

extern char** environ;

namespace locus {

namespace fs = std::filesystem;

namespace {

constexpr const char* python = "/usr/bin/python3";

fs::path find_script(const std::string& name) {
    const fs::path script = find_own_folder("fetch", "data/fetch") / (name + ".py");
    if (fs::exists(script)) return script;
    fail(Failure::data,
         "the script that fetches {} is neither beside this program (../share/locus/fetch) nor in its source "
         "tree (data/fetch)",
         name);
}

/// A program that runs with its output and its messages in one pipe.
class Process {
  public:
    explicit Process(std::vector<std::string> command) {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) refuse(command.front(), errno);
        output_ = ends[0];
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
        std::vector<char*> arguments;
        for (std::string& word : command) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        const int code = ::posix_spawnp(&child_, arguments[0], &actions, nullptr, arguments.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        ::close(ends[1]);
        if (code != 0) {
            ::close(output_);
            refuse(command.front(), code);
        }
    }
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    ~Process() {
        if (output_ >= 0) ::close(output_);
        if (child_ > 0) end();
    }

    /// The next bytes of output; empty at its end. Throws an interrupted Error where this process is to stop.
    std::string read() {
        pollfd output{output_, POLLIN, 0};
        do {
            throw_if_stopped();
        } while (::poll(&output, 1, 100) <= 0);
        char block[4096];
        ssize_t count = 0;
        while ((count = ::read(output_, block, sizeof block)) < 0 && errno == EINTR) {
        }
        return {block, static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
    }

    /// Exit status; 128 and more where a signal ended it.
    int wait() {
        int status = 0;
        while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
        }
        child_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }

  private:
    // Python ends by an exception, and so removes what it had begun; where it takes too long, at once.
    void end() {
        ::kill(child_, SIGINT);
        for (int tenths = 0; tenths < 10; ++tenths) {
            if (::waitpid(child_, nullptr, WNOHANG) != 0) return;
            ::usleep(100'000);
        }
        ::kill(child_, SIGKILL);
        wait();
    }

    [[noreturn]] static void refuse(const std::string& program, int code) {
        fail(Failure::data, "cannot run {}: {}", program, std::generic_category().message(code));
    }

    pid_t child_ = 0;
    int output_ = -1;
};

}  // namespace

const std::vector<std::string>& fetchable() {
    static const std::vector<std::string> names = {"austen", "gcide", "kjv"};
    return names;
}

fs::path fetch(const std::string& name, const fs::path& out,
               const std::function<void(const std::string&)>& say) {
    const auto& names = fetchable();
    require(std::find(names.begin(), names.end(), name) != names.end(),
            "data fetch: '{}' is not known; known are: austen, gcide, kjv", name);
    Process process({python, find_script(name).string(), "--out", out.string()});
    std::string pending, last;
    for (std::string piece = process.read(); !piece.empty(); piece = process.read()) {
        pending += piece;
        for (std::size_t end; (end = pending.find('\n')) != std::string::npos; pending.erase(0, end + 1)) {
            last = pending.substr(0, end);
            if (!last.starts_with("error: ")) say(last);
        }
    }
    const int status = process.wait();
    if (last.starts_with("error: ")) last.erase(0, 7);
    require(status == 0, Failure::data, "data fetch {}: {}", name,
            last.empty() ? fmt::format("{} ended with status {}", python, status) : last);
    return out / name;
}

}  // namespace locus
