#include "scripts/commands/process.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "framework/core/error.h"
#include "framework/core/stop.h"

namespace locus {

namespace {

void occupy_closed_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
        // Open the wrong way round: reading or writing fails as it does on a closed stream. The lowest free
        // number is taken, and those below are not free any more.
        const int opened = ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        if (opened > STDERR_FILENO) ::close(opened);
    }
}

void listen() {
    struct sigaction stop {};
    stop.sa_handler = [](int signal) { request_stop(signal); };
    stop.sa_flags = SA_RESTART;
    sigemptyset(&stop.sa_mask);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU}) {
        struct sigaction before {};
        if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
        ::sigaction(signal, &stop, nullptr);
    }
    for (const int signal : {SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_IGN);
}

constexpr char one_blas_thread[] = "OPENBLAS_NUM_THREADS=1";

// OpenBLAS starts a thread for each core while the program is loaded, before main(): with little memory or
// few processes they spin for ever, and the end of the program waits for them. Locus calls it from one thread
// at a time, and only this variable, read while it is loaded, keeps it from starting any. So the program
// replaces itself once, before any library begins. REQUIRES: nothing of the C++ library, which has not begun
// either.
[[maybe_unused]] void begin_with_one_blas_thread(int, char** words, char** environment) {
    char** own = nullptr;
    std::size_t count = 0;
    for (; environment[count] != nullptr; ++count) {
        if (std::strcmp(environment[count], one_blas_thread) == 0) return;
        if (std::strncmp(environment[count], one_blas_thread, sizeof one_blas_thread - 2) == 0)
            own = &environment[count];
    }
    char path[4096];
    const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) return;
    path[length] = '\0';
    char variable[sizeof one_blas_thread];
    std::memcpy(variable, one_blas_thread, sizeof variable);
    if (own != nullptr) {
        *own = variable;
        ::execve(path, words, environment);
        return;
    }
    auto** longer = static_cast<char**>(::alloca((count + 2) * sizeof(char*)));
    std::memcpy(longer, environment, count * sizeof(char*));
    longer[count] = variable;
    longer[count + 1] = nullptr;
    ::execve(path, words, longer);
}

#ifdef __x86_64__
// What the compiler was allowed to use; the instructions of a later generation include those before.
const char* lacking() {
    __builtin_cpu_init();
#ifdef __AVX512F__
    if (!__builtin_cpu_supports("avx512f")) return "AVX-512";
#endif
#ifdef __AVX2__
    if (!__builtin_cpu_supports("avx2")) return "AVX2";
#endif
#ifdef __SSE4_2__
    if (!__builtin_cpu_supports("sse4.2")) return "SSE4.2";
#endif
#ifdef __POPCNT__
    if (!__builtin_cpu_supports("popcnt")) return "POPCNT";
#endif
    return nullptr;
}

// Before any other code of the program, which would meet an instruction that does not exist.
[[maybe_unused]] void require_processor(int, char**, char**) {
    const char* missing = lacking();
    if (missing == nullptr) return;
    for (const char* part :
         {"locus: this processor lacks ", missing, ", for which this program was built\n"}) {
        [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, part, std::strlen(part));
    }
    ::_exit(static_cast<int>(Failure::usage));
}
#else
[[maybe_unused]] void require_processor(int, char**, char**) {}  // one baseline for all
#endif

// The address sanitizer's own functions stand in for the C library's, and have not begun by then either.
#ifndef __SANITIZE_ADDRESS__
[[gnu::section(".preinit_array"), gnu::used]] void (*const before_libraries[])(int, char**, char**) = {
    require_processor, begin_with_one_blas_thread};
#endif

}  // namespace

void prepare_process() {
    occupy_closed_streams();
    listen();
}

}  // namespace locus
