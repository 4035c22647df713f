// Vector loops over plain arrays. `count` is in elements; arrays must not overlap unless they are the same.
#pragma once

#include "framework/core/scalar.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace kernels {

void add(const Scalar* a, const Scalar* b, Scalar* out, Index count);
void accumulate(const Scalar* from, Scalar* into, Index count);                        // into += from
void accumulate_product(const Scalar* a, const Scalar* b, Scalar* into, Index count);  // into += a b
/// The same and a copy for rows of `width` numbers, of which the next begins `stride` numbers further on.
void accumulate_rows(const Scalar* from, Index from_stride, Scalar* into, Index into_stride, Index rows,
                     Index width);
void copy_rows(const Scalar* from, Index from_stride, Scalar* to, Index to_stride, Index rows, Index width);
void multiply(const Scalar* a, const Scalar* b, Scalar* out, Index count);
void scale(const Scalar* from, Scalar factor, Scalar* out, Index count);
void exponential(const Scalar* x, Scalar* out, Index count);

/// GELU in its tanh form, x sigmoid(2 sqrt(2/pi) (x + 0.044715 x^3)) (arXiv:1606.08415).
void gelu(const Scalar* x, Scalar* out, Index count);
/// into = cotangent * gelu'(x), or += where `add`.
void gelu_pullback(const Scalar* x, const Scalar* cotangent, Scalar* into, bool add, Index count);

/// SwiGLU (arXiv:2002.05202): out = gate sigmoid(gate) up.
void swiglu(const Scalar* gate, const Scalar* up, Scalar* out, Index count);
void swiglu_pullback(const Scalar* gate, const Scalar* up, const Scalar* cotangent, Scalar* into_gate,
                     Scalar* into_up, Index count);

/// Sum of squares, every element squared and added in double.
double sum_of_squares(const Scalar* x, Index count);

}  // namespace kernels
}  // namespace LOCUS_SCALAR
}  // namespace locus
