// An example, from no paper: a penalty quadratic in the distance, -(distance / sigma)^2 / 2, the same for
// every head.
#include "models/encoding.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

class Gaussian : public PositionalEncoding {
  public:
    Gaussian(const Options& options, const EncodingShape& shape)
        : heads_(shape.heads), sigma_(options.number("sigma")) {}

    PositionTerms terms(const Positions& query, const Positions& key, const Context&) const override {
        PositionTerms terms;
        terms.bias.first = query.min() - key.max();
        const Index distances = query.max() - key.min() - terms.bias.first + 1;
        const MutableTensor table = Tensor::empty({heads_, distances});
        for (Index i = 0; i < distances; ++i) {
            terms.bias.rows.push_back(static_cast<std::int32_t>(i));
            for (Index head = 0; head < heads_; ++head)
                table.data()[head * distances + i] = static_cast<Scalar>(bias(terms.bias.first + i));
        }
        terms.bias.table = table;
        return terms;
    }

    void describe(EncodingCard& card, const CardRequest& request) const override {
        card.distances = request.distances;
        for (Index head = 0; head < heads_; ++head) {
            card.bias.emplace_back();
            for (std::int64_t distance : request.distances) card.bias.back().push_back(bias(distance));
        }
        card.conventions["bias"] = "-(distance / sigma)^2 / 2, added after scaling";
    }

  private:
    double bias(std::int64_t distance) const {
        const double turns = static_cast<double>(distance) / sigma_;
        return -turns * turns / 2;
    }

    Index heads_;
    double sigma_;
};

const bool gaussian_registered = EncodingRegistry::instance().add(
    "gaussian", {.doc = "a penalty quadratic in the distance (an example)",
                 .options = {{.name = "sigma", .standard = 32.0, .doc = "tokens", .min = 1e-3}},
                 .make = [](const Options& options, const EncodingShape& shape, const ParameterScope&) {
                     return std::make_unique<Gaussian>(options, shape);
                 }});

}  // namespace

}  // namespace LOCUS_SCALAR
}  // namespace locus
