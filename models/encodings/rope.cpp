// Rotary position embedding (arXiv:2104.09864): pairs of query and key are turned by position times a
// frequency.

#include <cmath>

#include "models/pair_band.h"
#include "models/rotary.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

// fraction * head_dim as an even number of dimensions; nothing is rounded silently.
Index partial_width(double fraction, Index head_dim) {
    const double width = fraction * static_cast<double>(head_dim);
    const double whole = std::round(width);
    require(std::abs(width - whole) < 1e-9 && whole >= 2 && static_cast<Index>(whole) % 2 == 0,
            "encoding rope: fraction {} of head width {} is {} rotated dimensions; expected an even number "
            "of 2 or more",
            fraction, head_dim, width);
    return static_cast<Index>(whole);
}

// floor(fraction * head_dim / 2) pairs of the whole head turn.
Index turning_pairs(double fraction, Index head_dim) {
    require(head_dim % 2 == 0, "encoding rope: expected an even head width, found {}", head_dim);
    const double pairs = fraction * static_cast<double>(head_dim) / 2;
    const auto whole =
        static_cast<Index>(std::floor(pairs + 1e-9));  // 0.7 * 20 / 2 is 7, whatever its rounding
    require(whole >= 1, "encoding rope: fraction {} of head width {} is {} pairs; expected 1 or more",
            fraction, head_dim, pairs);
    return whole;
}

class Rope : public RotaryEncoding {
  public:
    Rope(const Options& options, const EncodingShape& shape)
        : RotaryEncoding("rope", options, width_of(options, shape.head_dim), shape.train_length),
          proportional_(is_proportional(options)),
          width_(width_of(options, shape.head_dim)),
          turning_(proportional_ ? turning_pairs(options.number("fraction"), shape.head_dim) : width_ / 2),
          options_(options) {
        changed_at(shape.train_length);  // refuses a band before any work
    }

    void describe(EncodingCard& card, const CardRequest& request) const override {
        RotaryEncoding::describe(card, request);
        const Frequencies frequencies = changed_at(request.length);
        if (const auto band = frequencies.conventions.find("band"); band != frequencies.conventions.end())
            card.conventions["band"] = band->second;
        card.conventions["rotated dimensions"] =
            proportional_ ? fmt::format("{}: the first {} of {} pairs", 2 * turning_, turning_, width_ / 2)
                          : std::to_string(width_);
        card.conventions["denominator of the exponent"] =
            proportional_ ? "head width (proportional)" : "rotated dimensions";
    }

  private:
    static bool is_proportional(const Options& options) {
        return options.text("fraction_form") == "proportional";
    }
    static Index width_of(const Options& options, Index head_dim) {
        return is_proportional(options) ? head_dim : partial_width(options.number("fraction"), head_dim);
    }

    // Of the rule, without the pairs that stand, and with the band that is treated in its own way.
    Frequencies changed_at(Index length) const {
        Frequencies frequencies = frequencies_at(length);
        for (auto* inverse : {&frequencies.inverse, &frequencies.early})
            if (!inverse->empty()) std::fill(inverse->begin() + turning_, inverse->end(), 0.0);
        apply_band(frequencies, options_);
        return frequencies;
    }

    RotaryPairs pairs_at(Index length) const override { return RotaryPairs(changed_at(length)); }

    bool proportional_;
    Index width_, turning_;  // dimensions that the rule sees; pairs that turn
    Options options_;
};

std::vector<Option> with_band(std::vector<Option> options) {
    for (Option& option : band_options()) options.push_back(std::move(option));
    return options;
}

const bool rope_registered = EncodingRegistry::instance().add(
    "rope",
    {.doc = "rotation of query and key pairs by position (RoFormer, arXiv:2104.09864)",
     .options = with_band(
         {{.name = "base", .standard = 10000.0, .doc = "rope_theta: base of the frequencies", .min = 1},
          {.name = "fraction",
           .standard = 1.0,
           .doc = "partial_rotary_factor: share of a head that is rotated",
           .min = 0,
           .max = 1},
          {.name = "fraction_form",
           .standard = std::string("partial"),
           .doc = "partial: base^(-2i/n) in the first n = fraction d dimensions (GPT-J); proportional: "
                  "base^(-2i/d) in the first fraction d/2 pairs, the slower ones stand (p-RoPE, "
                  "arXiv:2410.06205)",
           .choices = {"partial", "proportional"}},
          pairing_option("half_split")}),
     .scaling = ScalingSupport::every_rule,
     .make = [](const Options& options, const EncodingShape& shape, const ParameterScope&) {
         return std::make_unique<Rope>(options, shape);
     }});

}  // namespace

}  // namespace LOCUS_SCALAR
}  // namespace locus
