#include "framework/io/checkpoint.h"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "framework/io/atomic_file.h"
#include "framework/io/checksum.h"
#include "tests/framework/io/sample_checkpoint.h"
#include "tests/framework/io/scratch.h"

/// For the leak sanitizer: HDF5 1.10 loses a few hundred bytes whenever the checksum of its metadata is
/// wrong. That no handle is lost is asserted below.
extern "C" const char* __lsan_default_suppressions() {
    return "leak:libhdf5";
}

namespace locus {
namespace {

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::string load_message(const std::filesystem::path& path) {
    return message_of(Failure::storage, [&] { load_checkpoint(path); });
}

TEST(Checkpoint, WhatIsSavedIsLoaded) {
    const Scratch scratch;
    SampleRun run;
    save_checkpoint(scratch / "x.h5", run.state());
    const Checkpoint loaded = load_checkpoint(scratch / "x.h5");
    EXPECT_EQ(loaded.step, 500);
    EXPECT_EQ(loaded.cursor, 32000);
    EXPECT_EQ(loaded.seed, 0xfedcba9876543210U);
    EXPECT_EQ(loaded.recipe, run.state().recipe);
    EXPECT_EQ(loaded.tokenizer, "bytes");
    EXPECT_EQ(loaded.vocabulary, std::string("a\0b\xff", 4));
    EXPECT_EQ(loaded.vocabulary_size, 256);
    ASSERT_EQ(loaded.parameters.size(), 4U);
    for (const auto list :
         {&Checkpoint::parameters, &Checkpoint::first_moments, &Checkpoint::second_moments}) {
        for (const CheckpointTensor& saved : run.state().*list) {
            const CheckpointTensor& found = find_tensor(loaded.*list, saved.name);
            EXPECT_EQ(found.shape, saved.shape);
            EXPECT_TRUE(std::ranges::equal(found.data<float>(), saved.data<float>())) << saved.name;
        }
    }
    EXPECT_EQ(state_hash(loaded), state_hash(run.state()));
}

TEST(Checkpoint, KeepsDoublesAndRefusesAnotherType) {
    const Scratch scratch;
    const std::vector<double> data{0.1, 0.2};
    Checkpoint state;
    state.parameters.push_back(CheckpointTensor::view("x", {2}, std::span<const double>(data)));
    save_checkpoint(scratch / "x.h5", state);
    const Checkpoint loaded = load_checkpoint(scratch / "x.h5");
    EXPECT_EQ(loaded.parameters[0].data<double>()[1], 0.2);
    EXPECT_EQ(message_of(Failure::storage, [&] { loaded.parameters[0].data<float>(); }),
              "checkpoint: x is of float64, expected float32");
    const std::vector<TensorSpec> wanted{{"x", {2}, ElementType::float32}};
    EXPECT_TRUE(contains(message_of(Failure::storage, [&] { match(loaded.parameters, wanted, "x.h5"); }),
                         "x is [2] of float64, expected [2] of float32"));
}

TEST(Checkpoint, TheSameStateGivesTheSameBytes) {
    const Scratch scratch;
    SampleRun run;
    save_checkpoint(scratch / "x.h5", run.state());
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    std::filesystem::create_directory(scratch / "elsewhere");
    SampleRun again;
    std::ranges::reverse(again.state().parameters);  // the order in memory does not count
    save_checkpoint(scratch / "elsewhere" / "another.h5", again.state());
    EXPECT_EQ(read_file(scratch / "x.h5"), read_file(scratch / "elsewhere" / "another.h5"));
    // One that was loaded and saved again, as after a resume.
    save_checkpoint(scratch / "resumed.h5", load_checkpoint(scratch / "x.h5"));
    EXPECT_EQ(read_file(scratch / "x.h5"), read_file(scratch / "resumed.h5"));
}

TEST(Checkpoint, HashesFollowTheStateOnly) {
    SampleRun run;
    const std::string parameters = parameters_hash(run.state());
    const std::string state = state_hash(run.state());
    EXPECT_EQ(parameters.size(), 32U);
    EXPECT_NE(parameters, state);
    std::ranges::reverse(run.state().parameters);
    EXPECT_EQ(parameters_hash(run.state()), parameters);
    run.state().cursor += 1;
    EXPECT_EQ(parameters_hash(run.state()), parameters);
    EXPECT_NE(state_hash(run.state()), state);
    run.state().cursor -= 1;
    EXPECT_EQ(state_hash(run.state()), state);
    run.numbers(11)[0] = std::nextafter(run.numbers(11)[0], 1e9F);  // a second moment
    EXPECT_EQ(parameters_hash(run.state()), parameters);
    EXPECT_NE(state_hash(run.state()), state);
    run.numbers(0)[3] = std::nextafter(run.numbers(0)[3], 1e9F);
    EXPECT_NE(parameters_hash(run.state()), parameters);
}

TEST(Checkpoint, TellsBadFilesApartInOneLine) {
    const Scratch scratch;
    SampleRun run;
    save_checkpoint(scratch / "good.h5", run.state());
    const std::string good = read_file(scratch / "good.h5");
    const auto put = [&](const std::string& bytes) {
        std::ofstream(scratch / "bad.h5", std::ios::binary) << bytes;
        return load_message(scratch / "bad.h5");
    };
    const std::string path = (scratch / "bad.h5").string();
    EXPECT_EQ(
        put(good.substr(0, good.size() * 6 / 10)),
        fmt::format("{} ({} bytes): is cut off, {} bytes expected", path, good.size() * 6 / 10, good.size()));
    EXPECT_EQ(put(""), path + " (0 bytes): is empty");
    EXPECT_EQ(put("not a checkpoint\n"), path + " (17 bytes): is not an HDF5 file");
    EXPECT_TRUE(contains(load_message(scratch / "none.h5"), "there is no such file"));

    Hdf5File corpus = Hdf5File::create(scratch / "corpus.h5", Failure::data);
    corpus.write("tokens", std::vector<std::uint16_t>{1, 2});
    corpus.commit();
    EXPECT_TRUE(contains(load_message(scratch / "corpus.h5"), "but not a checkpoint of Locus"));
    Hdf5File later = Hdf5File::create(scratch / "later.h5", Failure::data);
    later.set_attribute("/", "kind", "locus checkpoint");
    later.set_attribute("/", "version", 2);
    later.commit();
    EXPECT_TRUE(
        contains(load_message(scratch / "later.h5"), "is of version 2 of the checkpoint format, expected 1"));
}

TEST(Checkpoint, AFlippedByteInATensorIsNamed) {
    const Scratch scratch;
    SampleRun run;
    save_checkpoint(scratch / "x.h5", run.state());
    std::string bytes = read_file(scratch / "x.h5");
    const auto* tensor =
        reinterpret_cast<const char*>(run.numbers(2).data());  // blocks.0.attention.qkv.weight
    const std::size_t place = bytes.find(std::string(tensor, 48 * sizeof(float)));
    ASSERT_NE(place, std::string::npos);
    bytes[place + 17] = static_cast<char>(bytes[place + 17] ^ 4);
    std::ofstream(scratch / "x.h5", std::ios::binary) << bytes;
    EXPECT_TRUE(contains(load_message(scratch / "x.h5"), "is damaged: its checksum is "));
    seal_again(scratch / "x.h5");
    const std::string message = load_message(scratch / "x.h5");
    EXPECT_TRUE(
        contains(message, fmt::format("{} ({} bytes): dataset parameters/blocks.0.attention.qkv.weight is "
                                      "damaged: its checksum is ",
                                      (scratch / "x.h5").string(), bytes.size())))
        << message;
    EXPECT_TRUE(contains(message, "expected " + checksum(run.state().parameters[2].bytes)));
    EXPECT_EQ(message_of(Failure::storage, [&] { inspect_checkpoint(scratch / "x.h5"); }), message);
}

TEST(Checkpoint, NoFlippedByteAndNoCutGoesUnseen) {
    const Scratch scratch;
    SampleRun run;
    save_checkpoint(scratch / "good.h5", run.state());
    const std::string good = read_file(scratch / "good.h5");
    int caught = 0;
    for (std::size_t place = 0; place < good.size(); place += 13) {
        std::string bytes = good;
        bytes[place] = static_cast<char>(bytes[place] ^ (1 << place % 8));
        std::ofstream(scratch / "bad.h5", std::ios::binary) << bytes;
        try {
            load_checkpoint(scratch / "bad.h5");
            ADD_FAILURE() << "byte " << place;
        } catch (const Error& error) {
            EXPECT_EQ(static_cast<int>(error.kind()), 5);
            ++caught;
        }
    }
    EXPECT_GT(caught, 100);
    EXPECT_EQ(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0) << "handles stay open after a failure";
    for (std::size_t size = 0; size < good.size(); size += 97) {
        std::ofstream(scratch / "bad.h5", std::ios::binary) << good.substr(0, size);
        load_message(scratch / "bad.h5");
    }
}

TEST(Checkpoint, AMissingTensorIsNoCheckpoint) {
    const Scratch scratch;
    SampleRun run;
    run.state().second_moments.pop_back();
    EXPECT_TRUE(contains(message_of(Failure::usage, [&] { save_checkpoint(scratch / "x.h5", run.state()); }),
                         "do not belong together"));
    EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

TEST(CheckpointMatch, AcceptsWhatItSaved) {
    SampleRun run;
    EXPECT_NO_THROW(match(run.state().parameters, run.wanted(), "x.h5"));
}

TEST(CheckpointMatch, ListsEachNameWithBothShapes) {
    SampleRun run;
    const auto message = [&](auto change) {
        std::vector<TensorSpec> wanted = run.wanted();
        change(wanted);
        return message_of(Failure::storage, [&] { match(run.state().parameters, wanted, "runs/x.h5"); });
    };
    const std::string start = "runs/x.h5: the checkpoint does not fit the model: ";
    EXPECT_EQ(message([](auto& wanted) {
                  wanted[0].shape = {1, 4};
              }),
              start + "token.weight is [5, 4], expected [1, 4]");
    EXPECT_EQ(message([](auto& wanted) { wanted[1].shape = {64}; }),
              start + "blocks.0.norm.weight is [4], expected [64]");
    EXPECT_EQ(message([](auto& wanted) {
                  wanted[2].shape = {4, 12};
              }),
              start + "blocks.0.attention.qkv.weight is [12, 4], expected [4, 12]");
    EXPECT_EQ(message([](auto& wanted) { wanted[3].shape = {1}; }),
              start + "bias.scalar is [], expected [1]");
    EXPECT_EQ(message([](auto& wanted) {
                  wanted.push_back({"position.weight", {64, 4}});
              }),
              start + "missing: position.weight");
    EXPECT_EQ(message([](auto& wanted) { wanted.pop_back(); }), start + "not in the model: bias.scalar");
    EXPECT_EQ(
        message([](auto& wanted) {
            wanted[0].shape = {6, 4};
            wanted[1].name = "blocks.0.norm.scale";
            wanted[2].shape = {12, 8};
        }),
        start +
            "token.weight is [5, 4], expected [6, 4]; blocks.0.attention.qkv.weight is [12, 4], expected "
            "[12, 8]; missing: blocks.0.norm.scale; not in the model: blocks.0.norm.weight");
}

TEST(CheckpointMatch, OneRowIsNotBroadcastIntoMany) {
    const std::vector<float> row(4, 1.0F);
    const std::vector<CheckpointTensor> tensors{
        CheckpointTensor::view("w", {1, 4}, std::span<const float>(row))};
    const std::vector<TensorSpec> wanted{{"w", {5, 4}}};
    EXPECT_TRUE(contains(message_of(Failure::storage, [&] { match(tensors, wanted, "x.h5"); }),
                         "w is [1, 4], expected [5, 4]"));
}

TEST(CheckpointInspect, ShowsDatasetsAndHashes) {
    const Scratch scratch;
    SampleRun run;
    save_checkpoint(scratch / "x.h5", run.state());
    const nlohmann::json shown = inspect_checkpoint(scratch / "x.h5");
    EXPECT_EQ(shown.at("kind"), "checkpoint");
    EXPECT_EQ(shown.at("version"), 1);
    EXPECT_EQ(shown.at("step"), 500);
    EXPECT_EQ(shown.at("parameters_hash"), parameters_hash(run.state()));
    EXPECT_EQ(shown.at("state_hash"), state_hash(run.state()));
    ASSERT_EQ(shown.at("datasets").size(), 12U);
    const nlohmann::json& first = shown.at("datasets").at(0);
    EXPECT_EQ(first.at("name"), "parameters/bias.scalar");
    EXPECT_EQ(first.at("shape"), nlohmann::json::array());
    EXPECT_EQ(first.at("checksum"), checksum(run.state().parameters[3].bytes));
    EXPECT_EQ(shown.at("datasets").at(1).at("shape"), nlohmann::json({12, 4}));
}

}  // namespace
}  // namespace locus
