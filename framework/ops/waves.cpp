#include "framework/ops/waves.h"

#include <cmath>

#include "framework/core/work_vector.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

struct WaveSizes {
    Index axes, heads, pairs;

    Index columns() const { return heads * pairs; }
};

// Calls body(coordinates of the token, offset in the tables, column of the frequencies) for every number of
// the tables; null for a token without a position.
template <typename Body>
void for_each_wave(const Positions& positions, const WaveSizes& s, const Body& body) {
    Index at = 0;
    for (Index b = 0; b < positions.batch(); ++b) {
        for (Index h = 0; h < s.heads; ++h) {
            for (Index t = 0; t < positions.length(); ++t) {
                const std::int64_t* token = positions.placed(b, t) ? positions.row(b) + t * s.axes : nullptr;
                for (Index i = 0; i < s.pairs; ++i, ++at) body(token, at, h * s.pairs + i);
            }
        }
    }
}

// One of the two tables on the tape: dfrequencies[a, k] += position[a] slope dtable, with the slope of a
// cosine or a sine with respect to its angle; recorded as the op that calls.
Variable record_table(const Tensor& table, const Variable& frequencies, const Positions& positions,
                      const WaveSizes& s, const Tensor& other, Scalar sign,
                      const std::source_location& by = std::source_location::current()) {
    return record(
        table, {frequencies},
        [=](const Tensor& cotangent, const Gradients& gradients) {
            WorkVector<double> sums(static_cast<std::size_t>(s.axes * s.columns()), 0.0);
            for_each_wave(positions, s, [&](const std::int64_t* token, Index at, Index column) {
                if (token == nullptr) return;
                const double angle = static_cast<double>(sign * other.data()[at] * cotangent.data()[at]);
                for (Index a = 0; a < s.axes; ++a)
                    sums[static_cast<std::size_t>(a * s.columns() + column)] +=
                        static_cast<double>(token[a]) * angle;
            });
            MutableTensor gradient = Tensor::empty(frequencies.shape());
            for (std::size_t k = 0; k < sums.size(); ++k) gradient.data()[k] = static_cast<Scalar>(sums[k]);
            gradients.add(0, gradient);
        },
        by);
}

}  // namespace

Waves waves(const Variable& frequencies, const Positions& positions, Index heads) {
    require(frequencies.shape().rank() == 2 && frequencies.size(0) == positions.axes() && heads >= 1 &&
                frequencies.size(1) % heads == 0,
            "waves: expected frequencies [{}, {} * pairs], found {}", positions.axes(), heads,
            frequencies.shape());
    const WaveSizes s{positions.axes(), heads, frequencies.size(1) / heads};
    const Shape shape{positions.batch(), heads, positions.length(), s.pairs};
    MutableTensor cos = Tensor::empty(shape), sin = Tensor::empty(shape);
    for_each_wave(positions, s, [&](const std::int64_t* token, Index at, Index column) {
        double angle = 0;
        for (Index a = 0; a < s.axes && token != nullptr; ++a) {
            angle += static_cast<double>(token[a]) *
                     static_cast<double>(frequencies.value().data()[a * s.columns() + column]);
        }
        cos.data()[at] = static_cast<Scalar>(std::cos(angle));
        sin.data()[at] = static_cast<Scalar>(std::sin(angle));
    });
    return {record_table(cos, frequencies, positions, s, sin, -1),
            record_table(sin, frequencies, positions, s, cos, 1)};
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
