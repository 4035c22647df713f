// What this machine can do, for scripts/bench.sh: the peak of fused multiply-adds, and OpenBLAS at a model's
// shapes. Prints one JSON object.
#include <cblas.h>
#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "framework/core/blas.h"
#include "framework/core/error.h"
#include "framework/core/parallel.h"
#include "framework/core/simd_target.h"
#include "framework/core/tensor.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/bench/rates.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace locus {
inline namespace LOCUS_SCALAR {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Twelve chains of fused multiply-adds, more than latency times ports of any processor so far, in registers.
// Each begins elsewhere, else the compiler would compute one and copy it. The numbers stay near 1. Returns
// the operations done; `keep` makes them needed.
double FusedMultiplyAdds(Index rounds, Scalar* keep) {
    const hn::ScalableTag<Scalar> d;
    const auto factor = hn::Set(d, static_cast<Scalar>(0.999)),
               addend = hn::Set(d, static_cast<Scalar>(0.001));
    const auto begin = [&](int chain) { return hn::Set(d, *keep + static_cast<Scalar>(chain) / 16); };
    auto a = begin(0), b = begin(1), c = begin(2), e = begin(3), f = begin(4), g = begin(5), h = begin(6),
         i = begin(7), j = begin(8), k = begin(9), l = begin(10), m = begin(11);
    for (Index round = 0; round < rounds; ++round) {
        a = hn::MulAdd(a, factor, addend);
        b = hn::MulAdd(b, factor, addend);
        c = hn::MulAdd(c, factor, addend);
        e = hn::MulAdd(e, factor, addend);
        f = hn::MulAdd(f, factor, addend);
        g = hn::MulAdd(g, factor, addend);
        h = hn::MulAdd(h, factor, addend);
        i = hn::MulAdd(i, factor, addend);
        j = hn::MulAdd(j, factor, addend);
        k = hn::MulAdd(k, factor, addend);
        l = hn::MulAdd(l, factor, addend);
        m = hn::MulAdd(m, factor, addend);
    }
    const auto x = hn::Add(hn::Add(hn::Add(a, b), hn::Add(c, e)), hn::Add(hn::Add(f, g), hn::Add(h, i)));
    *keep = hn::GetLane(hn::SumOfLanes(d, hn::Add(x, hn::Add(hn::Add(j, k), hn::Add(l, m))))) / 12 /
            static_cast<Scalar>(hn::Lanes(d));
    return 2.0 * 12.0 * static_cast<double>(hn::Lanes(d)) * static_cast<double>(rounds);
}

}  // namespace HWY_NAMESPACE
}  // namespace LOCUS_SCALAR
}  // namespace locus
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus {
inline namespace LOCUS_SCALAR {

HWY_EXPORT(FusedMultiplyAdds);

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Operations per second of all threads together; `work` does a piece on one thread and returns its
// operations.
template <typename Work>
double rate(int threads, double seconds, const Work& work) {
    Workers workers(threads);
    std::vector<double> done(static_cast<std::size_t>(threads));
    workers.run([&](int worker) { work(worker); });  // warms up
    const Clock::time_point begin = Clock::now();
    workers.run([&](int worker) {
        while (seconds_since(begin) < seconds) done[static_cast<std::size_t>(worker)] += work(worker);
    });
    return std::accumulate(done.begin(), done.end(), 0.0) / seconds_since(begin);
}

double peak(int threads, double seconds) {
    std::vector<Scalar> kept(static_cast<std::size_t>(threads) * 16, 1);
    return rate(threads, seconds, [&](int worker) {
        return HWY_DYNAMIC_DISPATCH(FusedMultiplyAdds)(200'000, &kept[static_cast<std::size_t>(worker) * 16]);
    });
}

// The matrix products of a linear layer: y = x W^T, dx = dy W and dW = dy^T x.
class LinearLayer {
  public:
    LinearLayer(Index rows, Index in, Index out)
        : rows_(rows),
          in_(in),
          out_(out),
          x_(numbers({rows, in})),
          weight_(numbers({out, in})),
          y_(Tensor::zeros({rows, out})),
          dx_(Tensor::zeros({rows, in})),
          dweight_(Tensor::zeros({out, in})) {}

    double run() {
        gemm(Transpose::no, Transpose::yes, rows_, out_, in_, x_.data(), in_, weight_.data(), in_, 0,
             y_.data(), out_);
        gemm(Transpose::no, Transpose::no, rows_, in_, out_, y_.data(), out_, weight_.data(), in_, 0,
             dx_.data(), in_);
        gemm(Transpose::yes, Transpose::no, out_, in_, rows_, y_.data(), out_, x_.data(), in_, 0,
             dweight_.data(), in_);
        return 6.0 * static_cast<double>(rows_ * in_ * out_);
    }

    // Largest difference of sampled results to sums in double, relative to the largest result.
    double error() const {
        double worst = 0, largest = 0;
        const auto compare = [&](double expected, Scalar found) {
            worst = std::max(worst, std::abs(expected - static_cast<double>(found)));
            largest = std::max(largest, std::abs(expected));
        };
        for (Index s = 0; s < 64; ++s) {
            const Index row = s * (rows_ - 1) / 63, i = s * (in_ - 1) / 63, o = s * 37 % out_;
            compare(dot(in_, x_.data() + row * in_, 1, weight_.data() + o * in_, 1),
                    y_.data()[row * out_ + o]);
            compare(dot(out_, y_.data() + row * out_, 1, weight_.data() + i, in_), dx_.data()[row * in_ + i]);
            compare(dot(rows_, y_.data() + o, out_, x_.data() + i, in_), dweight_.data()[o * in_ + i]);
        }
        return worst / largest;
    }

  private:
    static Tensor numbers(const Shape& shape) {
        MutableTensor tensor = Tensor::empty(shape);
        for (Index i = 0; i < tensor.count(); ++i)
            tensor.data()[i] = static_cast<Scalar>(i * 7919 % 1013) / 1013 - 0.5F;
        return tensor;
    }
    static double dot(Index count, const Scalar* a, Index a_step, const Scalar* b, Index b_step) {
        double sum = 0;
        for (Index i = 0; i < count; ++i)
            sum += static_cast<double>(a[i * a_step]) * static_cast<double>(b[i * b_step]);
        return sum;
    }

    Index rows_, in_, out_;
    Tensor x_, weight_;
    MutableTensor y_, dx_, dweight_;
};

struct SgemmResult {
    double rate, error;
};

// The linear layers of a block and the output matrix, `rows` tokens at a time; each thread has its own.
SgemmResult sgemm(int threads, double seconds, Index rows, Index width, Index hidden, Index vocabulary) {
    std::vector<std::vector<LinearLayer>> layers(static_cast<std::size_t>(threads));
    for (auto& own : layers) {
        for (const auto& [in, out] : {std::pair{width, 3 * width},
                                      {width, width},
                                      {width, hidden},
                                      {hidden, width},
                                      {width, vocabulary}})
            own.emplace_back(rows, in, out);
    }
    SgemmResult result{};
    result.rate = rate(threads, seconds, [&](int worker) {
        double operations = 0;
        for (LinearLayer& layer : layers[static_cast<std::size_t>(worker)]) operations += layer.run();
        return operations;
    });
    for (const auto& own : layers) {
        for (const LinearLayer& layer : own) result.error = std::max(result.error, layer.error());
    }
    return result;
}

long number(const char* text) {
    char* end = nullptr;
    const long value = std::strtol(text, &end, 10);
    require(*text != '\0' && *end == '\0' && value >= 1, "expected a whole number of at least 1, found '{}'",
            text);
    return value;
}

void run(int count, char** words) {
    limit_simd_target_by_environment();
    const std::string what = count > 1 ? words[1] : "";
    require((what == "peak" && count == 4) || (what == "sgemm" && count == 8),
            "usage: peak THREADS MILLISECONDS | sgemm THREADS MILLISECONDS ROWS WIDTH HIDDEN VOCABULARY");
    const int threads = static_cast<int>(number(words[2]));
    const double seconds = static_cast<double>(number(words[3])) / 1e3;
    if (what == "peak") {
        fmt::print("{{\"flops_per_second\": {}, \"target\": \"{}\"}}\n", peak(threads, seconds),
                   simd_target());
        return;
    }
    const SgemmResult found =
        sgemm(threads, seconds, number(words[4]), number(words[5]), number(words[6]), number(words[7]));
    fmt::print("{{\"flops_per_second\": {}, \"error\": {}, \"blas\": \"{}\"}}\n", found.rate, found.error,
               blas_description());
}

}  // namespace

}  // namespace LOCUS_SCALAR
}  // namespace locus

int main(int count, char** words) {
    try {
        locus::run(count, words);
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench_rates: {}\n", error.what());
        return 2;
    }
}
#endif
