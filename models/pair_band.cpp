#include "models/pair_band.h"

#include <algorithm>
#include <charconv>

namespace locus {

namespace {

struct Band {
    Index first, last;
};

Band parse_band(const std::string& text, Index pairs) {
    Band band{-1, -1};
    const char* end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, band.first);
    const bool has_dash = first.ec == std::errc() && first.ptr != end && *first.ptr == '-';
    const auto last = has_dash ? std::from_chars(first.ptr + 1, end, band.last) : first;
    require(
        has_dash && last.ec == std::errc() && last.ptr == end && band.first <= band.last && band.last < pairs,
        "encoding rope: band: expected the first and the last of pairs 0 to {} as '0-3', found '{}'",
        pairs - 1, text);
    return band;
}

}  // namespace

std::vector<Option> band_options() {
    return {{.name = "band",
             .standard = std::string(),
             .doc = "pairs that band_form is about, as '0-3'; pair 0 turns fastest; empty: none"},
            {.name = "band_form",
             .standard = std::string("still"),
             .doc = "still: the pairs do not turn; linear: they turn band_factor times slower, so that "
                    "positions band_factor times as far see the angles of training",
             .choices = {"still", "linear"}},
            {.name = "band_factor", .standard = 1.0, .doc = "of band_form: linear", .min = 1}};
}

bool is_of_band(const std::string& option) {
    const std::vector<Option> own = band_options();
    return std::any_of(own.begin(), own.end(), [&](const Option& one) { return one.name == option; });
}

void apply_band(Frequencies& frequencies, const Options& options) {
    const std::string& text = options.text("band");
    const bool linear = options.text("band_form") == "linear";
    const double factor = options.number("band_factor");
    require(linear || factor == 1, "encoding rope: band_factor {} belongs to band_form: linear", factor);
    require(!text.empty() || (!linear && factor == 1),
            "encoding rope: band_form and band_factor need a band");
    if (text.empty()) return;
    const Band band = parse_band(text, static_cast<Index>(frequencies.inverse.size()));
    for (auto* inverse : {&frequencies.inverse, &frequencies.early}) {
        for (Index i = band.first; i <= band.last && !inverse->empty(); ++i) {
            double& theta = (*inverse)[static_cast<std::size_t>(i)];
            theta = linear ? theta / factor : 0;
        }
    }
    frequencies.conventions["band"] =
        linear ? fmt::format("pairs {} to {} turn {} times slower", band.first, band.last, factor)
               : fmt::format("pairs {} to {} do not turn", band.first, band.last);
}

}  // namespace locus
