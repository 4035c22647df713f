// Only one process works in a folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace locus {

/// A lock of the operating system on the file `.locus-lock` of a folder: it ends with its process, however
/// that ends, and holds on other machines that share the disk where the file system has locks (NFS has).
class FolderLock {
  public:
    FolderLock() = default;  // holds nothing
    FolderLock(FolderLock&& other) noexcept { *this = std::move(other); }
    FolderLock& operator=(FolderLock&& other) noexcept;
    ~FolderLock() { release(); }

    /// Not empty where the file system has no locks: nothing is held then.
    const std::string& warning() const { return warning_; }

  private:
    friend std::optional<FolderLock> try_lock(const std::filesystem::path& folder, std::string& holder);
    void release();

    std::filesystem::path path_;
    std::vector<std::filesystem::path> made_;  // folders, the outermost first
    int file_ = -1;
    std::string warning_;
};

/// Makes the folder where there is none; with the lock it goes again if it is still empty. Nothing where
/// another process has the lock: `holder` is then what is known of it. Throws a storage Error.
std::optional<FolderLock> try_lock(const std::filesystem::path& folder, std::string& holder);

/// The same, but throws a storage Error with the holder where another process has the lock.
FolderLock lock_folder(const std::filesystem::path& folder);

}  // namespace locus
