// What the fuzz tests share: a folder, small runs in it, and the readers of what they leave.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "recipes/engine/config/yaml.h"
#include "recipes/engine/experiment/evaluate_run.h"
#include "recipes/engine/experiment/experiment.h"
#include "recipes/engine/run/manifest.h"
#include "recipes/engine/run/train_run.h"

namespace locus::test {

namespace fs = std::filesystem;

/// A folder that goes when the test ends.
class Folder {
  public:
    Folder() {
        const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
        // In memory where that can be: every run waits for the disk several times.
        const fs::path memory = "/dev/shm";
        path_ = (::access(memory.c_str(), W_OK) == 0 ? memory : fs::path(::testing::TempDir())) /
                fmt::format("locus_fuzz_{}_{}_{}", test->test_suite_name(), test->name(), ::getpid());
        fs::remove_all(path_);
        fs::create_directories(path_);
    }
    ~Folder() {
        std::error_code error;
        fs::remove_all(path_, error);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    fs::path operator/(const std::string& name) const { return path_ / name; }

  private:
    fs::path path_;
};

inline std::string bytes_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline void put_bytes(const fs::path& path, const std::string& bytes) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
}

/// A folder's files by their paths in it.
using Files = std::map<std::string, std::string>;

inline Files files_in(const fs::path& folder) {
    Files files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file())
            files[fs::relative(entry.path(), folder).string()] = bytes_of(entry.path());
    return files;
}

/// Makes `folder` hold these files and no others.
inline void lay(const fs::path& folder, const Files& files) {
    fs::remove_all(folder);
    for (const auto& [name, bytes] : files) put_bytes(folder / name, bytes);
}

/// Says nothing, and stops a training after `steps`.
class Quiet : public Reporter {
  public:
    explicit Quiet(int steps = -1) : left_(steps) {}
    void message(const std::string&) override {}
    void status(const std::string&) override { left_ -= left_ > 0; }
    bool stop() override { return left_ == 0; }

  private:
    int left_;
};

inline const std::string small_recipe = R"(
data: { corpus: generated, documents: 8, document_length: 120 }
model: { layers: 1, width: 8, heads: 2 }
encoding: { kind: rope }
train: { length: 8, batch_tokens: 16, shards: 2, steps: 2, lr: 1e-2 }
evaluate: { lengths: [8, 16], protocols: [non_overlapping] }
)";

inline std::vector<Cell> cells_of(const std::string& recipe, const std::vector<std::string>& overrides = {}) {
    return expand({"r.yaml", read_yaml(recipe, "r.yaml")}, overrides, recipe_schema());
}

/// Trains in `out`, which may hold a run already, at most `steps` more; the hash of the parameters.
inline std::string trained(const Cell& cell, const fs::path& out, int steps = -1) {
    Workbench bench(1);
    Quiet quiet(steps);
    return parameters_hash(*train_run(cell, 0, out, {}, bench, quiet).model);
}

/// The numbers of `eval RUN`, and what it says of them.
struct Evaluated {
    std::string numbers;
    std::vector<std::string> warnings;
};

inline Evaluated evaluated(const fs::path& folder) {
    Workbench bench(1);
    Quiet quiet;
    const OpenedRun run = open_run(folder);
    admit_text(run, bench.data(run.recipe.data), folder.string());
    return {to_json(evaluate_run(run.recipe, *run.model, folder, bench, quiet)).dump(), run.warnings};
}

}  // namespace locus::test
