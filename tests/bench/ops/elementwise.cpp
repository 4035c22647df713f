#include "framework/ops/elementwise.h"

#include "framework/ops/content_positions.h"
#include "framework/ops/log1p.h"
#include "framework/ops/reduce.h"
#include "framework/ops/softmax.h"
#include "tests/bench/ops/support.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

using namespace shard;

[[maybe_unused]] const bool elementwise_measured[] = {
    measure_op("add", {states, states}, [](Inputs x) { return add(x[0], x[1]); }),
    measure_op("multiply", {states, states}, [](Inputs x) { return multiply(x[0], x[1]); }),
    measure_op("scale", {states}, [](Inputs x) { return scale(x[0], static_cast<Scalar>(0.5)); }),
    measure_op("exponential", {states}, [](Inputs x) { return exponential(x[0]); }),
    measure_op("logarithm", {states}, [](Inputs x) { return logarithm(x[0]); }),
    measure_op("log1p", {states}, [](Inputs x) { return log1p(x[0]); }),
    measure_op("reciprocal", {states}, [](Inputs x) { return reciprocal(x[0]); }),
    measure_op("relu", {inner}, [](Inputs x) { return relu(x[0]); }),
    measure_op("gelu", {inner}, [](Inputs x) { return gelu(x[0]); }),
    measure_op("swiglu", {inner, inner}, [](Inputs x) { return swiglu(x[0], x[1]); }),
    measure_op("dropout", {states},
               [](Inputs x) {
                   return dropout(x[0], 0.1, {1, 2, 3, 4});
               }),
    measure_op("sigmoid", {scores}, [](Inputs x) { return sigmoid(x[0]); }),
    measure_op("clamp_max", {scores}, [](Inputs x) { return clamp_max(x[0], static_cast<Scalar>(0.5)); }),
    measure_op("suffix_sums", {scores}, [](Inputs x) { return suffix_sums(x[0]); }),
    measure_op("softmax", {scores}, [](Inputs x) { return softmax(x[0]); }),
    measure_op("sum_last", {states}, [](Inputs x) { return sum_last(x[0]); }),
    measure_op("sum_all", {states}, [](Inputs x) { return sum_all(x[0]); }),
};

}  // namespace

}  // namespace LOCUS_SCALAR
}  // namespace locus
