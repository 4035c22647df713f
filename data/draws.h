// What tasks draw: symbols, orders and places.
#pragma once

#include <utility>
#include <vector>

#include "data/vocabulary.h"
#include "framework/core/random.h"

namespace locus {

Index draw_below(Index bound, RandomStream& random);

/// A symbol, each as likely as the others.
Token pick(const Alphabet& alphabet, RandomStream& random);
/// The same `count` times over.
std::vector<Token> pick(const Alphabet& alphabet, Index count, RandomStream& random);
/// Symbols that are all different. REQUIRES: count <= alphabet.count.
std::vector<Token> pick_distinct(const Alphabet& alphabet, Index count, RandomStream& random);

template <typename T>
void shuffle(std::vector<T>& all, RandomStream& random) {
    for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random.below(i)]);
}

/// Where `count` pieces of `width` tokens begin in `room` tokens, in ascending order: every way to lay them
/// out is as likely as the others. REQUIRES: count * width <= room.
std::vector<Index> scatter(Index count, Index width, Index room, RandomStream& random);

/// The same around a piece of the same width that stands at `fixed`. REQUIRES: (count + 2) * width <= room.
std::vector<Index> scatter_around(Index fixed, Index count, Index width, Index room, RandomStream& random);

/// Rows merged into one at random, each in its own order.
template <typename T>
std::vector<T> merge(const std::vector<std::vector<T>>& rows, RandomStream& random) {
    std::vector<std::size_t> order;
    for (std::size_t row = 0; row < rows.size(); ++row) order.insert(order.end(), rows[row].size(), row);
    shuffle(order, random);
    std::vector<std::size_t> next(rows.size());
    std::vector<T> merged;
    for (const std::size_t row : order) merged.push_back(rows[row][next[row]++]);
    return merged;
}

}  // namespace locus
