#include "recipes/engine/identity/manifest.h"

#include <gtest/gtest.h>

#include "framework/core/error.h"
#include "framework/io/json_file.h"
#include "tests/framework/io/scratch.h"

namespace locus {
namespace {

using nlohmann::json;

// One of every field, as a run writes them.
json whole() {
    const json beginning = {{"date", "2026-01-31T23:59:59Z"}, {"host", "h"}, {"command", "locus train"}};
    json resumed = beginning, evaluated = beginning;
    const json changes = {{{"thing", "kernels"}, {"there", "avx2"}, {"here", "sse4"}}};
    resumed.update({{"event", "resumed"}, {"changes", changes}, {"step", 4}, {"checkpoint", "a.h5"}});
    evaluated.update({{"event", "evaluated"}, {"changes", json::array()}, {"kept", {"summary"}}});
    return {{"question", "Which?"},
            {"name", "rope,seed=0"},
            {"title", "rope, seed 0"},
            {"cell", {{"arm", "rope"}, {"train.seed", "0"}}},
            {"varied", {"encoding", "train.seed"}},
            {"index", 3},
            {"paths_begin_in", "/recipes"},
            {"state", "trained"},
            {"failure", "none"},
            {"seconds", 1.5},
            {"peak_memory", 1 << 20},
            {"threads", 2},
            {"ranks", 1},
            {"encoding", "rope"},
            {"train_length", 64},
            {"seed", 18446744073709551615U},
            {"parameters", 1000},
            {"tokens", 8192},
            {"steps", 10},
            {"epochs", 0.25},
            {"flops", 1e12},
            {"data_order_hash", "a"},
            {"initial_value_hash", "b"},
            {"evaluation_items_hash", "c"},
            {"recipe_hash", "d"},
            {"recipe_file", "d2"},
            {"parameters_hash", "e"},
            {"machine", {{"target", "avx2"}}},
            {"corpus",
             {{"name", "austen"},
              {"hash", "f"},
              {"tokenizer", "byte"},
              {"documents", 6},
              {"tokens", 4000},
              {"train_tokens", 3000},
              {"valid_tokens", 600},
              {"test_tokens", 400},
              {"splits", {{"hash", "g"}}},
              {"intake", {{"documents", 6}}},
              {"blocks", "3 blocks"}}},
            {"from",
             {{"path", "base"},
              {"step", 8},
              {"parameters_hash", "h"},
              {"corpus_hash", "f"},
              {"original_length", 64},
              {"tokens", 8192},
              {"drawn", json::array()},
              {"left", {"encoding.table"}}}},
            {"started", beginning},
            {"resumed_from", {4}},
            {"history", {resumed, evaluated}}};
}

TEST(Manifest, IsReadAsItIsWritten) {
    json all = whole();
    all["of_a_later_version"] = {1, 2};  // stays
    EXPECT_EQ(to_json(manifest_from(all, "m")), all);
    EXPECT_EQ(to_json(manifest_from(json::object(), "m")), json({{"history", json::array()}}));
}

TEST(Manifest, FieldsThatAreMissingOrNullAreNotSet) {
    const Manifest manifest = manifest_from({{"flops", nullptr}, {"state", "done"}}, "m");
    EXPECT_FALSE(manifest.flops.has_value());
    EXPECT_FALSE(manifest.corpus.has_value());
    EXPECT_TRUE(manifest.machine.is_null());
    EXPECT_TRUE(manifest.is_done());
}

// Each field, and each within it, as something that it never is.
TEST(Manifest, FieldsOfOtherTypesAreRefusedByName) {
    const auto refuses = [](const json& wrong, const std::string& name) {
        try {
            const Manifest manifest = manifest_from(wrong, "run/manifest.json");
            ADD_FAILURE() << name << " was taken: " << wrong.dump();
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Failure::storage) << name;
            EXPECT_TRUE(std::string(error.what()).starts_with("run/manifest.json: '")) << error.what();
            EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
        }
    };
    const json all = whole();
    for (const auto& [name, value] : all.items()) {
        if (name == "state" || name == "resumed_from") continue;  // the next run writes them anew
        for (const json& other : {json(true), json({json::array({true})})}) {
            json wrong = whole();
            wrong[name] = other;
            refuses(wrong, name);
        }
        if (name != "corpus" && name != "from") continue;
        for (const auto& [inner, inner_value] : value.items()) {
            json wrong = whole();
            wrong[name][inner] = true;
            refuses(wrong, inner);
        }
    }
    for (const char* inner : {"changes", "step", "event", "kept", "date"}) {
        json wrong = whole();
        wrong["history"][0][inner] = true;
        refuses(wrong, "history");
    }
    EXPECT_THROW(manifest_from({1, 2}, "m"), Error);
}

TEST(Manifest, AStateOfAnotherTypeIsUnknown) {
    const Manifest manifest = manifest_from({{"state", 5}, {"resumed_from", "here"}}, "m");
    EXPECT_EQ(manifest.state, "unknown");
    EXPECT_FALSE(manifest.is_done());
    EXPECT_FALSE(manifest.resumed_from.has_value());
}

TEST(Manifest, IsChangedInItsFolder) {
    Scratch scratch;
    EXPECT_FALSE(read_manifest(scratch.path()).state.has_value());
    change_manifest(scratch.path(), [](Manifest& manifest) { manifest.state = "running"; });
    change_manifest(scratch.path(), [](Manifest& manifest) { manifest.index = 2; });
    json written = read_json(scratch.path() / "manifest.json");
    EXPECT_FALSE(manifest_from(written, "m").was_changed);
    written["index"] = 3;
    EXPECT_TRUE(manifest_from(written, "m").was_changed);
    written.erase("checksum");  // as older runs have none
    EXPECT_FALSE(manifest_from(written, "m").was_changed);
    EXPECT_EQ(written, json({{"state", "running"}, {"index", 3}, {"history", json::array()}}));
}

// What was recorded when the run began stays, whoever goes on with it.
TEST(Manifest, AResumedRunKeepsItsBeginning) {
    const Manifest before = manifest_from(whole(), "m");
    Manifest now;
    now.machine = {{"target", "sse4"}};
    now.initial_value_hash = "drawn";
    now.threads = 8;
    now.keep_beginning_of(before);
    EXPECT_EQ(now.machine, before.machine);
    EXPECT_EQ(now.initial_value_hash, "b");
    EXPECT_EQ(now.corpus->hash, "f");
    EXPECT_EQ(now.from->path, "base");
    EXPECT_EQ(now.history.size(), 2U);
    EXPECT_EQ(now.threads, 8);
    now.keep_beginning_of({});  // a folder without a manifest keeps nothing back
    EXPECT_EQ(now.initial_value_hash, "b");
}

TEST(Manifest, OnlyStepsThatWereTakenCountAsTraining) {
    Manifest manifest;
    manifest.steps = 10;
    const std::vector<Change> changes = {{Thing::kernels, "avx2", "sse4"}};
    for (const Index step : {4, 10}) {
        manifest.history.push_back(event_now("resumed", changes));
        manifest.history.back().step = step;
    }
    manifest.history.push_back(event_now("evaluated", changes));
    EXPECT_EQ(manifest.changes_of_training().size(), 1U);
}

}  // namespace
}  // namespace locus
