// Rotary position embedding (arXiv:2104.09864): pairs of query and key are turned by position times a
// frequency.

#include <cmath>

#include "models/encoding.h"
#include "models/frequency_rule.h"
#include "models/table_cache.h"

namespace locus::inline LOCUS_SCALAR {

namespace {

// fraction * head_dim as an even number of dimensions; nothing is rounded silently.
Index rotary_width(double fraction, Index head_dim) {
    const double width = fraction * static_cast<double>(head_dim);
    const double whole = std::round(width);
    require(std::abs(width - whole) < 1e-9 && whole >= 2 && static_cast<Index>(whole) % 2 == 0,
            "encoding rope: fraction {} of head width {} is {} rotated dimensions; expected an even number "
            "of 2 or more",
            fraction, head_dim, width);
    return static_cast<Index>(whole);
}

class Rope : public PositionalEncoding {
  public:
    Rope(const Options& options, const EncodingShape& shape)
        : fraction_(options.number("fraction")),
          pairing_(options.text("pairing") == "interleaved" ? Pairing::interleaved : Pairing::half_split),
          rule_(FrequencyRegistry::instance().at("plain")),
          request_{rotary_width(fraction_, shape.head_dim), options.number("base"), shape.train_length, 0} {}

    PositionTerms terms(const Positions& query, const Positions& key, const Context& context) const override {
        PositionTerms terms;
        terms.query = rotation(query_tables_, query, context.length);
        terms.key = query == key ? terms.query : rotation(key_tables_, key, context.length);
        return terms;
    }

    bool varies_by_length() const override { return rule_.varies_by_length; }

    void describe(EncodingCard& card, const CardRequest& request) const override {
        const Frequencies frequencies = frequencies_at(request.length);
        card.base = request_.base;
        card.inv_freq = frequencies.inverse;
        card.magnitude = frequencies.magnitude;
        card.conventions["pairing"] =
            pairing_ == Pairing::interleaved ? "interleaved (2i, 2i + 1)" : "half_split (i, i + pairs)";
        card.conventions["rotated dimensions"] = std::to_string(request_.width);
        card.conventions["denominator of the exponent"] = "rotated dimensions";
    }

  private:
    Frequencies frequencies_at(Index length) const {
        FrequencyRequest request = request_;
        request.length = length;
        return rule_.frequencies(request, Options(rule_.options));
    }

    Rotation rotation(const TableCache& cache, const Positions& positions, Index length) const {
        require(positions.axes() == 1, "encoding rope: expected one axis of positions, found {}",
                positions.axes());
        const auto tables =
            cache.get(positions, varies_by_length() ? length : 0, [&] { return make(positions, length); });
        return {tables[0], tables[1], pairing_};
    }

    // [1 or B, 1, T, pairs]; angles are formed in double and then cast. A token without a position is not
    // turned.
    std::vector<Tensor> make(const Positions& positions, Index length) const {
        const Frequencies frequencies = frequencies_at(length);
        const auto pairs = static_cast<Index>(frequencies.inverse.size());
        const Shape shape{positions.batch(), 1, positions.length(), pairs};
        Tensor cos = Tensor::empty(shape), sin = Tensor::empty(shape);
        Index at = 0;
        for (Index b = 0; b < positions.batch(); ++b) {
            for (Index t = 0; t < positions.length(); ++t) {
                for (double inverse : frequencies.inverse) {
                    const bool placed = positions(b, t) != Positions::none;
                    const double angle = placed ? static_cast<double>(positions(b, t)) * inverse : 0;
                    const double magnitude = placed ? frequencies.magnitude : 1;
                    cos.data()[at] = static_cast<Scalar>(magnitude * std::cos(angle));
                    sin.data()[at++] = static_cast<Scalar>(magnitude * std::sin(angle));
                }
            }
        }
        return {cos, sin};
    }

    double fraction_;
    Pairing pairing_;
    const FrequencyRule& rule_;
    FrequencyRequest request_;
    TableCache query_tables_, key_tables_;
};

const bool rope_registered = EncodingRegistry::instance().add(
    "rope",
    {.doc = "rotation of query and key pairs by position (RoFormer, arXiv:2104.09864)",
     .options =
         {{.name = "base", .standard = 10000.0, .doc = "rope_theta: base of the frequencies", .least = 1},
          {.name = "fraction",
           .standard = 1.0,
           .doc = "partial_rotary_factor: share of a head that is rotated",
           .least = 0,
           .most = 1},
          {.name = "pairing",
           .standard = std::string("half_split"),
           .doc = "pairs (2i, 2i + 1) as in RoFormer, or (i, i + pairs) as in GPT-NeoX and Hugging Face",
           .choices = {"interleaved", "half_split"}}},
     .make = [](const Options& options, const EncodingShape& shape, const ParameterScope&) {
         return std::make_unique<Rope>(options, shape);
     }});

}  // namespace

}  // namespace locus::inline LOCUS_SCALAR
