#include "data/vocabulary.h"

namespace locus {

std::vector<Token> Alphabet::tokens() const {
    std::vector<Token> all;
    for (Index i = 0; i < count; ++i) all.push_back((*this)[i]);
    return all;
}

Vocabulary Vocabulary::bytes() {
    Vocabulary vocabulary;
    for (int byte = 0; byte < 256; ++byte) vocabulary.add(std::string(1, static_cast<char>(byte)));
    vocabulary.between_ = "";
    return vocabulary;
}

Token Vocabulary::add(const std::string& symbol) {
    symbols_.push_back(symbol);
    return static_cast<Token>(symbols_.size() - 1);
}

Alphabet Vocabulary::add(const std::string& prefix, Index count) {
    const Alphabet alphabet{static_cast<Token>(symbols_.size()), count};
    for (Index i = 0; i < count; ++i) add(prefix + std::to_string(i));
    return alphabet;
}

std::string Vocabulary::text(std::span<const Token> tokens) const {
    std::string text;
    for (const Token token : tokens)
        text += (text.empty() ? "" : between_) + symbols_.at(static_cast<std::size_t>(token));
    return text;
}

}  // namespace locus
