// What the tests of the rotary encodings share.
#pragma once

#include "framework/core/grid_positions.h"
#include "tests/models/support.h"

namespace locus {
inline namespace LOCUS_SCALAR {

constexpr double rounding = is_double ? 1e-12 : 1e-6;

inline EncodingShape head_of(Index head_dim) {
    return {head_dim, 1, 1, head_dim, 1, 64, Site::self_causal};
}

inline Positions at(const std::vector<std::int64_t>& values) {
    return Positions(1, static_cast<Index>(values.size()), 1, values);
}

inline void expect_relative(const std::vector<double>& actual, const std::vector<double>& expected,
                            double limit) {
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
        EXPECT_NEAR(actual[i], expected[i], limit * std::abs(expected[i])) << i;
    }
}

/// Expects tables [1, 1, tokens, pairs] to be cosine and sine of these angles.
inline void expect_angles(const Rotation& rotation, const std::vector<std::vector<double>>& angles) {
    const auto tokens = static_cast<Index>(angles.size()), pairs = static_cast<Index>(angles[0].size());
    ASSERT_EQ(rotation.cos.shape(), (Shape{1, 1, tokens, pairs}));
    ASSERT_EQ(rotation.sin.shape(), rotation.cos.shape());
    for (Index t = 0; t < tokens; ++t) {
        for (Index i = 0; i < pairs; ++i) {
            const double angle = angles[static_cast<std::size_t>(t)][static_cast<std::size_t>(i)];
            EXPECT_NEAR(rotation.cos.value().data()[t * pairs + i], std::cos(angle), rounding)
                << t << ", " << i;
            EXPECT_NEAR(rotation.sin.value().data()[t * pairs + i], std::sin(angle), rounding)
                << t << ", " << i;
        }
    }
}

/// What making an encoding says when it refuses its options or its head, "" when it does not.
inline std::string refusal_of(const std::string& kind, const Choices& choices, const EncodingShape& shape) {
    try {
        LoneEncoding(kind, choices, shape);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::usage);
        return error.what();
    }
    return "";
}

inline void expect_mentions(const std::string& message, const std::vector<std::string>& parts) {
    for (const std::string& part : parts)
        EXPECT_NE(message.find(part), std::string::npos) << part << ": " << message;
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
