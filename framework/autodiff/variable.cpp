#include "framework/autodiff/variable.h"

#include <algorithm>
#include <utility>

#include "framework/core/arena.h"
#include "framework/core/double_sums.h"

namespace locus {
inline namespace LOCUS_SCALAR {

struct Node {
    static constexpr std::size_t max_inputs = 10;

    const Tape* tape = nullptr;
    std::size_t number = 0;
    Shape shape;
    MutableTensor gradient;  // empty until the first contribution; a leaf's is the caller's buffer
    bool leaf = false;
    bool* written = nullptr;  // of a leaf: whether its buffer holds a gradient yet; null: it does
    std::array<Node*, max_inputs> inputs{};
    std::size_t input_count = 0;
    Pullback pullback;
    const char* op = nullptr;  // the function that recorded it

    // Whether the next contribution is the first, which overwrites what the gradient's memory holds.
    bool take_first() { return gradient ? written != nullptr && !std::exchange(*written, true) : true; }
};

namespace {

thread_local Tape* current_tape = nullptr;

void accumulate(const MutableTensor& into, const Tensor& addend) {
    Scalar* to = into.data();
    const Scalar* from = addend.data();
    const Index count = into.count();
    for (Index i = 0; i < count; ++i) to[i] += from[i];
}

// Sums `gradient` over the axes along which an input of `shape` was repeated.
MutableTensor sum_down(const Tensor& gradient, const Shape& shape) {
    require(broadcast(gradient.shape(), shape) == gradient.shape(),
            "backward: a gradient of {} does not fit a value of {}", gradient.shape(), shape);
    MutableTensor sum = Tensor::empty(shape);
    DoubleSums sums(
        shape.count());  // a bias is met by every token, the parameters of a network by every pair
    const int rank = gradient.shape().rank();
    std::array<Index, Shape::max_rank> stride{}, place{};
    Index step = 1;
    for (int axis = 1; axis <= shape.rank(); ++axis) {
        stride[static_cast<std::size_t>(rank - axis)] = shape[-axis] == 1 ? 0 : step;
        step *= shape[-axis];
    }
    Index target = 0;
    for (Scalar value : gradient.values()) {
        sums.add(target, value);
        for (int axis = rank - 1; axis >= 0; --axis) {  // step to the next element of the gradient
            const auto a = static_cast<std::size_t>(axis);
            target += stride[a];
            if (++place[a] < gradient.size(axis)) break;
            target -= stride[a] * place[a];
            place[a] = 0;
        }
    }
    sums.give(sum.data());
    return sum;
}

}  // namespace

bool Gradients::wanted(std::size_t input) const {
    return node_.inputs[input] != nullptr;
}

Gradients::Sink Gradients::sink(std::size_t input) const {
    Node& target = *node_.inputs[input];
    const bool first = target.take_first();
    if (!target.gradient) target.gradient = Tensor::empty(target.shape);
    return {target.gradient, first};
}

void Gradients::add(std::size_t input, MutableTensor gradient) const {
    if (!wanted(input)) return gradient.recycle();
    Node& target = *node_.inputs[input];
    if (gradient.shape() != target.shape) {
        MutableTensor sum = sum_down(gradient, target.shape);
        gradient.recycle();
        gradient = std::move(sum);
    }
    const bool first = target.take_first();
    if (!target.gradient) {
        target.gradient = std::move(gradient);
        return;
    }
    if (first) {
        target.gradient.copy_from(gradient);
    } else {
        accumulate(target.gradient, gradient);
    }
    gradient.recycle();
}

void Gradients::pass(std::size_t input) const {
    pass(input, node_.shape);
}

void Gradients::pass(std::size_t input, const Shape& shape) const {
    if (!wanted(input)) return;
    const MutableTensor cotangent = std::exchange(node_.gradient, {});
    add(input, cotangent.reshaped(shape));
}

Tape::Tape() = default;
Tape::~Tape() = default;

Node& Tape::next() {
    if (used_ == nodes_.size()) nodes_.push_back(std::make_unique<Node>());
    Node& node = *nodes_[used_];
    node.tape = this;
    node.number = used_++;
    node.leaf = false;
    node.written = nullptr;
    node.input_count = 0;
    return node;
}

Variable Tape::leaf(Tensor value, MutableTensor gradient, bool* written) {
    require(value.shape() == gradient.shape(), "leaf: value {} and gradient {} differ", value.shape(),
            gradient.shape());
    Node& node = next();
    node.leaf = true;
    node.written = written;
    node.shape = value.shape();
    node.gradient = std::move(gradient);
    return Variable(std::move(value), &node);
}

Node* append_node(const Tensor& value, std::span<const Variable> inputs, Pullback pullback, const char* op) {
    Tape* tape = Tape::current();
    require(tape != nullptr, "record: a tracked input, but no tape on this thread");
    require(inputs.size() <= Node::max_inputs, "record: {} inputs, at most {}", inputs.size(),
            static_cast<std::size_t>(Node::max_inputs));
    Node& node = tape->next();
    node.shape = value.shape();
    node.input_count = inputs.size();
    for (std::size_t i = 0; i < inputs.size(); ++i) node.inputs[i] = inputs[i].node();
    node.pullback = std::move(pullback);
    node.op = op;
    return &node;
}

bool any_tracked(std::span<const Variable> inputs) {
    return std::any_of(inputs.begin(), inputs.end(), [](const Variable& input) { return input.tracked(); });
}

void Tape::backward(const Variable& output, const Tensor& cotangent) {
    require(output.tracked() && output.node()->tape == this, "backward: the output is not on this tape");
    require(output.shape() == cotangent.shape(), "backward: output {} and cotangent {} differ",
            output.shape(), cotangent.shape());
    Node& last = *output.node();
    if (last.leaf) {
        if (last.take_first()) return last.gradient.copy_from(cotangent);
        return accumulate(last.gradient, cotangent);
    }
    last.gradient = cotangent.clone();
    for (std::size_t i = last.number + 1; i-- > 0;) {
        Node& node = *nodes_[i];
        if (node.leaf) continue;
        throw_if_stopped();
        if (node.gradient && node.pullback) {
            const ProfiledPullback timed(node.op);
            node.pullback(node.gradient, Gradients(node));
        }
        node.pullback = nullptr;
        node.gradient.recycle();
    }
}

void Tape::reset() {
    for (std::size_t i = 0; i < used_; ++i) {
        nodes_[i]->pullback = nullptr;
        nodes_[i]->gradient = {};
    }
    used_ = 0;
}

Tape* Tape::current() {
    return current_tape;
}

Recording::Recording(Tape* tape) : before_(current_tape) {
    current_tape = tape;
}
Recording::~Recording() {
    current_tape = before_;
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
