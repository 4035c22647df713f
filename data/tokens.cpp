#include "data/tokens.h"

#include <algorithm>

#include "framework/core/error.h"

namespace locus {

namespace {

template <typename Stored>
void widen(const std::byte* from, std::size_t count, Token* out) {
    for (std::size_t i = 0; i < count; ++i) {
        Stored token;
        std::memcpy(&token, from + i * sizeof token, sizeof token);
        out[i] = static_cast<Token>(token);
    }
}

template <typename Stored>
void narrow(const TokenView& tokens, std::vector<std::byte>& bytes) {
    std::size_t place = bytes.size();
    bytes.resize(place + tokens.size() * sizeof(Stored));
    for (std::size_t i = 0; i < tokens.size(); ++i, place += sizeof(Stored)) {
        const auto token = static_cast<Stored>(tokens[i]);
        std::memcpy(bytes.data() + place, &token, sizeof token);
    }
}

}  // namespace

void TokenView::copy_to(Token* out) const {
    switch (width_) {
        case 1:
            return widen<std::uint8_t>(data_, size_, out);
        case 2:
            return widen<std::uint16_t>(data_, size_, out);
        default:
            return widen<Token>(data_, size_, out);
    }
}

void TokenStore::append(const TokenView& tokens) {
    if (tokens.width() == width_) {
        bytes_.insert(bytes_.end(), tokens.bytes().begin(), tokens.bytes().end());
    } else if (width_ == 1) {
        narrow<std::uint8_t>(tokens, bytes_);
    } else if (width_ == 2) {
        narrow<std::uint16_t>(tokens, bytes_);
    } else {
        narrow<Token>(tokens, bytes_);
    }
}

void TokenStore::append_bytes(std::string_view text) {
    require(width_ == 1, "tokens: bytes do not fit a store of {} bytes per token", width_);
    const auto bytes = std::as_bytes(std::span(text));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

}  // namespace locus
