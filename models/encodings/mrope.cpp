// M-RoPE (Qwen2-VL, arXiv:2409.12191): each pair of RoPE turns by one of three axes, time, row or column.
// Text stands at equal numbers on all of them, and is plain RoPE.

#include <fmt/ranges.h>

#include <array>
#include <charconv>

#include "models/rotary.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

using Sections = std::array<Index, 3>;  // pairs that turn by time, row, column

// 1 : 1.5 : 1.5 as Qwen2-VL's 16, 24, 24 of 64 pairs; interleaved, 24 : 20 : 20 as Qwen3-VL, where row and
// column must leave a third or more to time. Each axis gets a pair while there are enough.
Sections standard_sections(Index pairs, bool interleaved) {
    if (interleaved) {
        const Index side = std::max<Index>(1, 5 * pairs / 16);
        return {pairs - 2 * side, side, side};
    }
    const Index time = pairs == 3 ? 1 : pairs / 4, rows = (pairs - time + 1) / 2;
    return {time, rows, pairs - time - rows};
}

Sections parse_sections(const std::string& text) {
    Sections sections{};
    const char *at = text.data(), *end = text.data() + text.size();
    std::size_t found = 0;
    for (bool more = true; more; ++found) {
        while (at != end && *at == ' ') ++at;
        Index number = 0;
        const auto [after, error] = std::from_chars(at, end, number);
        require(found < 3 && error == std::errc() && number >= 0 && number <= 1'000'000,
                "encoding mrope: mrope_section: expected three counts of pairs as '16,24,24', found '{}'",
                text);
        sections[found] = number;
        for (at = after; at != end && *at == ' ';) ++at;
        more = at != end && *at == ',';
        if (more) ++at;
    }
    require(found == 3 && at == end,
            "encoding mrope: mrope_section: expected three counts of pairs as '16,24,24', found '{}'", text);
    return sections;
}

// The axis of every pair, [pairs]: blocks of pairs, or time but for every third pair from 1 (row) and from 2
// (column) as far as their sections reach.
std::vector<Index> pair_axes(const Sections& sections, Index pairs, bool interleaved) {
    std::vector<Index> axes;
    if (interleaved) {
        for (Index i = 0; i < pairs; ++i) {
            const Index axis = i % 3;
            axes.push_back(i < 3 * sections[static_cast<std::size_t>(axis)] ? axis : 0);
        }
        return axes;
    }
    for (Index axis = 0; axis < 3; ++axis)
        axes.insert(axes.end(), static_cast<std::size_t>(sections[static_cast<std::size_t>(axis)]), axis);
    return axes;
}

// The map of pairs to axes. Throws unless every pair has one axis and every axis as many pairs as its section
// says.
std::vector<Index> checked_axes(const Sections& sections, Index head_dim, bool interleaved) {
    const Index pairs = head_dim / 2, sum = sections[0] + sections[1] + sections[2];
    require(head_dim % 2 == 0, "encoding mrope: expected an even head width, found {}", head_dim);
    require(sum == pairs, "encoding mrope: mrope_section {} sums to {} pairs, but a head of {} has {}",
            fmt::join(sections, ","), sum, head_dim, pairs);
    std::vector<Index> axes = pair_axes(sections, pairs, interleaved);
    for (Index axis : {1, 2}) {
        const auto has = static_cast<Index>(std::count(axes.begin(), axes.end(), axis));
        require(
            has == sections[static_cast<std::size_t>(axis)],
            "encoding mrope: interleaved, mrope_section {} wants {} pairs for axis {}, but it has only every "
            "third of {} pairs: {}",
            fmt::join(sections, ","), sections[static_cast<std::size_t>(axis)], axis, pairs, has);
    }
    return axes;
}

class Mrope : public RotaryEncoding {
  public:
    Mrope(const Options& options, const EncodingShape& shape)
        : RotaryEncoding("mrope", options, shape.head_dim, shape.train_length),
          interleaved_(options.flag("mrope_interleaved")),
          sections_(parse_sections(options.text("mrope_section"))),
          axes_(checked_axes(sections_, shape.head_dim, interleaved_)) {}

    void describe(EncodingCard& card, const CardRequest& request) const override {
        RotaryEncoding::describe(card, request);
        card.conventions["axes"] = "0: time, 1: row, 2: column";
        card.conventions["sections"] = fmt::format("{} pairs, {}", fmt::join(sections_, ","),
                                                   interleaved_ ? "interleaved" : "in blocks");
        card.conventions["text"] = "one number on all axes: plain RoPE";
        card.conventions["denominator of the exponent"] = "head width";
        card.conventions["positions of the card"] = "p stands for p on all axes";
    }

  private:
    RotaryPairs pairs_at(Index length) const override {
        RotaryPairs pairs(frequencies_at(length));
        pairs.axis = axes_;
        return pairs;
    }

    bool interleaved_;
    Sections sections_;
    std::vector<Index> axes_;  // [pairs]
};

const bool mrope_registered = EncodingRegistry::instance().add(
    "mrope",
    {.doc = "rotation by time, row and column; plain RoPE on text (M-RoPE, Qwen2-VL, arXiv:2409.12191)",
     .options =
         {{.name = "base",
           .standard = 10000.0,
           .doc = "rope_theta: base of the frequencies; 1000000 in Qwen2-VL",
           .min = 1},
          {.name = "mrope_section",
           .standard = std::string(),
           .doc = "pairs of time, row and column, as '16,24,24'; empty: 1 : 1.5 : 1.5 of them, or 24 : 20 "
                  ": 20 interleaved"},
          {.name = "mrope_interleaved",
           .standard = false,
           .doc = "axes take turns pair by pair (Qwen3-VL) instead of in blocks (Qwen2-VL)"},
          pairing_option("half_split")},
     .axes = {1, 3},
     .scaling = ScalingSupport::every_rule,
     .resolve =
         [](Options& options, const EncodingShape& shape) {
             if (!options.text("mrope_section").empty()) return;
             const Sections sections =
                 standard_sections(shape.head_dim / 2, options.flag("mrope_interleaved"));
             if (std::all_of(sections.begin(), sections.end(), [](Index count) { return count >= 0; }))
                 options.set("mrope_section", fmt::format("{}", fmt::join(sections, ",")));
         },
     .make = [](const Options& options, const EncodingShape& shape,
                const ParameterScope&) { return std::make_unique<Mrope>(options, shape); }});

}  // namespace

}  // namespace LOCUS_SCALAR
}  // namespace locus
