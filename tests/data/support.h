// What the tests of the data share.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "data/corpus.h"
#include "framework/core/batch.h"
#include "framework/core/error.h"

namespace locus::test {

/// A test with a folder of its own, gone afterwards.
class FolderTest : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = (std::filesystem::temp_directory_path() / "locus-data-XXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::string put(const std::string& name, const std::string& bytes) const {
        const std::filesystem::path path = folder_ / name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << bytes;
        return path.string();
    }

    std::filesystem::path folder_;
};

inline std::string bytes_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline std::string gzip(const std::string& text) {
    z_stream stream{};
    deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    std::string packed(deflateBound(&stream, text.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    deflate(&stream, Z_FINISH);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
}

/// Byte tokens as text.
inline std::string text_of(const TokenView& tokens) {
    return make_tokenizer("byte")->decode(std::vector<Token>(tokens.begin(), tokens.end()));
}

inline std::vector<Token> tokens_of(const Batch& batch) {
    return {batch.ids().numbers().begin(), batch.ids().numbers().end()};
}

inline std::vector<Token> targets_of(const Batch& batch) {
    return {batch.targets.numbers().begin(), batch.targets.numbers().end()};
}

/// Expects an Error of `kind`, of one line, whose text holds every one of `parts`.
inline void expect_error(const std::function<void()>& act, Failure kind,
                         const std::vector<std::string>& parts) {
    try {
        act();
        ADD_FAILURE() << "no error was thrown";
    } catch (const Error& error) {
        const std::string text = error.what();
        EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(kind)) << text;
        EXPECT_EQ(text.find('\n'), std::string::npos) << text;
        for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << text;
    }
}

/// A corpus of documents of the given lengths; token i of the corpus is i % 251, so that places can be told
/// apart.
inline Corpus corpus_of(const std::vector<Index>& lengths, const std::vector<std::string>& books = {}) {
    CorpusBuilder builder("made", "byte");
    Index token = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        std::string text;
        for (Index t = 0; t < lengths[i]; ++t) text.push_back(static_cast<char>(token++ % 251));
        const std::string name = "document " + std::to_string(i);
        builder.add(name, books.empty() ? name : books[i], text, name);
    }
    return builder.finish();
}

}  // namespace locus::test
