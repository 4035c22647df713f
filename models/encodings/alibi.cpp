// ALiBi (arXiv:2108.12409): a penalty proportional to the distance, added to the scaled logits.

#include <cmath>

#include "models/distances.h"
#include "models/encoding.h"

namespace locus::inline LOCUS_SCALAR {

namespace {

std::vector<double> geometric_slopes(Index heads) {
    std::vector<double> slopes;
    for (Index h = 1; h <= heads; ++h) {
        slopes.push_back(std::exp2(-8.0 * static_cast<double>(h) / static_cast<double>(heads)));
    }
    return slopes;
}

// The rule of the authors' code for any head count: the slopes of the power of two below, then every second
// of the slopes of twice as many.
std::vector<double> alibi_slopes(Index heads) {
    Index power = 1;
    while (2 * power <= heads) power *= 2;
    std::vector<double> slopes = geometric_slopes(power);
    const std::vector<double> finer = geometric_slopes(2 * power);
    for (std::size_t i = 0; static_cast<Index>(slopes.size()) < heads; i += 2) slopes.push_back(finer[i]);
    return slopes;
}

class Alibi : public PositionalEncoding {
  public:
    explicit Alibi(const EncodingShape& shape) : slopes_(alibi_slopes(shape.heads)) {}

    PositionTerms terms(const Positions& query, const Positions& key, const Context&) const override {
        PositionTerms terms;
        terms.bias = distance_bias(query, key);
        const auto heads = static_cast<Index>(slopes_.size()),
                   count = static_cast<Index>(terms.bias.rows.size());
        Tensor table = Tensor::empty({heads, count});
        for (Index h = 0; h < heads; ++h) {
            for (Index d = 0; d < count; ++d) {
                terms.bias.rows[static_cast<std::size_t>(d)] = static_cast<std::int32_t>(d);
                table.data()[h * count + d] = static_cast<Scalar>(bias(h, terms.bias.first + d));
            }
        }
        terms.bias.table = table;
        return terms;
    }

    void describe(EncodingCard& card, const CardRequest& request) const override {
        card.slopes = slopes_;
        card.conventions["slopes"] = "the authors' code: powers of two, then every second of twice as many";
        card.conventions["bias"] = "-slope |distance|, added after the logits are scaled";
        card.distances = request.distances;
        card.bias.resize(slopes_.size());
        for (std::size_t k = 0; k < request.distances.size(); ++k) {
            card.rows.push_back(static_cast<std::int32_t>(k));
            for (std::size_t h = 0; h < slopes_.size(); ++h) {
                card.bias[h].push_back(bias(static_cast<Index>(h), request.distances[k]));
            }
        }
    }

  private:
    double bias(Index head, std::int64_t distance) const {
        return -slopes_[static_cast<std::size_t>(head)] * static_cast<double>(std::abs(distance));
    }

    std::vector<double> slopes_;  // [heads]
};

const bool alibi_registered = EncodingRegistry::instance().add(
    "alibi", {.doc = "a penalty linear in the distance, by fixed slopes a head (arXiv:2108.12409)",
              .options = {},
              .make = [](const Options&, const EncodingShape& shape, const ParameterScope&) {
                  return std::make_unique<Alibi>(shape);
              }});

}  // namespace

}  // namespace locus::inline LOCUS_SCALAR
