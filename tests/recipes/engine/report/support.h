// Made-up run folders for the tests of tables.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "framework/core/error.h"
#include "recipes/engine/report/table.h"

namespace locus {

/// A folder that goes when the test ends.
class Scratch {
  public:
    Scratch() {
        const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
        path_ = std::filesystem::path(::testing::TempDir()) /
                (std::string("table_") + test->test_suite_name() + "_" + test->name());
        std::filesystem::remove_all(path_);
        std::filesystem::create_directories(path_);
    }
    ~Scratch() { std::filesystem::remove_all(path_); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

inline void write_text(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

inline std::string read_text(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// One run as the engine leaves it; tests change what they are about.
struct FakeRun {
    std::string arm = "rope";
    int seed = 0;
    int index = 0;
    std::vector<double> bits = {2.0, 2.5};  // at lengths 64 and 128; NaN becomes null
    std::string recipe_extra;               // more lines of recipe.yaml
    std::string data = "data: {corpus: austen, tokenizer: byte}";
    std::string train;  // more keys of it: ", tokens: 8192"
    std::string encoding = "rope";
    double lr = 0.001;
    bool with_seed = true;  // the seed varies
    std::string table = "{rows: arm, columns: [protocol, length], cell: bits_per_byte, over: train.seed}";
    nlohmann::json manifest = {
        {"state", "done"},         {"parameters", 1000},         {"tokens", 8192},
        {"data_order_hash", "aa"}, {"initial_value_hash", "bb"}, {"evaluation_items_hash", "cc"},
        {"train_length", 64}};
    bool evaluated = true;

    std::string name() const { return arm + (with_seed ? ",seed=" + std::to_string(seed) : ""); }

    std::string recipe() const {
        return "question: Which?\n" + data + "\nencoding: {kind: " + encoding +
               "}\ntrain: {length: 64, seed: " + std::to_string(seed) + ", lr: " + std::to_string(lr) +
               train +
               "}\nevaluate: {split: valid, protocols: [non_overlapping, same_target]}\ntable: " + table +
               "\n" + recipe_extra + "cell:\n  arm: " + arm +
               (with_seed ? "\n  train.seed: " + std::to_string(seed) : std::string()) + "\n";
    }

    nlohmann::json result(std::size_t i) const {
        const double value = bits[i];
        nlohmann::json out = {{"length", i == 0 ? 64 : 128}, {"tokens", 500}, {"state", "ok"}};
        for (const char* key : {"nats_per_token", "bits_per_byte", "perplexity"}) out[key] = nullptr;
        if (std::isfinite(value)) {
            out["bits_per_byte"] = value;
            out["nats_per_token"] = value * std::log(2.0);
            out["perplexity"] = std::exp2(value);
            out["interval"] = {value * std::log(2.0) - 0.07, value * std::log(2.0) + 0.07};
        } else {
            out["state"] = arm == "learned" ? "beyond_table" : "diverged";
        }
        return out;
    }

    nlohmann::json summary() const {
        nlohmann::json run = {{"protocol", "non_overlapping"},
                              {"split", "valid"},
                              {"unit", "byte"},
                              {"bos", "none"},
                              {"tail", "scored"},
                              {"documents", 7}};
        for (std::size_t i = 0; i < bits.size(); ++i) run["results"].push_back(result(i));
        return {{"runs", {run}}};
    }

    void write(const std::filesystem::path& folder) const {
        write_text(folder / "recipe.yaml", recipe());
        nlohmann::json whole = manifest;
        whole["index"] = index;
        write_text(folder / "manifest.json", whole.dump());
        if (evaluated) write_text(folder / "evaluations" / "summary.json", summary().dump());
    }
};

/// Writes runs into folders of `path`, in this order.
inline void write_runs(const std::filesystem::path& path, std::vector<FakeRun> runs) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
        runs[i].index = static_cast<int>(i);
        runs[i].write(path / runs[i].name());
    }
}

inline FakeRun run_of(const std::string& arm, int seed, std::vector<double> bits) {
    FakeRun run;
    run.arm = arm;
    run.encoding = arm;
    run.seed = seed;
    run.bits = std::move(bits);
    return run;
}

/// The cell of two labels; fails the test where there is none.
inline const TableCell& cell_at(const Table& table, const std::string& row, const std::string& column) {
    for (const TableCell& cell : table.cells)
        if (table.rows[cell.row].label == row && table.columns[cell.column].label == column) return cell;
    ADD_FAILURE() << "no cell " << row << " at " << column;
    static const TableCell none;
    return none;
}

/// Whether some line holds every one of `parts`.
inline bool says(const std::vector<std::string>& lines, const std::vector<std::string>& parts) {
    for (const std::string& line : lines) {
        bool all = true;
        for (const std::string& part : parts) all = all && line.find(part) != std::string::npos;
        if (all) return true;
    }
    return false;
}

inline std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

/// The message of the storage Error that make_table must throw.
inline std::string refusal(const std::filesystem::path& folder) {
    try {
        make_table(folder);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::storage);
        const std::string message = error.what();
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
        return message;
    }
    ADD_FAILURE() << "accepted " << folder;
    return {};
}

inline constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

}  // namespace locus
