#include "framework/io/own_files.h"

#include <system_error>

namespace locus {

namespace fs = std::filesystem;

namespace {

constexpr int floors =
    3;  // bin/locus and build/release/tests/test_data stand at most so far below what is searched

}  // namespace

fs::path find_own_folder(const std::string& name, const std::string& source) {
    std::error_code ignored;
    const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
    for (const fs::path& inside :
         {fs::path("share/locus") / name, fs::path(LOCUS_SOURCE_FROM_BUILD) / source}) {
        fs::path folder = program.parent_path();
        for (int floor = 0; floor < floors; ++floor, folder = folder.parent_path()) {
            const fs::path found = (folder / inside).lexically_normal();
            if (fs::is_directory(found, ignored)) return found;
        }
    }
    return {};
}

}  // namespace locus
