#include "data/draws.h"

#include <algorithm>
#include <numeric>

#include "framework/core/error.h"

namespace locus {

namespace {

// `count` of 0 .. bound - 1, in ascending order (Floyd's algorithm: one draw each).
std::vector<Index> draw_subset(Index count, Index bound, RandomStream& random) {
    std::vector<Index> chosen;
    for (Index top = bound - count; top < bound; ++top) {
        const Index drawn = draw_below(top + 1, random);
        const auto place = std::lower_bound(chosen.begin(), chosen.end(), drawn);
        const bool is_new = place == chosen.end() || *place != drawn;
        chosen.insert(is_new ? place : chosen.end(), is_new ? drawn : top);
    }
    return chosen;
}

}  // namespace

Index draw_below(Index bound, RandomStream& random) {
    return static_cast<Index>(random.below(static_cast<std::uint64_t>(bound)));
}

Token pick(const Alphabet& alphabet, RandomStream& random) {
    return alphabet[draw_below(alphabet.count, random)];
}

std::vector<Token> pick(const Alphabet& alphabet, Index count, RandomStream& random) {
    std::vector<Token> drawn;
    for (Index i = 0; i < count; ++i) drawn.push_back(pick(alphabet, random));
    return drawn;
}

std::vector<Token> pick_distinct(const Alphabet& alphabet, Index count, RandomStream& random) {
    require(count <= alphabet.count, "draw: there are no {} different symbols among {}", count,
            alphabet.count);
    std::vector<Token> drawn;
    for (const Index i : draw_subset(count, alphabet.count, random)) drawn.push_back(alphabet[i]);
    shuffle(drawn, random);
    return drawn;
}

// A piece and a token of filler are one slot each; which slots hold pieces is a subset.
std::vector<Index> scatter(Index count, Index width, Index room, RandomStream& random) {
    require(count * width <= room, "draw: {} pieces of {} tokens do not fit into {}", count, width, room);
    std::vector<Index> places = draw_subset(count, room - count * (width - 1), random);
    for (Index i = 0; i < count; ++i) places[static_cast<std::size_t>(i)] += i * (width - 1);
    return places;
}

std::vector<Index> scatter_around(Index fixed, Index count, Index width, Index room, RandomStream& random) {
    const Index after = fixed + width;
    const Index fits_before = fixed / width, fits_after = (room - after) / width;
    require(fixed >= 0 && count <= fits_before + fits_after,
            "draw: {} pieces of {} tokens do not fit into {} around another at {}", count, width, room,
            fixed);
    const auto anywhere = scatter(count, width, room - width, random);
    const Index drawn = std::lower_bound(anywhere.begin(), anywhere.end(), fixed) - anywhere.begin();
    const Index before = std::clamp(drawn, count - fits_after, fits_before);
    std::vector<Index> places = scatter(before, width, fixed, random);
    for (const Index place : scatter(count - before, width, room - after, random))
        places.push_back(after + place);
    return places;
}

}  // namespace locus
