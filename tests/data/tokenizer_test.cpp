#include "data/tokenizer.h"

#include "tests/data/support.h"

namespace locus {
namespace {

TEST(ByteTokenizer, KeepsEveryByte) {
    const auto tokenizer = make_tokenizer("byte");
    std::string text;
    for (int i = 0; i < 256; ++i) text.push_back(static_cast<char>(i));
    const std::vector<Token> tokens = tokenizer->encode(text);
    ASSERT_EQ(tokens.size(), 256u);
    for (int i = 0; i < 256; ++i) EXPECT_EQ(tokens[static_cast<std::size_t>(i)], i);
    EXPECT_EQ(tokenizer->decode(tokens), text);
    EXPECT_EQ(tokenizer->vocabulary(), 256);
    EXPECT_EQ(tokenizer->name(), "byte");
}

TEST(ByteTokenizer, AddsNoStartToken) {
    EXPECT_EQ(make_tokenizer("byte")->encode("a"), std::vector<Token>{97});
    EXPECT_TRUE(make_tokenizer("byte")->encode("").empty());
}

TEST(ByteTokenizer, RefusesOtherIds) {
    const std::vector<Token> high = {65, 256}, low = {-1};
    test::expect_error([&] { make_tokenizer("byte")->decode(high); }, Failure::data, {"256"});
    test::expect_error([&] { make_tokenizer("byte")->decode(low); }, Failure::data, {"-1"});
    test::expect_error([] { make_tokenizer("bite"); }, Failure::usage, {"bite", "byte"});
}

}  // namespace
}  // namespace locus
