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

// A tokenizer with a model: an id for each of its words' letters.
class Letters : public Tokenizer {
  public:
    explicit Letters(std::string letters) : letters_(std::move(letters)) {}
    TokenizerIdentity identity() const override { return {"test_letters", letters_}; }
    Index vocabulary() const override { return static_cast<Index>(letters_.size()); }
    std::vector<Token> encode(std::string_view text) const override {
        std::vector<Token> tokens;
        for (const char c : text) tokens.push_back(static_cast<Token>(letters_.find(c)));
        return tokens;
    }
    std::string decode(std::span<const Token> tokens) const override {
        std::string text;
        for (const Token token : tokens) text.push_back(letters_[static_cast<std::size_t>(token)]);
        return text;
    }

  private:
    std::string letters_;
};

const bool letters_registered = TokenizerRegistry::instance().add(
    "test_letters", {.doc = "", .make = [](const std::string& bytes) {
                         require(!bytes.empty(), Failure::data, "letters: there are none");
                         return std::make_unique<Letters>(bytes);
                     }});

TEST(Tokenizers, AreMadeAgainFromTheirIdentity) {
    const auto letters = make_tokenizer(TokenizerIdentity{"test_letters", "abc"});
    const auto again = make_tokenizer(letters->identity());
    EXPECT_EQ(again->identity(), letters->identity());
    EXPECT_EQ(again->encode("cab"), (std::vector<Token>{2, 0, 1}));
    EXPECT_EQ(again->decode(letters->encode("cab")), "cab");
    test::expect_error([] { make_tokenizer("test_letters"); }, Failure::data, {"letters"});
    test::expect_error([] { make_tokenizer(TokenizerIdentity{"byte", "abc"}); }, Failure::data, {"3 bytes"});
}

TEST(Tokenizers, HashesTellKindsAndModelsApart) {
    const std::string hash = TokenizerIdentity{"test_letters", "abc"}.hash();
    EXPECT_EQ(hash.size(), 32U);
    EXPECT_EQ(hash, (TokenizerIdentity{"test_letters", "abc"}.hash()));
    EXPECT_NE(hash, (TokenizerIdentity{"test_letters", "abd"}.hash()));
    EXPECT_NE(hash, (TokenizerIdentity{"test_lettersa", "bc"}.hash()));
    EXPECT_NE(make_tokenizer("byte")->identity().hash(), hash);
}

}  // namespace
}  // namespace locus
