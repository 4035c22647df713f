// What the rotary encodings share: frequencies by a rule, and tables of cosine and sine.
#pragma once

#include <string>
#include <vector>

#include "models/encoding.h"
#include "models/scaling.h"
#include "models/table_cache.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// The option `pairing`, and what was chosen.
Option pairing_option(const std::string& standard);
Pairing pairing_of(const Options& options);
std::string to_string(Pairing pairing);

/// Frequencies of an encoding by the rule that its recipe asks for.
class RotaryFrequencies {
  public:
    /// `request` has the training length; the rule's own original length goes before it. Throws a usage Error
    /// for options that the rule refuses.
    RotaryFrequencies(FrequencyRequest request, const Options& options);

    Frequencies at(Index length) const;
    /// Lengths of one class have the same frequencies; 0 for all where the rule does not look at the length.
    Index length_class(Index length) const;
    double base() const { return request_.base; }
    const std::string& rule() const { return scaling_.type; }
    bool varies_by_length() const { return rule_.varies_by_length; }

  private:
    Scaling scaling_;
    const FrequencyRule& rule_;
    FrequencyRequest request_;
};

/// How each pair of a head turns: by inverse * position on its axis, in radians.
struct RotaryPairs {
    std::vector<double> inverse = {};              // [pairs]
    std::vector<Index> axis = {};                  // [pairs]; none: the first axis for all
    std::vector<double> log_magnitude_slope = {};  // [pairs], of a magnitude that grows with the position
    std::int64_t centre = 0;                       // where that magnitude is 1
    double magnitude = 1;
    std::vector<double> early = {};    // [pairs], instead of `inverse` at positions below early_positions
    std::int64_t early_positions = 0;  // 0: none
    double early_magnitude = 1;        // instead of `magnitude`, there

    RotaryPairs() = default;
    explicit RotaryPairs(const Frequencies& frequencies)
        : inverse(frequencies.inverse),
          magnitude(frequencies.magnitude),
          early(frequencies.early),
          early_positions(frequencies.early_positions),
          early_magnitude(frequencies.early_magnitude) {}

    double inverse_at(std::size_t pair, std::int64_t position) const {
        return !early.empty() && position < early_positions ? early[pair] : inverse[pair];
    }

    /// What cosine and sine of a pair are multiplied by at a position. A pair that never turns keeps its
    /// length, as dimensions that are left out of the rotation do.
    double magnitude_at(std::size_t pair, std::int64_t position) const;
};

/// Cosines and sines [1 or B, 1, T, pairs] at these positions. Angles are formed in double and then cast. A
/// token without a position is not turned. Positions of one axis stand for all axes, so that text turns every
/// pair as plain RoPE does, bit for bit. Throws for an axis that the positions lack.
std::vector<Tensor> rotary_tables(const Positions& positions, const RotaryPairs& pairs);

/// Keeps the tables of queries and of keys that were asked for last.
class RotaryTables {
  public:
    using Make = std::function<std::vector<Tensor>(const Positions&)>;

    /// The terms with one kind of table for queries and keys; made once where both stand at the same places.
    PositionTerms terms(const Positions& query, const Positions& key, Index length, Pairing pairing,
                        const Make& make) const;
    /// The terms with tables of their own for queries and for keys.
    PositionTerms terms(const Positions& query, const Positions& key, Index length, Pairing pairing,
                        const Make& make_query, const Make& make_key) const;

  private:
    TableCache query_, key_;
};

/// An encoding that turns pairs of query and key: the derived class says how.
class RotaryEncoding : public PositionalEncoding {
  public:
    PositionTerms terms(const Positions& query, const Positions& key, const Context& context) const override;
    bool varies_by_length() const override { return frequencies_.varies_by_length(); }
    Index length_class(Index length) const override { return frequencies_.length_class(length); }
    void describe(EncodingCard& card, const CardRequest& request) const override;

  protected:
    /// `kind` is the name in the registry. Reads `base` and `pairing` of the options; `width` is the number
    /// of dimensions that the frequency rule sees.
    RotaryEncoding(std::string kind, const Options& options, Index width, Index train_length);

    virtual RotaryPairs pairs_at(Index length) const = 0;
    /// Of the rule, before the encoding's own changes.
    Frequencies frequencies_at(Index length) const { return frequencies_.at(length); }
    Index table_length(const Context& context) const { return length_class(context.length); }

    const std::string kind_;
    const Pairing pairing_;
    RotaryTables tables_;

  private:
    RotaryFrequencies frequencies_;
};

}  // namespace LOCUS_SCALAR
}  // namespace locus
