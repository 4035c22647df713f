// Named parameters over one flat store.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "framework/autodiff/variable.h"
#include "framework/core/random.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// How a parameter begins: constant, given, normal with a standard deviation, uniform, or as a function draws
/// it. Drawn by (seed, name), so that arms share initial values wherever names and shapes agree.
struct Initial {
    using Draw = std::function<void(RandomStream&, std::span<Scalar>)>;

    enum class Kind { constant, normal, uniform, given, drawn } kind = Kind::constant;
    double value = 0;                  // the constant, the standard deviation, or the width of [0, value)
    std::vector<double> numbers = {};  // of `given`, row-major
    Draw draw = {};                    // of `drawn`: sets every number
    static Initial zeros() { return {Kind::constant, 0}; }
    static Initial ones() { return {Kind::constant, 1}; }
    static Initial normal(double deviation) { return {Kind::normal, deviation}; }
    static Initial uniform(double width) { return {Kind::uniform, width}; }
    static Initial given(std::vector<double> numbers) { return {Kind::given, 0, std::move(numbers)}; }
    static Initial drawn(Draw draw) { return {Kind::drawn, 0, {}, std::move(draw)}; }
};

/// Where a parameter may be: initial values and every update are projected onto [min, max].
struct Bounds {
    double min = -std::numeric_limits<double>::infinity();
    double max = std::numeric_limits<double>::infinity();
    bool operator==(const Bounds&) const = default;
};

/// Which parameters weight decay pulls to zero: matrices, unless zero means something for one of them.
enum class Decay { matrices, never };

/// One entry of the store.
struct ParameterInfo {
    std::string name;
    Shape shape;
    Index offset;  // in the flat buffers
    Initial initial;
    bool decayed;
    Bounds bounds = {};
    double lr_factor = 1;     // of the step's learning rate
    bool multiplied = false;  // a matrix that every token is multiplied by, not a table to look things up in

    /// Brings numbers of this parameter back within its bounds; NaN stays NaN.
    void project(std::span<Scalar> numbers) const;
};

/// All parameters of a model in one flat buffer; gradients and moments use the same layout.
class ParameterStore {
  public:
    ParameterStore() = default;
    ~ParameterStore();
    ParameterStore(const ParameterStore&) = delete;
    ParameterStore& operator=(const ParameterStore&) = delete;

    /// Adds a parameter; throws for a name that is there already, for given values of another count, or after
    /// allocate().
    Index add(std::string name, const Shape& shape, Initial initial, Decay decay = Decay::matrices,
              const Bounds& bounds = {}, double lr_factor = 1);

    /// Adds a weight matrix [out, in] that every token is multiplied by.
    Index add_matrix(std::string name, const Shape& shape, Initial initial, double lr_factor = 1);

    /// Makes the flat buffer and draws the initial values.
    void allocate(std::uint64_t seed);

    const std::vector<ParameterInfo>& parameters() const { return parameters_; }
    Index count() const { return count_; }  // numbers in all parameters, without padding
    Index multiplied_count() const;         // numbers in the matrices that every token is multiplied by
    Index flat_size() const { return flat_size_; }    // of the buffers; each parameter begins on 64 bytes
    const Tensor& values() const { return values_; }  // [flat_size]
    Tensor view(const Tensor& flat, Index parameter) const;  // one parameter's part of a flat buffer
    MutableTensor view(const MutableTensor& flat, Index parameter) const;

    /// Lets `write` change the values, [flat_size]; packed copies of weights are made anew afterwards.
    void change(const std::function<void(const MutableTensor& values)>& write);

  private:
    std::vector<ParameterInfo> parameters_;
    Index count_ = 0, flat_size_ = 0;
    MutableTensor values_;
};

/// While it lives, the parameters of a store are leaves of this thread's tape, with gradients in `flat`
/// ([flat_size], whatever it holds: the first contribution overwrites it). At its end the gradients of
/// parameters that had no part are zero.
class ParameterGradients {
  public:
    ParameterGradients(const ParameterStore& store, MutableTensor flat);
    ~ParameterGradients();
    ParameterGradients(const ParameterGradients&) = delete;
    ParameterGradients& operator=(const ParameterGradients&) = delete;

    Variable leaf(Tape& tape, Index parameter) const;
    static const ParameterGradients* current();  // null: parameters are constants

  private:
    const ParameterStore& store_;
    MutableTensor flat_;
    std::unique_ptr<bool[]> written_;  // by parameter
    const ParameterGradients* before_;
};

/// A module's handle to a parameter. Used as a Variable it is a leaf of this thread's tape.
class Parameter {
  public:
    Parameter() = default;
    Parameter(ParameterStore& store, Index index) : store_(&store), index_(index) {}
    operator Variable() const;
    Tensor value() const { return store_->view(store_->values(), index_); }
    void assign(const Tensor& value) const;  // of the same shape
    explicit operator bool() const { return store_ != nullptr; }

  private:
    ParameterStore* store_ = nullptr;
    Index index_ = 0;
};

/// Where a module puts its parameters: a store, a dotted prefix ("blocks.0.attention") and their share of the
/// learning rate.
class ParameterScope {
  public:
    explicit ParameterScope(ParameterStore& store, std::string prefix = "", double lr_factor = 1)
        : store_(&store), prefix_(std::move(prefix)), lr_factor_(lr_factor) {}
    ParameterScope inside(const std::string& name) const {
        return ParameterScope(*store_, join(name), lr_factor_);
    }
    ParameterScope with_lr_factor(double factor) const { return ParameterScope(*store_, prefix_, factor); }
    Parameter add(const std::string& name, const Shape& shape, Initial initial, Decay decay = Decay::matrices,
                  const Bounds& bounds = {}) const {
        return Parameter(*store_,
                         store_->add(join(name), shape, std::move(initial), decay, bounds, lr_factor_));
    }
    Parameter add_matrix(const std::string& name, const Shape& shape, Initial initial) const {
        return Parameter(*store_, store_->add_matrix(join(name), shape, std::move(initial), lr_factor_));
    }

  private:
    std::string join(const std::string& name) const { return prefix_.empty() ? name : prefix_ + "." + name; }

    ParameterStore* store_;
    std::string prefix_;
    double lr_factor_;
};

}  // namespace LOCUS_SCALAR
}  // namespace locus
