// Reverse-mode differentiation over a tape.
//
// An op computes its value and hands it to record() together with its inputs and a pullback: the function
// that turns the gradient of the value (the cotangent) into gradients of the inputs. backward() walks the
// tape in reverse order of creation, so there is no recursion and no sorting. The driver, not the op,
// accumulates, sums a gradient down to a broadcast input's shape, checks shapes and frees.
#pragma once

#include <array>
#include <functional>
#include <initializer_list>
#include <memory>
#include <source_location>
#include <vector>

#include "framework/core/profile.h"
#include "framework/core/stop.h"
#include "framework/core/tensor.h"

namespace locus {
inline namespace LOCUS_SCALAR {

struct Node;

/// Handle to a value and, if a gradient is wanted for it, to its place on the tape.
class Variable {
  public:
    Variable() = default;
    Variable(Tensor value) : value_(std::move(value)) {}  // a constant
    Variable(Tensor value, Node* node) : value_(std::move(value)), node_(node) {}

    const Tensor& value() const { return value_; }
    const Shape& shape() const { return value_.shape(); }
    Index size(int axis) const { return value_.size(axis); }
    bool tracked() const { return node_ != nullptr; }
    Node* node() const { return node_; }
    explicit operator bool() const { return static_cast<bool>(value_); }

  private:
    Tensor value_;
    Node* node_ = nullptr;
};

/// What a pullback writes to: the gradients of its inputs, by their place in the list given to record().
class Gradients {
  public:
    explicit Gradients(Node& node) : node_(node) {}

    bool wanted(std::size_t input) const;

    /// Memory to write the gradient of an input into: fresh (its values are not set) or to be added to.
    struct Sink {
        MutableTensor tensor;
        bool fresh;
        Scalar beta() const { return fresh ? 0 : 1; }
    };
    Sink sink(std::size_t input) const;

    /// Adds a gradient of the input's shape or of a shape that it was broadcast to. Takes the tensor over:
    /// the caller must not use it again.
    void add(std::size_t input, MutableTensor gradient) const;

    /// Hands the cotangent itself on to an input. REQUIRES: the pullback does not read the cotangent
    /// afterwards.
    void pass(std::size_t input) const;
    void pass(std::size_t input, const Shape& shape) const;  // with its values arranged as `shape`

  private:
    Node& node_;
};

/// The cotangent is the pullback's own: it may write over it before it passes it on.
using Pullback = std::function<void(const MutableTensor& cotangent, const Gradients& gradients)>;

/// The graph of one worker for one step. Nodes are pooled: from the second step on none is allocated.
class Tape {
  public:
    Tape();
    ~Tape();
    Tape(const Tape&) = delete;
    Tape& operator=(const Tape&) = delete;

    /// A variable whose gradient is added into `gradient` (same shape). With `written`, the first
    /// contribution while *written is false overwrites the memory instead, and sets it.
    Variable leaf(Tensor value, MutableTensor gradient, bool* written = nullptr);

    /// Adds to every leaf the gradient of sum(output * cotangent). Pullbacks run once: a second call on the
    /// same graph finds none. Throws when the output is not on this tape or the shapes differ.
    void backward(const Variable& output, const Tensor& cotangent);

    void reset();

    /// The tape that record() writes to on this thread; null: nothing is recorded.
    static Tape* current();

  private:
    friend class Recording;
    friend Node* append_node(const Tensor& value, std::span<const Variable> inputs, Pullback pullback,
                             const char* op);

    Node& next();

    std::vector<std::unique_ptr<Node>> nodes_;
    std::size_t used_ = 0;
};

/// Makes a tape (or, with null, none) the current one of this thread until the end of the scope.
class Recording {
  public:
    explicit Recording(Tape* tape);
    ~Recording();
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

  private:
    Tape* before_;
};

Node* append_node(const Tensor& value, std::span<const Variable> inputs, Pullback pullback, const char* op);

/// True when a gradient is wanted for any of the inputs.
bool any_tracked(std::span<const Variable> inputs);

/// Puts an op on the tape. Where no input is tracked the result is a constant and the pullback is dropped. In
/// a profile the op has the name of the function that records it. Throws an interrupted Error where this
/// process is asked to stop: whatever runs a model, and however long, ends within the time of an op.
template <typename F>
Variable record(Tensor value, std::initializer_list<Variable> inputs, F&& pullback,
                const std::source_location& by = std::source_location::current()) {
    throw_if_stopped();
    if (TimeLedger* ledger = TimeLedger::current()) ledger->op(by.function_name());
    const std::span<const Variable> list(inputs.begin(), inputs.size());
    if (!any_tracked(list)) return Variable(std::move(value));
    Node* node = append_node(value, list, Pullback(std::forward<F>(pullback)), by.function_name());
    return Variable(std::move(value), node);
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
