#include "data/folder.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <system_error>

#include "framework/core/error.h"

namespace locus {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t deepest = 64;

using Identity = std::pair<std::uint64_t, std::uint64_t>;

struct stat look_at(const fs::path& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) == 0) return info;
    const int code = errno;
    std::error_code ignored;
    const bool link = fs::is_symlink(fs::symlink_status(path, ignored));
    fail(Failure::data, "cannot read {}: {}{}", path.string(), std::generic_category().message(code),
         link ? "; it is a link" : "");
}

std::vector<std::string> names_of(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code code;
    fs::directory_iterator entry(folder, code);
    for (const fs::directory_iterator end; !code && entry != end; entry.increment(code))
        names.push_back(entry->path().filename().string());
    require(!code, Failure::data, "cannot read {}: {}", folder.string(), code.message());
    std::sort(names.begin(), names.end());
    return names;
}

class Walk {
  public:
    Walk(const fs::path& top, Intake& intake) : top_(top), intake_(intake) {}

    std::vector<fs::path> files() {
        enter("");
        // Of the whole paths: a folder's name may sort otherwise than the paths below it.
        std::sort(files_.begin(), files_.end(), [](const Found& a, const Found& b) {
            return a.path.generic_string() < b.path.generic_string();
        });
        std::vector<fs::path> paths;
        std::set<Identity> seen;
        for (const Found& file : files_) {
            if (seen.insert(file.identity).second)
                paths.push_back(file.path);
            else
                intake_.leave_out("another name of a file that is there", file.path.generic_string());
        }
        return paths;
    }

  private:
    struct Found {
        fs::path path;
        Identity identity;
    };

    void enter(const fs::path& folder) {
        const fs::path place = folder.empty() ? top_ : top_ / folder;
        const struct stat own = look_at(place);
        const Identity identity{own.st_dev, own.st_ino};
        if (std::find(above_.begin(), above_.end(), identity) != above_.end()) {
            intake_.leave_out("a link to a folder that it lies in", folder.generic_string());
            return;
        }
        require(above_.size() < deepest, Failure::data, "{}: more than {} folders lie in each other",
                place.string(), deepest);
        above_.push_back(identity);
        for (const std::string& name : names_of(place)) visit(folder / name);
        above_.pop_back();
    }

    void visit(const fs::path& path) {
        const std::string name = path.generic_string();
        if (path.filename().string().starts_with('.')) return intake_.leave_out("hidden", name);
        const struct stat info = look_at(top_ / path);
        if (S_ISDIR(info.st_mode)) return enter(path);
        if (!S_ISREG(info.st_mode)) return intake_.leave_out("no regular file", name);
        files_.push_back({path, {info.st_dev, info.st_ino}});
    }

    const fs::path& top_;
    Intake& intake_;
    std::vector<Identity> above_;
    std::vector<Found> files_;
};

}  // namespace

std::vector<fs::path> files_below(const fs::path& folder, Intake& intake) {
    return Walk(folder, intake).files();
}

}  // namespace locus
