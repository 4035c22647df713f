// Tokens of a corpus, in as few bytes as they need: one each where the vocabulary has up to 256, else two or
// four.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/core/batch.h"

namespace locus {

/// Bytes of a stored token: 1, 2 or 4.
constexpr int token_width(Index vocabulary) {
    return vocabulary <= 256 ? 1 : vocabulary <= 65536 ? 2 : 4;
}

/// Token `i` of a row of tokens of `width` bytes.
inline Token load_token(const std::byte* data, int width, std::size_t i) {
    if (width == 1) return std::to_integer<Token>(data[i]);
    std::uint16_t narrow = 0;
    Token token = 0;
    if (width == 2) {
        std::memcpy(&narrow, data + i * sizeof narrow, sizeof narrow);
        return narrow;
    }
    std::memcpy(&token, data + i * sizeof token, sizeof token);
    return token;
}

/// Goes through a TokenView; what it points to is a value.
class TokenIterator {
  public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = Token;
    using difference_type = std::ptrdiff_t;
    using reference = Token;
    using pointer = const Token*;

    TokenIterator() = default;
    TokenIterator(const std::byte* data, int width, std::size_t place)
        : data_(data), width_(width), place_(static_cast<std::ptrdiff_t>(place)) {}

    Token operator*() const { return load_token(data_, width_, static_cast<std::size_t>(place_)); }
    Token operator[](std::ptrdiff_t n) const { return *(*this + n); }
    TokenIterator& operator+=(std::ptrdiff_t n) {
        place_ += n;
        return *this;
    }
    TokenIterator& operator-=(std::ptrdiff_t n) { return *this += -n; }
    TokenIterator& operator++() { return *this += 1; }
    TokenIterator& operator--() { return *this += -1; }
    TokenIterator operator++(int) { return std::exchange(*this, *this + 1); }
    TokenIterator operator--(int) { return std::exchange(*this, *this - 1); }
    friend TokenIterator operator+(TokenIterator it, std::ptrdiff_t n) { return it += n; }
    friend TokenIterator operator+(std::ptrdiff_t n, TokenIterator it) { return it += n; }
    friend TokenIterator operator-(TokenIterator it, std::ptrdiff_t n) { return it -= n; }
    friend std::ptrdiff_t operator-(const TokenIterator& a, const TokenIterator& b) {
        return a.place_ - b.place_;
    }
    friend bool operator==(const TokenIterator& a, const TokenIterator& b) { return a.place_ == b.place_; }
    friend std::strong_ordering operator<=>(const TokenIterator& a, const TokenIterator& b) {
        return a.place_ <=> b.place_;
    }

  private:
    const std::byte* data_ = nullptr;
    int width_ = sizeof(Token);
    std::ptrdiff_t place_ = 0;
};

/// A row of stored tokens that lie in a TokenStore, which must live on.
class TokenView {
  public:
    TokenView() = default;
    TokenView(const std::byte* data, int width, std::size_t size) : data_(data), size_(size), width_(width) {}
    /// Tokens that are not stored narrowly.
    TokenView(std::span<const Token> tokens)
        : TokenView(reinterpret_cast<const std::byte*>(tokens.data()), sizeof(Token), tokens.size()) {}
    TokenView(const std::vector<Token>& tokens) : TokenView(std::span<const Token>(tokens)) {}

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    const std::byte* data() const { return data_; }
    int width() const { return width_; }
    std::span<const std::byte> bytes() const { return {data_, size_ * static_cast<std::size_t>(width_)}; }

    Token operator[](std::size_t i) const { return load_token(data_, width_, i); }
    Token front() const { return (*this)[0]; }
    TokenIterator begin() const { return {data_, width_, 0}; }
    TokenIterator end() const { return {data_, width_, size_}; }

    /// As std::span's; `count` must fit.
    TokenView subspan(std::size_t first, std::size_t count) const {
        return {data_ + first * static_cast<std::size_t>(width_), width_, count};
    }

    /// Writes all of them to `out`.
    void copy_to(Token* out) const;

  private:
    const std::byte* data_ = nullptr;
    std::size_t size_ = 0;
    int width_ = sizeof(Token);
};

/// Owns the tokens of a corpus. A moved store's views stay valid.
class TokenStore {
  public:
    TokenStore() : TokenStore(256) {}
    explicit TokenStore(Index vocabulary) : width_(token_width(vocabulary)) {}
    /// Takes stored tokens as they were read from a file.
    TokenStore(Index vocabulary, std::vector<std::byte> bytes)
        : width_(token_width(vocabulary)), bytes_(std::move(bytes)) {}

    std::size_t size() const { return bytes_.size() / static_cast<std::size_t>(width_); }
    int width() const { return width_; }
    void reserve(std::size_t tokens) { bytes_.reserve(tokens * static_cast<std::size_t>(width_)); }

    /// Tokens must fit the vocabulary.
    void append(const TokenView& tokens);
    /// One token for each byte; for stores of one byte per token.
    void append_bytes(std::string_view text);

    TokenView view() const { return {bytes_.data(), width_, size()}; }
    bool operator==(const TokenStore&) const = default;

  private:
    int width_;
    std::vector<std::byte> bytes_;
};

}  // namespace locus
