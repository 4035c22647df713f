// xPos (arXiv:2212.10554): RoPE whose queries shrink and keys grow with the position, so that each pair's
// part of a logit decays with the distance as zeta^(distance / scale_base).

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/rotary.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

Index even_head(Index head_dim) {
    require(head_dim % 2 == 0, "encoding xpos: expected an even head width, found {}", head_dim);
    return head_dim;
}

class Xpos : public RotaryEncoding {
  public:
    Xpos(const Options& options, const EncodingShape& shape)
        : RotaryEncoding("xpos", options, even_head(shape.head_dim), shape.train_length),
          scale_base_(options.number("scale_base")),
          gamma_(options.number("gamma")),
          centre_(options.integer("centre")),
          causal_(shape.site == Site::self_causal) {
        require(scale_base_ >= 1, "encoding xpos: scale_base: expected at least 1, found {}", scale_base_);
        const auto width = static_cast<double>(shape.head_dim);
        for (Index i = 0; i < shape.head_dim / 2; ++i)
            zeta_.push_back((2 * static_cast<double>(i) + gamma_ * width) / ((1 + gamma_) * width));
    }

    PositionTerms terms(const Positions& query, const Positions& key, const Context& context) const override {
        const auto make = [&](double sign) {
            return [this, sign, length = context.length](const Positions& positions) {
                require_axes(kind_, positions.axes());
                require_range(positions.min());
                require_range(positions.max());
                return rotary_tables(positions, signed_pairs(length, sign));
            };
        };
        return tables_.terms(query, key, table_length(context), pairing_, make(1), make(-1));
    }

    /// Beyond these positions a query's magnitude times a key's would overflow.
    std::optional<Index> longest() const override { return centre_ + reach() + 1; }

    void describe(EncodingCard& card, const CardRequest& request) const override {
        RotaryEncoding::describe(card, request);
        const RotaryPairs query = pairs_at(request.length), key = signed_pairs(request.length, -1);
        card.zeta = zeta_;
        for (std::int64_t position : request.positions) {
            require_range(position);
            card.query_magnitude.push_back(magnitudes(query, position));
            card.key_magnitude.push_back(magnitudes(key, position));
        }
        card.conventions["decay"] = fmt::format(
            "query times zeta^((p - {0}) / {1}), key times zeta^(-(p - {0}) / {1}), zeta = (2i + {2} d) / "
            "({3} d)",
            centre_, scale_base_, gamma_, 1 + gamma_);
        card.conventions["centre"] =
            fmt::format("fixed at {}, so that cached keys stay right; it cancels from every logit", centre_);
        card.conventions["denominator of the exponent"] = "head width";
        card.conventions["blockwise causal attention"] = "none; the paper's results beyond its length use it";
        if (!causal_)
            card.conventions["later keys"] = "grow with the distance: xPos is made for causal masks";
    }

  private:
    RotaryPairs pairs_at(Index length) const override { return signed_pairs(length, 1); }  // of queries

    RotaryPairs signed_pairs(Index length, double sign) const {
        RotaryPairs pairs(frequencies_at(length));
        pairs.centre = centre_;
        for (double zeta : zeta_) pairs.log_magnitude_slope.push_back(sign * std::log(zeta) / scale_base_);
        return pairs;
    }

    std::vector<double> magnitudes(const RotaryPairs& pairs, std::int64_t position) const {
        std::vector<double> row;
        for (std::size_t i = 0; i < zeta_.size(); ++i) row.push_back(pairs.magnitude_at(i, position));
        return row;
    }

    // A query's magnitude times a key's must not overflow, even where a mask then hides the logit.
    std::int64_t reach() const {
        const double max = std::log(static_cast<double>(std::numeric_limits<Scalar>::max())) / 2 - 1;
        const double positions = max * scale_base_ / -std::log(zeta_.front());
        return static_cast<std::int64_t>(std::min(positions, 1e15));  // scale_base may be any number
    }

    void require_range(std::int64_t position) const {
        require(
            std::abs(position - centre_) <= reach(),
            "encoding xpos: position {} is {} from the centre {}; with scale_base {} numbers of this build "
            "hold {}",
            position, std::abs(position - centre_), centre_, scale_base_, reach());
    }

    double scale_base_, gamma_;
    std::int64_t centre_;
    bool causal_;
    std::vector<double> zeta_;  // [pairs]
};

const bool xpos_registered = EncodingRegistry::instance().add(
    "xpos",
    {.doc = "rotation with a decay by distance, shared by query and key (xPos, arXiv:2212.10554)",
     .options =
         {{.name = "base", .standard = 10000.0, .doc = "rope_theta: base of the frequencies", .min = 1},
          {.name = "scale_base",
           .standard = 0.0,
           .doc = "xpos_scale_base: distance over which a pair decays by its zeta; 0: train.length / 2 (the "
                  "paper's 512 was for 1024 and is hardly any decay in short windows)",
           .min = 0},
          {.name = "gamma",
           .standard = 0.4,
           .doc = "zeta_i = (2i + gamma d) / ((1 + gamma) d)",
           .min = 0.001,
           .max = 1000},
          {.name = "centre",
           .standard = Index{-1},
           .doc = "position whose magnitude is 1; -1: the middle of train.length",
           .min = -1},
          pairing_option("interleaved")},
     .scaling = ScalingSupport::every_rule,
     .resolve =
         [](Options& options, const EncodingShape& shape) {
             if (options.number("scale_base") == 0)
                 options.set("scale_base", std::max<double>(1, static_cast<double>(shape.train_length) / 2));
             if (options.integer("centre") < 0) options.set("centre", shape.train_length / 2);
         },
     .make = [](const Options& options, const EncodingShape& shape,
                const ParameterScope&) { return std::make_unique<Xpos>(options, shape); }});

}  // namespace

}  // namespace LOCUS_SCALAR
}  // namespace locus
