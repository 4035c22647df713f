// How an item is written: pieces on a row of filler.
#pragma once

#include <span>
#include <vector>

#include "data/task.h"

namespace locus {

/// A row of filler on which a task puts its pieces, and the same row without evidence beside it. Refuses
/// what does not fit or lies on another piece: nothing is ever cut.
class Sheet {
  public:
    /// On drawn filler.
    Sheet(Index length, const Alphabet& filler, RandomStream& random);
    /// On filler as it stands.
    explicit Sheet(std::vector<Token> filler);

    Index length() const { return static_cast<Index>(item_.tokens.size()); }

    /// What both forms show.
    void write(Index place, std::span<const Token> piece);
    void write(Index place, Token token) { write(place, {&token, 1}); }
    /// What only the item shows: without it there is filler.
    void evidence(Index place, std::span<const Token> piece);
    /// What the answer follows from: without it there is `other`, drawn anew and of the same length.
    void source(Index place, std::span<const Token> piece, std::span<const Token> other);
    /// What has to be answered; both forms show it.
    void answer(Index place, std::span<const Token> piece);
    void answer(Index place, Token token) { answer(place, {&token, 1}); }

    /// Query and answer at the end, the query at `length - query - answer`.
    void ask(std::span<const Token> query, std::span<const Token> answers);

    TaskItem take() { return std::move(item_); }

  private:
    void put(std::vector<Token>& row, Index place, std::span<const Token> piece) const;
    void take_place(Index place, std::size_t count);

    TaskItem item_;
    std::vector<bool> taken_;
};

}  // namespace locus
