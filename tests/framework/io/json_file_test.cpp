#include "framework/io/json_file.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "framework/io/atomic_file.h"
#include "tests/framework/io/scratch.h"

namespace locus {
namespace {

TEST(JsonFile, ComesBack) {
    const Scratch scratch;
    const nlohmann::json json{{"ranks", 2}, {"seconds", 0.1}, {"name", "é"}};
    write_json(scratch / "x.json", json);
    EXPECT_EQ(read_json(scratch / "x.json"), json);
}

TEST(JsonFile, NanIsNullAndBadUtf8IsReplaced) {
    const Scratch scratch;
    write_json(scratch / "x.json", {{"loss", std::numeric_limits<double>::quiet_NaN()}, {"path", "a\xff"}});
    const nlohmann::json json = read_json(scratch / "x.json");
    EXPECT_TRUE(json.at("loss").is_null());
    EXPECT_EQ(json.at("path"), "a\xef\xbf\xbd");
}

TEST(JsonFile, BadFilesAreOneClearLine) {
    const Scratch scratch;
    const auto message = [&] { return message_of(Failure::storage, [&] { read_json(scratch / "x.json"); }); };
    const std::string path = (scratch / "x.json").string();
    EXPECT_EQ(message(), path + ": cannot be read: No such file or directory");
    write_file_atomically(scratch / "x.json", "");
    EXPECT_EQ(message(), path + " (0 bytes): is empty");
    for (const char* text : {"{\"a\": 1", "{\"a\": NaN}", "{} {}", "text\n\n"}) {
        write_file_atomically(scratch / "x.json", text);
        EXPECT_EQ(message().find(fmt::format("{} ({} bytes): is not JSON: ", path, std::string(text).size())),
                  0U);
        EXPECT_EQ(message().find('\n'), std::string::npos) << text;
    }
}

TEST(JsonFile, DepthIsCountedOutsideOfTextAndLimited) {
    const auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    EXPECT_EQ(parse_json(nested(deepest_json), "x", Failure::data).size(), 1u);
    for (const int depth : {deepest_json + 1, 300'000}) {
        EXPECT_EQ(message_of(Failure::data, [&] { parse_json(nested(depth), "x.json", Failure::data); }),
                  fmt::format("x.json: JSON of {} levels, expected at most {}", depth, deepest_json));
    }
    EXPECT_EQ(parse_json(R"(["\"[[", 1])", "x", Failure::data).size(), 2u);
    const std::string brackets = '"' + std::string(1000, '[') + '"';
    EXPECT_EQ(parse_json(brackets, "x", Failure::data).get<std::string>().size(), 1000u);
}

TEST(JsonFile, AMessageIsOneShortLine) {
    const std::string message = message_of(
        Failure::data, [&] { parse_json("{\"" + std::string(1'000'000, 'a') + "\n", "x", Failure::data); });
    EXPECT_LT(message.size(), 400u);
    EXPECT_EQ(message.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace locus
