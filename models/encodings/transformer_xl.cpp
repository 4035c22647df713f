// The relative form of Transformer-XL (arXiv:1901.02860): (q + u) k + (q + v) (W_kR R_d), R_d a sinusoid of
// the distance.

#include <cmath>
#include <numeric>

#include "framework/ops/matmul.h"
#include "framework/ops/shape.h"
#include "models/distances.h"
#include "models/encoding.h"
#include "models/table_cache.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

class TransformerXl : public PositionalEncoding {
  public:
    TransformerXl(const Options& options, const EncodingShape& shape, const ParameterScope& scope)
        : shape_(shape),
          clamp_(options.integer("clamp_len")),
          content_(scope, "pos_bias_u", shape, options.flag("untie_r")),
          position_(scope, "pos_bias_v", shape, options.flag("untie_r")) {
        require(shape.width % 2 == 0, "encoding transformer_xl: expected an even model.width, found {}",
                shape.width);
        for (Index layer = 0; layer < shape.layers; ++layer) {
            projections_.push_back(scope.add_matrix("layer." + std::to_string(layer) + ".r_net.weight",
                                                    {shape.heads * shape.head_dim, shape.width},
                                                    Initial::normal(shape.deviation)));
        }
    }

    PositionTerms terms(const Positions& query, const Positions& key, const Context& context) const override {
        PositionTerms terms;
        RelativeVectors& keys = terms.relative_keys;
        keys = relative_vectors(query, key);
        const auto count = static_cast<Index>(keys.rows.size());
        std::iota(keys.rows.begin(), keys.rows.end(), 0);
        const Variable projected =
            linear(sinusoids(keys.first, count), projections_[static_cast<std::size_t>(context.layer)]);
        keys.table = reshape(split_heads(projected, 0, shape_.heads, shape_.head_dim),
                             {shape_.heads, count, shape_.head_dim});
        terms.content_bias = content_.of_layer(context.layer);
        terms.position_bias = position_.of_layer(context.layer);
        return terms;
    }

    bool varies_by_layer() const override { return true; }

    // (q + v) times the projected sinusoids of the distances that a query sees. The projection itself is that
    // of one distance per token.
    double flops_per_token(Index length) const override {
        const auto width = static_cast<double>(shape_.layers * shape_.heads * shape_.head_dim);
        return 6 * width * mean_rows_met(length, length);
    }

    void describe(EncodingCard& card, const CardRequest& request) const override {
        card.base = base;
        for (Index i = 0; i < shape_.width / 2; ++i) card.inv_freq.push_back(frequency(i));
        for (std::int64_t position : request.positions) {
            card.embedding.emplace_back();
            for (Index c = 0; c < shape_.width; ++c) card.embedding.back().push_back(wave_of(c)(position));
        }
        card.conventions["embedding"] =
            "R of a distance, not added to tokens: [sin | cos] over the model width";
        card.conventions["u and v"] = content_.tied() ? "shared by the layers" : "a layer each";
        card.conventions["clamp_len"] = clamp_ == 0 ? "none" : std::to_string(clamp_);
        card.conventions["scale"] = "on both terms of a logit";
        card.conventions["memory"] = "none: segments are whole windows";
    }

  private:
    static constexpr double base = 10000;

    // u or v: [heads, head_dim], one for all layers or one per layer.
    class QueryBias {
      public:
        QueryBias(const ParameterScope& scope, const std::string& name, const EncodingShape& shape,
                  bool untied) {
            for (Index layer = 0; layer < (untied ? shape.layers : 1); ++layer) {
                const std::string own = untied ? "layer." + std::to_string(layer) + "." + name : name;
                values_.push_back(
                    scope.add(own, {shape.heads, shape.head_dim}, Initial::normal(shape.deviation)));
            }
        }
        const Parameter& of_layer(Index layer) const {
            return values_[tied() ? 0 : static_cast<std::size_t>(layer)];
        }
        bool tied() const { return values_.size() == 1; }

      private:
        std::vector<Parameter> values_;
    };

    double frequency(Index i) const {
        return std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(shape_.width));
    }

    // A component of R_t = [sin(t w) | cos(t w)], with t cut at clamp_len.
    struct Wave {
        double frequency;
        bool sine;
        Index clamp;
        double operator()(std::int64_t distance) const {
            const std::int64_t t = clamp == 0 ? distance : std::min<std::int64_t>(distance, clamp);
            const double angle = static_cast<double>(t) * frequency;
            return sine ? std::sin(angle) : std::cos(angle);
        }
    };
    Wave wave_of(Index c) const {
        const Index half = shape_.width / 2;
        return {frequency(c % half), c < half, clamp_};
    }

    // Those of `count` distances from `first` on: [1, count, width]. All layers and steps ask for the same.
    Tensor sinusoids(std::int64_t first, Index count) const {
        const Positions ends(1, 2, 1, {first, first + count});
        return sinusoids_
            .get(ends, 0,
                 [&] {
                     MutableTensor table = Tensor::empty({1, count, shape_.width});
                     for (Index c = 0; c < shape_.width; ++c) {
                         const Wave wave = wave_of(c);
                         for (Index i = 0; i < count; ++i)
                             table.data()[i * shape_.width + c] = static_cast<Scalar>(wave(first + i));
                     }
                     return std::vector<Tensor>{table};
                 })
            .front();
    }

    EncodingShape shape_;
    Index clamp_;
    TableCache sinusoids_;
    QueryBias content_, position_;
    std::vector<Parameter> projections_;  // W_kR by layer, [heads * head_dim, width]
};

const bool transformer_xl_registered = EncodingRegistry::instance().add(
    "transformer_xl",
    {.doc = "projected sinusoids of the distance and two learned query biases (Transformer-XL, "
            "arXiv:1901.02860)",
     .options = {{.name = "clamp_len",
                  .standard = Index{0},
                  .doc = "distances beyond it count as it; 0: none",
                  .min = 0},
                 {.name = "untie_r", .standard = false, .doc = "own u and v in every layer; false: shared"}},
     .make = [](const Options& options, const EncodingShape& shape, const ParameterScope& scope) {
         return std::make_unique<TransformerXl>(options, shape, scope);
     }});

}  // namespace

}  // namespace LOCUS_SCALAR
}  // namespace locus
