// FIRE (arXiv:2310.04418): a small network on the distance, normalised by the query's position.

#include <cmath>

#include "framework/ops/elementwise.h"
#include "framework/ops/matmul.h"
#include "framework/ops/pairs.h"
#include "framework/ops/shape.h"
#include "models/distances.h"
#include "models/encoding.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

class Fire : public PositionalEncoding {
  public:
    Fire(const Options& options, const EncodingShape& shape, const ParameterScope& scope)
        : heads_(shape.heads),
          mlp_width_(options.integer("mlp_width")),
          init_length_(options.number("init_L")),
          threshold_(options.flag("threshold")),
          c_(scope.add("c", {1}, constant(options.number("init_c")))),
          hidden_(scope.inside("hidden"), mlp_width_, 1),
          output_(scope.inside("output"), shape.heads, mlp_width_) {
        if (threshold_) multiplier_ = scope.add("L_multiplier", {1}, Initial::ones());
    }

    PositionTerms terms(const Positions& query, const Positions& key, const Context&) const override {
        require(query.axes() == 1 && key.axes() == 1,
                "encoding fire: expected one axis of positions, found {} and {}", query.axes(), key.axes());
        PositionTerms terms;
        terms.pair_bias = [this](const Positions& q, const Positions& k) { return bias(q, k); };
        return terms;
    }

    // The network's two layers on every pair of a query and a key that it sees, once for all layers.
    double flops_per_token(Index length) const override {
        return 6 * static_cast<double>(mlp_width_ * (1 + heads_)) * mean_rows_met(length, length);
    }

    void describe(EncodingCard& card, const CardRequest& request) const override {
        card.conventions["u"] =
            "psi(i - j) / (psi(max(i, L)) + 1e-6), psi(x) = ln(1 + |c x|), i the query's position";
        card.conventions["c"] = fmt::format("{}", c_.value().data()[0]);
        card.conventions["L"] =
            threshold_ ? fmt::format("{}", std::abs(multiplier_.value().data()[0] * init_length_))
                       : "0 (no threshold)";
        card.conventions["bias of the card"] = "for queries at position max(distance, 0)";
        card.distances = request.distances;
        card.bias.assign(static_cast<std::size_t>(heads_), {});
        for (std::int64_t distance : request.distances) {
            card.rows.push_back(static_cast<std::int32_t>(card.rows.size()));  // no table: one per distance
            const std::int64_t i = std::max<std::int64_t>(distance, 0);
            const Variable at = bias(Positions::consecutive(1, i), Positions::consecutive(1, i - distance));
            for (Index h = 0; h < heads_; ++h)
                card.bias[static_cast<std::size_t>(h)].push_back(at.value().data()[h]);
        }
    }

  private:
    // Weight and bias of a layer of the network, with PyTorch's spread of uniform initial values.
    struct Layer {
        Layer(const ParameterScope& scope, Index out, Index in)
            : weight(scope.add("weight", {out, in},
                               Initial::normal(1 / std::sqrt(3.0 * static_cast<double>(in))))),
              bias(scope.add("bias", {out}, Initial::normal(1 / std::sqrt(3.0 * static_cast<double>(in))))) {}
        Variable operator()(const Variable& x) const { return linear(x, weight, bias); }
        Parameter weight, bias;
    };

    static Initial constant(double value) { return {Initial::Kind::constant, value}; }

    static Variable absolute(const Variable& x) { return add(relu(x), relu(scale(x, -1))); }

    // ln(1 + |c x|)
    Variable psi(const Variable& x) const {
        return logarithm(add(absolute(multiply(x, c_)), Variable(Tensor::full({1}, 1))));
    }

    // 1 / (psi(max(i, L)) + 1e-6) of every query: [1 or B, 1, Tq, 1].
    Variable normaliser(const Positions& query) const {
        MutableTensor index = Tensor::empty({query.batch(), 1, query.length(), 1});
        for (Index n = 0; n < index.count(); ++n) {
            const std::int64_t i = query.row(n / query.length())[n % query.length()];
            index.data()[n] = static_cast<Scalar>(i == Positions::none ? 0 : i);
        }
        Variable reach(index);
        if (threshold_) {  // max(i, L) = i + relu(L - i)
            const Variable length = absolute(scale(multiplier_, static_cast<Scalar>(init_length_)));
            reach = add(reach, relu(add(length, scale(reach, -1))));
        }
        return reciprocal(add(psi(reach), Variable(Tensor::full({1}, static_cast<Scalar>(1e-6)))));
    }

    // [1 or B, H, Tq, Tk]; the hidden layer is held for these pairs only.
    Variable bias(const Positions& query, const Positions& key) const {
        const RelativeVectors map = relative_vectors(query, key);
        const auto count = static_cast<Index>(map.rows.size());
        MutableTensor distances = Tensor::empty({1, count});
        WorkVector<std::int32_t> rows;
        for (Index i = 0; i < count; ++i) {
            distances.data()[i] = static_cast<Scalar>(map.first + i);
            rows.push_back(static_cast<std::int32_t>(i));
        }
        PairRows pairs = pair_rows(query, key, map.first, rows);
        const Index sheets = pairs.sheets, area = pairs.queries * pairs.keys;
        MutableTensor placed = Tensor::full({sheets, 1, pairs.queries, pairs.keys}, 1);
        for (std::size_t i = 0; i < pairs.rows.size(); ++i) {
            if (pairs.rows[i] < 0) placed.data()[i] = 0;
        }
        const Variable psi_of_pairs = reshape(take_columns(psi(distances), std::move(pairs.rows)),
                                              {sheets, 1, pairs.queries, pairs.keys});
        const Variable u = multiply(psi_of_pairs, normaliser(query));
        const Variable values = output_(relu(hidden_(reshape(u, {sheets, area, 1}))));  // [sheets, area, H]
        const Variable by_head = split_heads(values, 0, heads_, 1);
        return multiply(reshape(by_head, {sheets, heads_, pairs.queries, pairs.keys}), placed);
    }

    Index heads_, mlp_width_;
    double init_length_;
    bool threshold_;
    Parameter c_, multiplier_;
    Layer hidden_, output_;
};

const bool fire_registered = EncodingRegistry::instance().add(
    "fire",
    {.doc = "a small network on the distance, normalised by the query's position (FIRE, arXiv:2310.04418)",
     .options =
         {{.name = "init_c", .standard = 0.1, .doc = "c at the beginning; learned", .min = 1e-6, .max = 1e6},
          {.name = "init_L",
           .standard = 0.0,
           .doc =
               "threshold at the beginning, scaled by a learned factor; 0: train.length / 2 (the paper's 512 "
               "at train length 2048 would never be passed in short windows)",
           .min = 0},
          {.name = "threshold", .standard = true, .doc = "normalise by max(i, L); false: by i"},
          {.name = "mlp_width",
           .standard = Index{32},
           .doc = "width of the hidden layer",
           .min = 1,
           .max = 4096}},
     .resolve =
         [](Options& options, const EncodingShape& shape) {
             if (options.number("init_L") == 0)
                 options.set("init_L", std::max<double>(1, static_cast<double>(shape.train_length) / 2));
         },
     .make = [](const Options& options, const EncodingShape& shape,
                const ParameterScope& scope) { return std::make_unique<Fire>(options, shape, scope); }});

}  // namespace

}  // namespace LOCUS_SCALAR
}  // namespace locus
