// Random tensors and their comparison, for tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "framework/core/random.h"
#include "framework/core/tensor.h"

namespace locus {
inline namespace LOCUS_SCALAR {

inline constexpr bool is_double = sizeof(Scalar) == sizeof(double);

/// Normal numbers that depend on the index only.
inline MutableTensor random_tensor(const Shape& shape, std::uint64_t index, double deviation = 1) {
    MutableTensor tensor = Tensor::empty(shape);
    RandomStream stream(1, Purpose::test, {index});
    for (Scalar& value : tensor.values()) value = static_cast<Scalar>(deviation * stream.normal());
    return tensor;
}

inline MutableTensor tensor_of(const Shape& shape, const std::vector<double>& values) {
    const std::vector<Scalar> cast(values.begin(), values.end());
    return Tensor::of(shape, cast);
}

inline double largest(const Tensor& a) {
    double max = 0;
    for (Scalar value : a.values()) {
        if (std::isnan(value)) return static_cast<double>(value);
        max = std::max(max, std::abs(static_cast<double>(value)));
    }
    return max;
}

inline double largest_difference(const Tensor& a, const Tensor& b) {
    EXPECT_EQ(a.shape(), b.shape());
    MutableTensor difference = Tensor::empty(a.shape());
    for (Index i = 0; i < a.count(); ++i) difference.data()[i] = a.data()[i] - b.data()[i];
    return largest(difference);
}

/// Expects two tensors to agree to `limit` of the largest entry of the second; zeros must be zeros.
inline void expect_close(const Tensor& actual, const Tensor& expected, double limit,
                         const std::string& what) {
    ASSERT_EQ(actual.shape(), expected.shape()) << what;
    EXPECT_LE(largest_difference(actual, expected), limit * largest(expected)) << what;
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
