#include "data/tokenizer.h"

#include "framework/core/error.h"

namespace locus {

namespace {

class ByteTokenizer : public Tokenizer {
  public:
    std::string name() const override { return "byte"; }
    Index vocabulary() const override { return 256; }

    std::vector<Token> encode(std::string_view text) const override {
        std::vector<Token> tokens;
        tokens.reserve(text.size());
        for (const char c : text) tokens.push_back(static_cast<unsigned char>(c));
        return tokens;
    }

    void append(std::string_view text, TokenStore& to) const override { to.append_bytes(text); }

    std::string decode(std::span<const Token> tokens) const override {
        std::string text;
        text.reserve(tokens.size());
        for (const Token token : tokens) {
            require(token >= 0 && token < 256, Failure::data, "byte tokenizer: token {} is outside 0 .. 255",
                    token);
            text.push_back(static_cast<char>(static_cast<unsigned char>(token)));
        }
        return text;
    }
};

}  // namespace

std::unique_ptr<Tokenizer> make_tokenizer(const std::string& name) {
    require(name == "byte", "tokenizer '{}' is not known; known are: byte", name);
    return std::make_unique<ByteTokenizer>();
}

}  // namespace locus
