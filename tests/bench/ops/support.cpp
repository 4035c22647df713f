#include "tests/bench/ops/support.h"

#include <benchmark/benchmark.h>

#include <memory>

#include "framework/core/arena.h"
#include "framework/core/random.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

struct Measured {
    std::string name;
    std::vector<Shape> shapes;
    MeasuredOp op;
    double operations;
};

Tensor drawn(const Shape& shape) {
    MutableTensor tensor = Tensor::empty(shape);
    RandomStream stream(1, Purpose::parameter, {static_cast<std::uint64_t>(shape.count())});
    for (Scalar& number : tensor.values()) number = static_cast<Scalar>(0.1 + 0.9 * stream.uniform());
    return tensor;
}

void run(benchmark::State& state, const Measured& measured, bool training) {
    std::vector<Tensor> values, gradients;
    for (const Shape& shape : measured.shapes) {
        values.push_back(drawn(shape));
        gradients.push_back(Tensor::zeros(shape));
    }
    const auto written = std::make_unique<bool[]>(values.size());  // gradients begin anew, as in a step
    Arena arena;
    Tape tape;
    double elements = 0;
    for (auto iteration : state) {
        {
            const ArenaScope memory(&arena);
            const Recording recording(training ? &tape : nullptr);
            std::vector<Variable> inputs;
            for (std::size_t i = 0; i < values.size(); ++i) {
                written[i] = false;
                inputs.push_back(training ? tape.leaf(values[i], gradients[i], &written[i])
                                          : Variable(values[i]));
            }
            const Variable out = measured.op(inputs);
            elements = static_cast<double>(out.shape().count());
            benchmark::DoNotOptimize(out.value().data());
            if (training && out.tracked()) tape.backward(out, Tensor::full(out.shape(), 1));
            tape.reset();
        }
        arena.reset();
        benchmark::ClobberMemory();
    }
    const bool counted = measured.operations > 0;
    const double work = counted ? measured.operations * (training ? 3 : 1) : elements;
    state.counters[counted ? "FLOP/s" : "elements/s"] =
        benchmark::Counter(work, benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace

bool measure_op(const std::string& name, std::vector<Shape> inputs, MeasuredOp op, double operations) {
    const Measured measured{name, std::move(inputs), std::move(op), operations};
    for (const bool training : {false, true}) {
        benchmark::RegisterBenchmark((name + (training ? "/training" : "/forward")).c_str(),
                                     [=](benchmark::State& state) { run(state, measured, training); });
    }
    return true;
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
