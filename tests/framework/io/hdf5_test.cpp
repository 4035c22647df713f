#include "framework/io/hdf5.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "framework/io/atomic_file.h"
#include "tests/framework/io/scratch.h"

namespace locus {
namespace {

void write_sample(const std::filesystem::path& path) {
    Hdf5File file = Hdf5File::create(path, Failure::data);
    const std::vector<Index> shape{2, 3};
    const std::vector<float> floats{1.5F, -2, 0, 3, 4, 1e-30F};
    file.write("a/b/floats", std::span<const Index>(shape), std::span<const float>(floats));
    file.write("doubles", std::vector<double>{0.1, -1e300});
    file.write("bytes", std::vector<std::uint8_t>{0, 255});
    file.write("shorts", std::vector<std::uint16_t>{65535});
    file.write("ints", std::vector<std::int32_t>{-2147483647});
    file.write("longs", std::vector<std::int64_t>{-9007199254740993});
    file.write("unsigned", std::vector<std::uint64_t>{18446744073709551615U});
    file.write("nothing", std::vector<float>{});
    file.write_text("text", "déjà\nvu");
    file.write_text("empty", "");
    file.write_texts("list", {"a", "", "longer"});
    for (int i = 0; i < 40; ++i) file.write(fmt::format("many/{}", i), std::vector<std::int32_t>{i});
    file.set_attribute("/", "version", 3);
    file.set_attribute("a/b/floats", "checksum", "0123");
    file.commit();
}

TEST(Hdf5, WhatIsWrittenComesBack) {
    const Scratch scratch;
    write_sample(scratch / "x.h5");
    const Hdf5File file = Hdf5File::open(scratch / "x.h5", Failure::data);
    EXPECT_EQ(file.read<float>("a/b/floats"), (std::vector<float>{1.5F, -2, 0, 3, 4, 1e-30F}));
    EXPECT_EQ(file.describe("a/b/floats").shape, (std::vector<Index>{2, 3}));
    EXPECT_EQ(file.read<double>("doubles"), (std::vector<double>{0.1, -1e300}));
    EXPECT_EQ(file.read<std::uint8_t>("bytes"), (std::vector<std::uint8_t>{0, 255}));
    EXPECT_EQ(file.read<std::uint16_t>("shorts"), (std::vector<std::uint16_t>{65535}));
    EXPECT_EQ(file.read<std::int32_t>("ints"), (std::vector<std::int32_t>{-2147483647}));
    EXPECT_EQ(file.read<std::int64_t>("longs"), (std::vector<std::int64_t>{-9007199254740993}));
    EXPECT_EQ(file.read<std::uint64_t>("unsigned"), (std::vector<std::uint64_t>{18446744073709551615U}));
    EXPECT_TRUE(file.read<float>("nothing").empty());
    EXPECT_EQ(file.read_text("text"), "déjà\nvu");
    EXPECT_EQ(file.read_text("empty"), "");
    EXPECT_EQ(file.read_texts("list"), (std::vector<std::string>{"a", "", "longer"}));
    EXPECT_EQ(file.integer_attribute("/", "version"), 3);
    EXPECT_EQ(file.text_attribute("a/b/floats", "checksum"), "0123");
    EXPECT_TRUE(file.contains("a/b"));
    EXPECT_FALSE(file.contains("a/c/d"));
    EXPECT_FALSE(file.has_attribute("/", "checksum"));
}

TEST(Hdf5, ListsDatasetsByName) {
    const Scratch scratch;
    write_sample(scratch / "x.h5");
    const Hdf5File file = Hdf5File::open(scratch / "x.h5", Failure::data);
    const auto all = file.datasets();
    ASSERT_EQ(all.size(), 51U);
    EXPECT_EQ(all.front().name, "a/b/floats");
    EXPECT_EQ(all.front().type, ElementType::float32);
    const auto inner = file.datasets("a");
    ASSERT_EQ(inner.size(), 1U);
    EXPECT_EQ(inner.front().name, "a/b/floats");
    EXPECT_EQ(file.datasets("many").size(), 40U);
}

TEST(Hdf5, SameContentGivesSameBytesAtAnotherTimeAndPlace) {
    const Scratch scratch;
    write_sample(scratch / "x.h5");
    std::this_thread::sleep_for(
        std::chrono::milliseconds(1100));  // HDF5's times have a resolution of a second
    write_sample(scratch / "another_name.h5");
    EXPECT_EQ(read_file(scratch / "x.h5"), read_file(scratch / "another_name.h5"));
}

TEST(Hdf5, TellsBadFilesApartInOneLine) {
    const Scratch scratch;
    write_sample(scratch / "good.h5");
    const std::string good = read_file(scratch / "good.h5");
    const auto message = [&](const std::string& name) {
        return message_of(Failure::data, [&] { Hdf5File::open(scratch / name, Failure::data); });
    };
    const auto put = [&](const std::string& name, const std::string& bytes) {
        std::ofstream(scratch / name, std::ios::binary) << bytes;
        return message(name);
    };
    EXPECT_EQ(message("none.h5"), (scratch / "none.h5").string() + ": there is no such file");
    std::filesystem::create_directory(scratch / "folder.h5");
    EXPECT_EQ(message("folder.h5"), (scratch / "folder.h5").string() + ": is not a file");
    EXPECT_EQ(put("empty.h5", ""), (scratch / "empty.h5").string() + " (0 bytes): is empty");
    EXPECT_EQ(put("text.h5", "hello\n"), (scratch / "text.h5").string() + " (6 bytes): is not an HDF5 file");
    for (const std::size_t size : {good.size() * 6 / 10, good.size() - 1, std::size_t{60}}) {
        EXPECT_EQ(put("cut.h5", good.substr(0, size)),
                  fmt::format("{} ({} bytes): is cut off, {} bytes expected", (scratch / "cut.h5").string(),
                              size, good.size()));
    }
    EXPECT_NE(put("start.h5", good.substr(0, 20)).find("is cut off within its first block"),
              std::string::npos);
    std::string newer = good;
    newer[8] = 9;
    EXPECT_NE(put("newer.h5", newer).find("another version of HDF5's format (superblock 9"),
              std::string::npos);
    std::string damaged = good;
    damaged[46] = static_cast<char>(damaged[46] ^ 1);  // the superblock's checksum no longer fits
    EXPECT_NE(put("damaged.h5", damaged).find(": is damaged: "), std::string::npos);
    for (const char* name :
         {"none.h5", "folder.h5", "empty.h5", "text.h5", "cut.h5", "newer.h5", "damaged.h5"}) {
        EXPECT_EQ(message(name).find('\n'), std::string::npos) << name;
    }
}

TEST(Hdf5, RefusesWrongTypesAndNames) {
    const Scratch scratch;
    write_sample(scratch / "x.h5");
    const Hdf5File file = Hdf5File::open(scratch / "x.h5", Failure::storage);
    const auto message = [&](auto call) { return message_of(Failure::storage, call); };
    EXPECT_NE(message([&] { file.read<float>("doubles"); }).find("doubles is of float64, expected float32"),
              std::string::npos);
    EXPECT_NE(message([&] { file.read<float>("none"); }).find("there is no dataset none"), std::string::npos);
    EXPECT_NE(message([&] { file.read<float>("a/b"); }).find("dataset a/b cannot be opened"),
              std::string::npos);
    EXPECT_NE(message([&] { file.read_text("doubles"); }).find("expected text"), std::string::npos);
    EXPECT_NE(message([&] { file.integer_attribute("/", "none"); }).find("none of / is missing"),
              std::string::npos);
    EXPECT_NE(message([&] { file.text_attribute("/", "version"); }).find("is not text"), std::string::npos);
    EXPECT_NE(message([&] { file.datasets("none"); }).find("there is no group none"), std::string::npos);
    EXPECT_NE(message_of(Failure::usage,
                         [&] {
                             const std::vector<Index> shape{4};
                             const std::vector<float> data(3);
                             Hdf5File made = Hdf5File::create(scratch / "y.h5", Failure::storage);
                             made.write("x", std::span<const Index>(shape), std::span<const float>(data));
                         })
                  .find("of shape [4] needs 4 elements, found 3"),
              std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(scratch / "y.h5"));
}

TEST(Hdf5, AFileThatIsNotCommittedLeavesNoTrace) {
    const Scratch scratch;
    {
        Hdf5File file = Hdf5File::create(scratch / "x.h5", Failure::data);
        file.write("ints", std::vector<std::int32_t>{1});
    }
    EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
    Hdf5File file = Hdf5File::create(scratch / "no_folder" / "x.h5", Failure::data);
    EXPECT_NE(message_of(Failure::data, [&] { file.commit(); }).find("cannot write"), std::string::npos);
}

}  // namespace
}  // namespace locus
