// The symbols that the items of a task are written in.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "framework/core/scalar.h"
#include "framework/core/token.h"

namespace locus {

/// Ids that follow each other and have one use: keys, values, filler.
struct Alphabet {
    Token first = 0;
    Index count = 0;

    bool holds(Token token) const { return token >= first && token < first + count; }
    Token operator[](Index i) const { return first + static_cast<Token>(i); }
    std::vector<Token> tokens() const;
};

/// Names of the ids 0, 1, 2, ...
class Vocabulary {
  public:
    /// Every byte, as in the byte tokenizer.
    static Vocabulary bytes();

    Token add(const std::string& symbol);
    /// "k0", "k1", ... for the prefix "k".
    Alphabet add(const std::string& prefix, Index count);

    Index size() const { return static_cast<Index>(symbols_.size()); }
    const std::vector<std::string>& symbols() const { return symbols_; }
    /// What stands between symbols in a text: a space, nothing between bytes.
    const std::string& between() const { return between_; }
    std::string text(std::span<const Token> tokens) const;

  private:
    std::vector<std::string> symbols_;
    std::string between_ = " ";
};

}  // namespace locus
