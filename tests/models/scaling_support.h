// What the tests of context extension share.
#pragma once

#include "models/scaling.h"
#include "tests/models/rotary_support.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// The choices that scale by a rule; the original length is given, as a recipe resolves it.
inline Choices scaled(const std::string& rule, Choices own, Index original = 0) {
    Choices choices = {{"scaling.type", rule}};
    if (original > 0) choices.emplace_back("scaling.original_length", original);
    for (auto& [name, value] : own) choices.emplace_back("scaling." + name, value);
    return choices;
}

inline Choices with_base(double base, Choices choices) {
    choices.emplace_back("base", base);
    return choices;
}

/// The card of rope under a rule, for a head of `width` at `length` tokens.
inline EncodingCard rope_card(Index width, const Choices& choices, Index length = 0) {
    CardRequest request;
    request.length = length;
    return LoneEncoding("rope", choices, head_of(width)).card(request);
}

/// The options that every rule needs for a factor, for a head of `width`.
inline Choices at_factor(const std::string& rule, double factor, Index width, Index original = 64) {
    if (rule == "plain") return {{"scaling.type", rule}};
    Choices own = {{"factor", factor}};
    if (rule == "longrope")
        own.emplace_back("long_factor", std::vector<double>(static_cast<std::size_t>(width / 2), factor));
    return scaled(rule, own, original);
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
