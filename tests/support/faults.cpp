// A broken machine, by LD_PRELOAD: faults that no file and no recipe can bring about.
//
//   SIGRTMIN                      the next allocation of C++ fails, wherever the program is
//   LOCUS_FAULT_FSYNC=TEXT        the disk fails to take a file with TEXT in its path
//   LOCUS_FAULT_HDF5=RELEASE      another HDF5 is found: version 1.8.RELEASE
//   LOCUS_FAULT_SLOW_DISK=MS      every flush to the disk takes so many milliseconds longer
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

std::atomic<bool> out_of_memory = false;

void arm(int) {
    out_of_memory = true;
}

[[gnu::constructor]] void listen() {
    std::signal(SIGRTMIN, arm);
}

bool path_holds(int file, const char* text) {
    char link[64], path[4096];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t size = ::readlink(link, path, sizeof path - 1);
    if (size < 0) return false;
    path[size] = '\0';
    return std::strstr(path, text) != nullptr;
}

}  // namespace

void* operator new(std::size_t size) {
    if (out_of_memory.exchange(false)) throw std::bad_alloc();
    void* memory = std::malloc(size > 0 ? size : 1);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

void operator delete(void* memory) noexcept {
    std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

extern "C" int H5get_libversion(unsigned* major, unsigned* minor, unsigned* release) {
    static const auto real =
        reinterpret_cast<int (*)(unsigned*, unsigned*, unsigned*)>(::dlsym(RTLD_NEXT, "H5get_libversion"));
    const char* other = std::getenv("LOCUS_FAULT_HDF5");
    if (other == nullptr) return real(major, minor, release);
    *major = 1;
    *minor = 8;
    *release = static_cast<unsigned>(std::atoi(other));
    return 0;
}

extern "C" int fsync(int file) {
    static const auto real = reinterpret_cast<int (*)(int)>(::dlsym(RTLD_NEXT, "fsync"));
    if (const char* milliseconds = std::getenv("LOCUS_FAULT_SLOW_DISK"))
        ::usleep(static_cast<useconds_t>(1000 * std::atoi(milliseconds)));
    const char* text = std::getenv("LOCUS_FAULT_FSYNC");
    if (text != nullptr && path_holds(file, text)) {
        errno = EIO;
        return -1;
    }
    return real(file);
}
