#include "models/rotary.h"

#include <cmath>

namespace locus {
inline namespace LOCUS_SCALAR {

Option pairing_option(const std::string& standard) {
    return {.name = "pairing",
            .standard = standard,
            .doc = "pairs (2i, 2i + 1) as in RoFormer, or (i, i + pairs) as in GPT-NeoX and Hugging Face",
            .choices = {"interleaved", "half_split"}};
}

Pairing pairing_of(const Options& options) {
    return options.text("pairing") == "interleaved" ? Pairing::interleaved : Pairing::half_split;
}

std::string to_string(Pairing pairing) {
    return pairing == Pairing::interleaved ? "interleaved (2i, 2i + 1)" : "half_split (i, i + pairs)";
}

RotaryFrequencies::RotaryFrequencies(FrequencyRequest request, const Options& options)
    : scaling_(scaling_of(options)),
      rule_(FrequencyRegistry::instance().at(scaling_.type)),
      request_(request) {
    request_.trained_length = scaling_.original_length(request.trained_length);
    at(request.trained_length);  // refuses options before any work
}

Frequencies RotaryFrequencies::at(Index length) const {
    FrequencyRequest request = request_;
    request.length = length;
    return rule_.frequencies(request, scaling_.options);
}

Index RotaryFrequencies::length_class(Index length) const {
    if (!rule_.varies_by_length) return 0;
    return rule_.length_class ? rule_.length_class(length, request_.trained_length) : length;
}

double RotaryPairs::magnitude_at(std::size_t pair, std::int64_t position) const {
    if (inverse[pair] == 0) return 1;
    const double base = position < early_positions ? early_magnitude : magnitude;
    if (log_magnitude_slope.empty()) return base;
    return base * std::exp(log_magnitude_slope[pair] * static_cast<double>(position - centre));
}

std::vector<Tensor> rotary_tables(const Positions& positions, const RotaryPairs& pairs) {
    const std::size_t count = pairs.inverse.size();
    std::vector<Index> axes(count, 0);
    if (positions.axes() > 1 && !pairs.axis.empty()) axes = pairs.axis;
    for (Index axis : axes) {
        require(axis < positions.axes(), "rotation: a pair turns by axis {}, but positions have {} axes",
                axis, positions.axes());
    }
    const Shape shape{positions.batch(), 1, positions.length(), static_cast<Index>(count)};
    MutableTensor cos = Tensor::empty(shape), sin = Tensor::empty(shape);
    Scalar *to_cos = cos.data(), *to_sin = sin.data();
    for (Index b = 0; b < positions.batch(); ++b) {
        for (Index t = 0; t < positions.length(); ++t) {
            for (std::size_t i = 0; i < count; ++i) {
                const bool placed = positions.placed(b, t);
                const std::int64_t position = placed ? positions(b, t, axes[i]) : 0;
                const double angle = static_cast<double>(position) * pairs.inverse_at(i, position);
                const double magnitude = placed ? pairs.magnitude_at(i, position) : 1;
                *to_cos++ = static_cast<Scalar>(magnitude * std::cos(angle));
                *to_sin++ = static_cast<Scalar>(magnitude * std::sin(angle));
            }
        }
    }
    return {cos, sin};
}

namespace {

Rotation rotation_of(const std::vector<Tensor>& tables, Pairing pairing) {
    return {tables[0], tables[1], pairing};
}

}  // namespace

PositionTerms RotaryTables::terms(const Positions& query, const Positions& key, Index length, Pairing pairing,
                                  const Make& make) const {
    PositionTerms terms;
    terms.query = rotation_of(query_.get(query, length, [&] { return make(query); }), pairing);
    terms.key =
        query == key ? terms.query : rotation_of(key_.get(key, length, [&] { return make(key); }), pairing);
    return terms;
}

PositionTerms RotaryTables::terms(const Positions& query, const Positions& key, Index length, Pairing pairing,
                                  const Make& make_query, const Make& make_key) const {
    PositionTerms terms;
    terms.query = rotation_of(query_.get(query, length, [&] { return make_query(query); }), pairing);
    terms.key = rotation_of(key_.get(key, length, [&] { return make_key(key); }), pairing);
    return terms;
}

RotaryEncoding::RotaryEncoding(std::string kind, const Options& options, Index width, Index train_length)
    : kind_(std::move(kind)),
      pairing_(pairing_of(options)),
      frequencies_({width, options.number("base"), train_length, 0}, options) {}

PositionTerms RotaryEncoding::terms(const Positions& query, const Positions& key,
                                    const Context& context) const {
    return tables_.terms(query, key, table_length(context), pairing_, [&](const Positions& positions) {
        require_axes(kind_, positions.axes());
        return rotary_tables(positions, pairs_at(context.length));
    });
}

void RotaryEncoding::describe(EncodingCard& card, const CardRequest& request) const {
    RotaryPairs pairs = pairs_at(request.length);
    const Frequencies frequencies = frequencies_at(request.length);
    card.base = frequencies.base.value_or(frequencies_.base());
    for (const auto& [name, text] : frequencies.conventions) card.conventions["scaling: " + name] = text;
    if (frequencies_.rule() != "plain") card.conventions["scaling"] = frequencies_.rule();
    if (pairs.early_positions > 0 && pairs.early_magnitude != pairs.magnitude) {
        for (const std::int64_t position : request.positions) {
            std::vector<double>& row = card.query_magnitude.emplace_back();
            for (std::size_t i = 0; i < pairs.inverse.size(); ++i)
                row.push_back(pairs.magnitude_at(i, position));
        }
        card.key_magnitude = card.query_magnitude;
    }
    card.early_inv_freq = std::move(pairs.early);
    card.early_positions = pairs.early_positions;
    card.inv_freq = std::move(pairs.inverse);
    card.pair_axis = std::move(pairs.axis);
    card.magnitude = pairs.magnitude;
    card.conventions["pairing"] = to_string(pairing_);
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
