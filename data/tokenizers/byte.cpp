#include "data/tokenizer.h"
#include "framework/core/error.h"

namespace locus {

namespace {

// An id is a byte, 0 .. 255. NUL, CRLF, a byte order mark and invalid UTF-8 stay as they are.
class ByteTokenizer : public Tokenizer {
  public:
    TokenizerIdentity identity() const override { return {"byte"}; }
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

const bool byte_registered = TokenizerRegistry::instance().add(
    "byte", {.doc = "every byte is a token", .make = [](const std::string& bytes) {
                 require(bytes.empty(), Failure::data, "byte tokenizer: it has no model, but {} bytes came",
                         bytes.size());
                 return std::make_unique<ByteTokenizer>();
             }});

}  // namespace

}  // namespace locus
