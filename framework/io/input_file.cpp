#include "framework/io/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace locus {

namespace {

/// Why a file of this kind is none to read.
const char* other_kind(mode_t mode) {
    if (S_ISDIR(mode)) return "it is not a file but a folder";
    if (S_ISFIFO(mode)) return "it is not a file but a pipe";
    if (S_ISSOCK(mode)) return "it is not a file but a socket";
    return "it is not a file but a device";  // which may have no end
}

}  // namespace

InputFile::InputFile(const std::filesystem::path& path, Failure kind, std::uint64_t limit)
    : path_(path), kind_(kind), limit_(limit) {
    // Without O_NONBLOCK a pipe that nobody writes to would be waited for, before one can ask what it is.
    file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file_ < 0)
        refuse(errno == ENXIO ? "it is not a file but a socket" : std::generic_category().message(errno));
    struct stat info {};
    const int code = ::fstat(file_, &info) == 0 ? 0 : errno;
    std::string fault;
    if (code != 0) fault = std::generic_category().message(code);
    if (code == 0 && !S_ISREG(info.st_mode)) fault = other_kind(info.st_mode);
    if (!fault.empty()) {
        ::close(file_);
        refuse(fault);
    }
    size_ = static_cast<std::uint64_t>(info.st_size);
    device_ = info.st_dev;
    number_ = info.st_ino;
    if (size_ <= limit_) return;
    ::close(file_);
    check_limit(size_);
}

InputFile::~InputFile() {
    ::close(file_);
}

void InputFile::refuse(const std::string& why) const {
    fail(kind_, "{}: cannot be read: {}", path_.string(), why);
}

void InputFile::check_limit(std::uint64_t size) const {
    if (size > limit_) refuse(fmt::format("it has {} bytes, expected at most {}", size, limit_));
}

std::size_t InputFile::read_at(std::uint64_t offset, std::span<std::byte> bytes) const {
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t count =
            ::pread(file_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) refuse(std::generic_category().message(errno));
        if (count == 0) break;
        done += static_cast<std::size_t>(count);
    }
    return done;
}

std::string InputFile::head(std::size_t max) const {
    std::string text(max, '\0');
    text.resize(read_at(0, std::as_writable_bytes(std::span(text))));
    return text;
}

std::string InputFile::read_all() const {
    constexpr std::size_t step = 65536;
    std::string text(size_, '\0');
    std::size_t filled = read_at(0, std::as_writable_bytes(std::span(text)));
    text.resize(filled);
    // Files of the kernel say that they have no bytes, and a log may have grown.
    for (bool more = filled == size_; more;) {
        check_limit(filled);
        text.resize(filled + step);
        const std::size_t count = read_at(filled, std::as_writable_bytes(std::span(text)).subspan(filled));
        filled += count;
        more = count == step;
        text.resize(filled);
    }
    check_limit(filled);
    return text;
}

std::string read_file(const std::filesystem::path& path, Failure kind, std::uint64_t limit) {
    return InputFile(path, kind, limit).read_all();
}

}  // namespace locus
