#include "framework/ops/matmul.h"

#include "framework/ops/kernels/elementwise.h"
#include "framework/ops/kernels/gemm.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

struct MatmulSizes {
    Index batch, m, n, k;
};

MatmulSizes matmul_sizes(const Shape& a, const Shape& b, Transpose b_form) {
    require(a.rank() >= 2 && a.rank() == b.rank(),
            "matmul: expected equal ranks of 2 or more, found {} and {}", a, b);
    MatmulSizes sizes{1, a[-2], b_form == Transpose::no ? b[-1] : b[-2], a[-1]};
    for (int axis = 0; axis < a.rank() - 2; ++axis) {
        require(a[axis] == b[axis], "matmul: leading axes differ: a is {}, b is {}", a, b);
        sizes.batch *= a[axis];
    }
    require(sizes.k == (b_form == Transpose::no ? b[-2] : b[-1]),
            "matmul: inner sizes differ: a is {}, b is {}", a, b);
    return sizes;
}

}  // namespace

Variable matmul(const Variable& a, const Variable& b, Transpose b_form) {
    const MatmulSizes s = matmul_sizes(a.shape(), b.shape(), b_form);
    const auto a_at = [s](const auto& t, Index i) { return t.data() + i * s.m * s.k; };
    const auto b_at = [s](const auto& t, Index i) { return t.data() + i * s.n * s.k; };
    const auto c_at = [s](const auto& t, Index i) { return t.data() + i * s.m * s.n; };
    const bool plain = b_form == Transpose::no;
    const Products products{.backend = ProductScope::current().backend};  // no product of a weight: fp32
    Shape shape = a.shape();
    shape[-1] = s.n;
    MutableTensor out = Tensor::empty(shape);
    for (Index i = 0; i < s.batch; ++i) {
        kernels::gemm(Transpose::no, b_form, s.m, s.n, s.k, a_at(a.value(), i), s.k, b_at(b.value(), i),
                      plain ? s.n : s.k, 0, c_at(out, i), s.n, products);
    }
    return record(out, {a, b}, [=](const Tensor& cotangent, const Gradients& gradients) {
        if (gradients.wanted(0)) {  // dA = dC B^T
            const auto sink = gradients.sink(0);
            for (Index i = 0; i < s.batch; ++i) {
                kernels::gemm(Transpose::no, plain ? Transpose::yes : Transpose::no, s.m, s.k, s.n,
                              c_at(cotangent, i), s.n, b_at(b.value(), i), plain ? s.n : s.k, sink.beta(),
                              a_at(sink.tensor, i), s.k, products);
            }
        }
        if (!gradients.wanted(1)) return;
        const auto sink = gradients.sink(1);
        for (Index i = 0; i < s.batch; ++i) {
            if (plain) {  // dB = A^T dC
                kernels::gemm(Transpose::yes, Transpose::no, s.k, s.n, s.m, a_at(a.value(), i), s.k,
                              c_at(cotangent, i), s.n, sink.beta(), b_at(sink.tensor, i), s.n, products);
            } else {  // dB = dC^T A
                kernels::gemm(Transpose::yes, Transpose::no, s.n, s.k, s.m, c_at(cotangent, i), s.n,
                              a_at(a.value(), i), s.k, sink.beta(), b_at(sink.tensor, i), s.k, products);
            }
        }
    });
}

Variable linear(const Variable& x, const Variable& weight, const Variable& bias) {
    require(weight.shape().rank() == 2, "linear: expected a weight [out, in], found {}", weight.shape());
    const Index out_width = weight.size(0), in_width = weight.size(1);
    require(x.size(-1) == in_width, "linear: x is {}, weight {}: inner sizes differ", x.shape(),
            weight.shape());
    require(!bias || bias.shape() == Shape{out_width}, "linear: expected a bias [{}], found {}", out_width,
            bias.shape());
    const Index rows = x.shape().count() / in_width;
    const Products products = ProductScope::current();
    Shape shape = x.shape();
    shape[-1] = out_width;
    MutableTensor out = Tensor::empty(shape);
    kernels::gemm(Transpose::no, Transpose::yes, rows, out_width, in_width, x.value().data(), in_width,
                  weight.value().data(), in_width, 0, out.data(), out_width, products);
    for (Index row = 0; row < rows && bias; ++row) {
        kernels::accumulate(bias.value().data(), out.data() + row * out_width, out_width);
    }
    return record(out, {x, weight, bias}, [=](const Tensor& cotangent, const Gradients& gradients) {
        if (gradients.wanted(0)) {  // dx = dy W
            const auto sink = gradients.sink(0);
            kernels::gemm(Transpose::no, Transpose::no, rows, in_width, out_width, cotangent.data(),
                          out_width, weight.value().data(), in_width, sink.beta(), sink.tensor.data(),
                          in_width, products);
        }
        if (gradients.wanted(1)) {  // dW = dy^T x
            const auto sink = gradients.sink(1);
            kernels::gemm(Transpose::yes, Transpose::no, out_width, in_width, rows, cotangent.data(),
                          out_width, x.value().data(), in_width, sink.beta(), sink.tensor.data(), in_width,
                          products);
        }
        if (gradients.wanted(2)) gradients.add(2, cotangent.clone());  // the driver sums over the rows
    });
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
