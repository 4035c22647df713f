// Text to token ids and back.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/tokens.h"
#include "framework/core/registry.h"
#include "framework/core/scalar.h"

namespace locus {

/// What a tokenizer is, as a value: what corpora and checkpoints carry, and what must be equal for tokens to
/// mean the same.
struct TokenizerIdentity {
    std::string kind;        // of those that are registered
    std::string bytes = {};  // its model as a file holds it; empty where the kind says all

    std::string hash() const;  // XXH3-128 of both
    bool operator==(const TokenizerIdentity&) const = default;
};

/// Turns any bytes into ids in [0, vocabulary) and back without loss. Never adds a start or end token.
class Tokenizer {
  public:
    virtual ~Tokenizer() = default;

    virtual TokenizerIdentity identity() const = 0;
    std::string name() const { return identity().kind; }
    virtual Index vocabulary() const = 0;
    virtual std::vector<Token> encode(std::string_view text) const = 0;
    /// Puts the tokens of `text` at the end of a store of this vocabulary.
    virtual void append(std::string_view text, TokenStore& to) const { to.append(encode(text)); }
    /// Throws a data Error for an id outside the vocabulary.
    virtual std::string decode(std::span<const Token> tokens) const = 0;
};

/// What the registry holds of a kind. One file each in data/tokenizers/, which registers itself.
struct TokenizerEntry {
    std::string doc;  // one line
    /// From the bytes of its model. Throws a data Error for bytes that are none.
    std::function<std::unique_ptr<Tokenizer>(const std::string& bytes)> make;
};

using TokenizerRegistry = Registry<TokenizerEntry>;

/// Throws a usage Error for a kind that is not known, a data Error for bytes that are no model of it.
std::unique_ptr<Tokenizer> make_tokenizer(const TokenizerIdentity& identity);
std::unique_ptr<Tokenizer> make_tokenizer(const std::string& kind);  // one without a model

}  // namespace locus
