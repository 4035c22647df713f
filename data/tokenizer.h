// Text to token ids and back.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/tokens.h"
#include "framework/core/batch.h"

namespace locus {

/// Turns any bytes into ids in [0, vocabulary) and back without loss. Never adds a start or end token.
class Tokenizer {
  public:
    virtual ~Tokenizer() = default;

    virtual std::string name() const = 0;
    virtual Index vocabulary() const = 0;
    virtual std::vector<Token> encode(std::string_view text) const = 0;
    /// Puts the tokens of `text` at the end of a store of this vocabulary.
    virtual void append(std::string_view text, TokenStore& to) const { to.append(encode(text)); }
    /// Throws a data Error for an id outside the vocabulary.
    virtual std::string decode(std::span<const Token> tokens) const = 0;
};

/// "byte": an id is a byte, 0 .. 255. NUL, CRLF, a byte order mark and invalid UTF-8 stay as they are.
/// Throws a usage Error for a name that is not known.
std::unique_ptr<Tokenizer> make_tokenizer(const std::string& name);

}  // namespace locus
