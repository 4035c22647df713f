#include "framework/core/blas.h"

#include <cblas.h>

#include <mutex>
#include <type_traits>

#include "framework/core/error.h"

namespace locus {

void use_one_blas_thread() {
    static std::once_flag once;
    std::call_once(once, [] {
        openblas_set_num_threads(1);
        require(openblas_get_num_threads() == 1, "OpenBLAS: expected one thread a call, found {}",
                openblas_get_num_threads());
    });
}

std::string blas_description() {
    const std::string config = openblas_get_config();
    return fmt::format("{} {}", config.substr(0, config.find(' ', config.find(' ') + 1)), openblas_get_corename());
}

}  // namespace locus

namespace locus::inline LOCUS_SCALAR {

void gemm(Transpose a_form, Transpose b_form, Index m, Index n, Index k, const Scalar* a, Index a_stride,
          const Scalar* b, Index b_stride, Scalar beta, Scalar* c, Index c_stride) {
    use_one_blas_thread();
    const auto form = [](Transpose t) { return t == Transpose::yes ? CblasTrans : CblasNoTrans; };
    const auto size = [](Index value) { return static_cast<blasint>(value); };
    if constexpr (std::is_same_v<Scalar, float>) {
        cblas_sgemm(CblasRowMajor, form(a_form), form(b_form), size(m), size(n), size(k), 1, a, size(a_stride), b,
                    size(b_stride), beta, c, size(c_stride));
    } else {
        cblas_dgemm(CblasRowMajor, form(a_form), form(b_form), size(m), size(n), size(k), 1, a, size(a_stride), b,
                    size(b_stride), beta, c, size(c_stride));
    }
}

}  // namespace locus::inline LOCUS_SCALAR
