// RoPE-Mixed (RoPE-ViT, arXiv:2403.13298): every pair turns by a mixture of row and column that each head of
// each layer learns. A kind of its own beside rope_2d: it has parameters and terms in every layer, and
// neither an order of axes nor a rule for its frequencies.

#include <cmath>
#include <numbers>

#include "framework/ops/shape.h"
#include "framework/ops/waves.h"
#include "models/rotary.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

// Frequencies by row and by column of every head, [2, heads * pairs] (RoPE-ViT has its x, the column, first):
// the axial magnitudes base^(-4i/d) in a direction that is drawn for the head, and at a right angle to it.
void draw_directions(RandomStream& stream, std::span<Scalar> values, Index heads, Index pairs, double base) {
    const auto columns = static_cast<std::size_t>(heads * pairs);
    for (Index h = 0; h < heads; ++h) {
        const double drawn = 2 * std::numbers::pi * stream.uniform();
        for (Index i = 0; i < pairs; ++i) {
            const bool second = i >= pairs / 2;
            const double step = static_cast<double>(second ? i - pairs / 2 : i);
            const double magnitude = std::pow(base, -2 * step / static_cast<double>(pairs));
            const double angle = drawn + (second ? std::numbers::pi / 2 : 0);
            const auto at = static_cast<std::size_t>(h * pairs + i);
            values[at] = static_cast<Scalar>(magnitude * std::sin(angle));
            values[at + columns] = static_cast<Scalar>(magnitude * std::cos(angle));
        }
    }
}

class RopeMixed : public PositionalEncoding {
  public:
    RopeMixed(const Options& options, const EncodingShape& shape, const ParameterScope& scope)
        : base_(options.number("base")),
          heads_(shape.kv_heads),
          group_(shape.heads / shape.kv_heads),
          pairing_(pairing_of(options)) {
        require(
            shape.head_dim % 4 == 0,
            "encoding rope_mixed: expected a head width that 4 divides (two directions of pairs), found {} "
            "(model.width {} / {} heads)",
            shape.head_dim, shape.width, shape.heads);
        const Index pairs = shape.head_dim / 2;
        for (Index layer = 0; layer < shape.layers; ++layer) {
            frequencies_.push_back(
                scope.inside("layers." + std::to_string(layer))
                    .add("freqs", {2, heads_ * pairs},
                         Initial::drawn([heads = heads_, pairs, base = base_](RandomStream& stream,
                                                                              std::span<Scalar> values) {
                             draw_directions(stream, values, heads, pairs, base);
                         }),
                         Decay::never));
        }
    }

    PositionTerms terms(const Positions& query, const Positions& key, const Context& context) const override {
        require_axes("rope_mixed", query.axes());
        require_axes("rope_mixed", key.axes());
        PositionTerms terms;
        terms.key = rotation(key, context.layer);
        const Rotation shared = query == key ? terms.key : rotation(query, context.layer);
        terms.query = {repeat_heads(shared.cos, group_), repeat_heads(shared.sin, group_), pairing_};
        return terms;
    }

    bool varies_by_layer() const override { return true; }

    void describe(EncodingCard& card, const CardRequest&) const override {
        card.base = base_;
        for (const Parameter& layer : frequencies_) {
            auto& axes = card.learned_inv_freq.emplace_back();
            const Index columns = layer.value().size(1);
            for (Index axis : {0, 1}) {
                const Scalar* row = layer.value().data() + axis * columns;
                axes.emplace_back(row, row + columns);
            }
        }
        card.conventions["pairing"] = to_string(pairing_);
        card.conventions["axes"] = "0: row, 1: column; a pair turns by both";
        card.conventions["frequencies"] = fmt::format(
            "learned by each layer and key/value head; they begin as base^(-4i/d) in a direction drawn by "
            "head, "
            "and at a right angle to it; no weight decay; learned_inv_freq[layer][axis][head * {} + pair]",
            frequencies_.front().value().size(1) / heads_);
        card.conventions["token without a position"] = "not turned";
    }

  private:
    Rotation rotation(const Positions& positions, Index layer) const {
        const Waves turned = waves(frequencies_[static_cast<std::size_t>(layer)], positions, heads_);
        return {turned.cos, turned.sin, pairing_};
    }

    double base_;
    Index heads_,
        group_;  // key/value heads; query heads that share one, for whom only equal turns are relative
    Pairing pairing_;
    std::vector<Parameter> frequencies_;  // [layers] of [2, kv_heads * pairs]
};

const bool rope_mixed_registered = EncodingRegistry::instance().add(
    "rope_mixed",
    {.doc = "rotation by learned mixtures of row and column, a head and layer (RoPE-Mixed, arXiv:2403.13298)",
     .options = {{.name = "base",
                  .standard = 10.0,
                  .doc = "rope_theta of the initial frequencies (RoPE-ViT)",
                  .min = 1},
                 pairing_option("interleaved")},
     .axes = {2},
     .make = [](const Options& options, const EncodingShape& shape, const ParameterScope& scope) {
         return std::make_unique<RopeMixed>(options, shape, scope);
     }});

}  // namespace

}  // namespace LOCUS_SCALAR
}  // namespace locus
