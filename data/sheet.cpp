#include "data/sheet.h"

#include <algorithm>

#include "data/draws.h"
#include "framework/core/error.h"

namespace locus {

Sheet::Sheet(Index length, const Alphabet& filler, RandomStream& random)
    : Sheet(pick(filler, length, random)) {}

Sheet::Sheet(std::vector<Token> filler) {
    item_.without = filler;
    taken_.resize(filler.size());
    item_.tokens = std::move(filler);
}

void Sheet::take_place(Index place, std::size_t count) {
    const Index end = place + static_cast<Index>(count);
    require(place >= 0 && end <= length(), "item of {} tokens: a piece at {} .. {} would be cut off",
            length(), place, end - 1);
    for (Index i = place; i < end; ++i) {
        require(!taken_[static_cast<std::size_t>(i)], "item of {} tokens: two pieces lie at {}", length(), i);
        taken_[static_cast<std::size_t>(i)] = true;
    }
}

void Sheet::write(Index place, std::span<const Token> piece) {
    take_place(place, piece.size());
    put(item_.tokens, place, piece);
    put(item_.without, place, piece);
}

void Sheet::evidence(Index place, std::span<const Token> piece) {
    take_place(place, piece.size());
    put(item_.tokens, place, piece);
    item_.evidence.push_back({place, static_cast<Index>(piece.size())});
}

void Sheet::source(Index place, std::span<const Token> piece, std::span<const Token> other) {
    require(piece.size() == other.size(), "item: {} tokens cannot stand for {}", other.size(), piece.size());
    evidence(place, piece);
    put(item_.without, place, other);
}

void Sheet::answer(Index place, std::span<const Token> piece) {
    write(place, piece);
    for (std::size_t i = 0; i < piece.size(); ++i) item_.answers.push_back(place + static_cast<Index>(i));
}

void Sheet::ask(std::span<const Token> query, std::span<const Token> answers) {
    const Index place = length() - static_cast<Index>(answers.size());
    write(place - static_cast<Index>(query.size()), query);
    answer(place, answers);
}

void Sheet::put(std::vector<Token>& row, Index place, std::span<const Token> piece) const {
    std::copy(piece.begin(), piece.end(), row.begin() + place);
}

}  // namespace locus
