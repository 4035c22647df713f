#include "framework/io/hdf5.h"

#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/stat.h>

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

TEST(Hdf5, ASealOverTheWholeFileIsCheckedBeforeTheLibraryOpensIt) {
    const Scratch scratch;
    write_sample(scratch / "x.h5");
    const std::string good = read_file(scratch / "x.h5");
    const auto message = [&](const std::string& bytes) {
        write_file_atomically(scratch / "bad.h5", bytes);
        return message_of(Failure::data, [&] { Hdf5File::open(scratch / "bad.h5", Failure::data); });
    };
    for (std::size_t place = 52; place < good.size() - seal_size; place += 61) {
        std::string bytes = good;
        bytes[place] = static_cast<char>(bytes[place] ^ 1);
        EXPECT_NE(message(bytes).find("is damaged: its checksum is "), std::string::npos) << place;
    }
    // A whole file of another program has no seal.
    EXPECT_NE(message(good.substr(0, good.size() - seal_size)).find("another program or version"),
              std::string::npos);
    EXPECT_NE(message(good + "x").find("found none"), std::string::npos);
    seal_again(scratch / "x.h5");
    EXPECT_EQ(read_file(scratch / "x.h5"), good);
    // Other programs do not mind it.
    const hid_t file = H5Fopen((scratch / "x.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    EXPECT_GE(file, 0);
    H5Fclose(file);
}

/// A file with one thing in it that Locus never writes, sealed as if it had.
template <typename Make>
std::string hostile(const std::filesystem::path& path, Make make) {
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    make(file);
    H5Fclose(file);
    seal_again(path);
    const Hdf5File opened = Hdf5File::open(path, Failure::data);
    const std::string read = message_of(Failure::data, [&] { opened.read<double>("x"); });
    EXPECT_EQ(read.find('\n'), std::string::npos) << read;
    return read;
}

void make_dataset(hid_t file, hid_t properties, std::vector<hsize_t> sizes) {
    const hid_t space = H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr);
    const hid_t dataset =
        H5Dcreate2(file, "x", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    EXPECT_GE(dataset, 0);
    H5Dclose(dataset);
    H5Sclose(space);
}

TEST(Hdf5, ReadsOnlyPlainDatasetsOfThisFile) {
    const Scratch scratch;
    ASSERT_EQ(::mkfifo((scratch / "pipe").c_str(), 0600), 0);
    const std::string pipe = (scratch / "pipe").string();
    const auto path = scratch / "x.h5";
    const auto has = [](const std::string& text, const char* part) {
        EXPECT_NE(text.find(part), std::string::npos) << text;
    };
    has(hostile(
            path,
            [&](hid_t file) { H5Lcreate_external(pipe.c_str(), "/x", file, "x", H5P_DEFAULT, H5P_DEFAULT); }),
        "x is a link to another place or file");
    EXPECT_EQ(Hdf5File::open(path, Failure::data).path(), path);
    has(message_of(Failure::data, [&] { Hdf5File::open(path, Failure::data).datasets(); }), "is a link");
    has(hostile(path, [&](hid_t file) { H5Lcreate_soft("/y", file, "x", H5P_DEFAULT, H5P_DEFAULT); }),
        "is a link");
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(properties, pipe.c_str(), 0, 64);
    has(hostile(path, [&](hid_t file) { make_dataset(file, properties, {8}); }), "lies in another file");
    const hid_t chunked = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk[] = {4};
    H5Pset_chunk(chunked, 1, chunk);
    has(hostile(path, [&](hid_t file) { make_dataset(file, chunked, {8}); }), "is chunked");
    // 8 GiB that were declared and never written.
    const hid_t late = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_alloc_time(late, H5D_ALLOC_TIME_LATE);
    has(hostile(path,
                [&](hid_t file) {
                    make_dataset(file, late, {1 << 10, 1 << 20});
                }),
        "its shape needs 1073741824");
    for (const hid_t list : {properties, chunked, late}) H5Pclose(list);
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
