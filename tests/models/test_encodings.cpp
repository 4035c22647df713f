// Two encodings that exist in the tests only: one whose frequencies follow the length, and one whose keys
// depend on what is asked of them. Every test over the registry meets them.
#include <algorithm>
#include <cmath>

#include "models/encoding.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

// [1 or B, 1, T, pairs] by number(position, pair) = (cosine, sine).
template <typename Number>
Rotation rotation_of(const Positions& positions, Index pairs, const Number& number) {
    MutableTensor cos = Tensor::empty({positions.batch(), 1, positions.length(), pairs});
    MutableTensor sin = Tensor::empty(cos.shape());
    Index at = 0;
    for (Index b = 0; b < positions.batch(); ++b) {
        for (Index t = 0; t < positions.length(); ++t) {
            for (Index i = 0; i < pairs; ++i, ++at) {
                const bool placed = positions(b, t) != Positions::none;
                const auto [c, s] =
                    placed ? number(static_cast<double>(positions(b, t)), i) : std::pair(1.0, 0.0);
                cos.data()[at] = static_cast<Scalar>(c);
                sin.data()[at] = static_cast<Scalar>(s);
            }
        }
    }
    return {cos, sin, Pairing::half_split};
}

// Positions are squeezed into the trained length, whatever the length is.
class Squeezed : public PositionalEncoding {
  public:
    explicit Squeezed(const EncodingShape& shape)
        : pairs_(shape.head_dim / 2), trained_(shape.train_length) {}
    PositionTerms terms(const Positions& query, const Positions& key, const Context& context) const override {
        const double squeeze =
            static_cast<double>(trained_) / static_cast<double>(std::max(trained_, context.length));
        const auto turned = [&](double position, Index pair) {
            const double angle = position * squeeze * std::pow(50.0, -static_cast<double>(pair));
            return std::pair(std::cos(angle), std::sin(angle));
        };
        PositionTerms terms;
        terms.query = rotation_of(query, pairs_, turned);
        terms.key = rotation_of(key, pairs_, turned);
        return terms;
    }
    bool varies_by_length() const override { return true; }
    Index length_class(Index length) const override { return std::max(length, trained_); }
    void describe(EncodingCard& card, const CardRequest&) const override {
        card.conventions["test"] = "squeezed";
    }

  private:
    Index pairs_, trained_;
};

// Queries grow and keys shrink with their distance from the last query: only their product is free of it.
class Centred : public PositionalEncoding {
  public:
    explicit Centred(const EncodingShape& shape) : pairs_(shape.head_dim / 2) {}
    PositionTerms terms(const Positions& query, const Positions& key, const Context&) const override {
        const auto centre = static_cast<double>(query.max());
        const auto scaled = [&](double sign) {
            return [=](double position, Index pair) {
                const double size =
                    std::exp(sign * 0.02 * static_cast<double>(pair + 1) * (position - centre));
                return std::pair(size * std::cos(position), size * std::sin(position));
            };
        };
        PositionTerms terms;
        terms.query = rotation_of(query, pairs_, scaled(-1));
        terms.key = rotation_of(key, pairs_, scaled(1));
        return terms;
    }
    bool keys_stay_raw() const override { return true; }
    void describe(EncodingCard& card, const CardRequest&) const override {
        card.conventions["test"] = "centred";
    }

  private:
    Index pairs_;
};

template <typename Encoding>
bool add_test_encoding(const std::string& name) {
    return EncodingRegistry::instance().add(
        name, {.doc = "in the tests only",
               .options = {},
               .make = [](const Options&, const EncodingShape& shape, const ParameterScope&) {
                   return std::make_unique<Encoding>(shape);
               }});
}

const bool squeezed_registered = add_test_encoding<Squeezed>("test_squeezed");
const bool centred_registered = add_test_encoding<Centred>("test_centred");

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
