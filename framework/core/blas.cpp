#include "framework/core/blas.h"

#include <cblas.h>

#include <mutex>

#include "framework/core/error.h"

namespace locus {

void use_one_blas_thread() {
    static std::once_flag once;
    std::call_once(once, [] {
        openblas_set_num_threads(1);
        require(openblas_get_num_threads() == 1, "OpenBLAS: expected one thread per call, found {}",
                openblas_get_num_threads());
    });
}

std::string blas_description() {
    const std::string config = openblas_get_config();
    return fmt::format("{} {}", config.substr(0, config.find(' ', config.find(' ') + 1)),
                       openblas_get_corename());
}

}  // namespace locus

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

CBLAS_TRANSPOSE form(Transpose t) {
    return t == Transpose::yes ? CblasTrans : CblasNoTrans;
}

// One name for the routine of either type.
constexpr auto product(const float*) {
    return &cblas_sgemm;
}
constexpr auto product(const double*) {
    return &cblas_dgemm;
}

}  // namespace

void gemm(Transpose a_form, Transpose b_form, Index m, Index n, Index k, const Scalar* a, Index a_stride,
          const Scalar* b, Index b_stride, Scalar beta, Scalar* c, Index c_stride) {
    use_one_blas_thread();
    const auto size = [](Index value) { return static_cast<blasint>(value); };
    product(a)(CblasRowMajor, form(a_form), form(b_form), size(m), size(n), size(k), 1, a, size(a_stride), b,
               size(b_stride), beta, c, size(c_stride));
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
