#include "framework/nn/module.h"

#include <algorithm>

#include "framework/core/arena.h"
#include "framework/core/random.h"
#include "framework/ops/kernels/pack_cache.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

constexpr Index alignment = 64 / static_cast<Index>(sizeof(Scalar));

constexpr double max_numbers = 1e15;  // of one parameter: sums of them stay far from overflow

thread_local const ParameterGradients* current_gradients = nullptr;

void draw(const ParameterInfo& parameter, std::uint64_t seed, const MutableTensor& value) {
    const Initial& initial = parameter.initial;
    if (initial.kind == Initial::Kind::constant) return value.fill(static_cast<Scalar>(initial.value));
    RandomStream stream(seed, Purpose::parameter, {name_index(parameter.name)});
    if (initial.kind == Initial::Kind::drawn) return initial.draw(stream, value.values());
    auto given = initial.numbers.begin();
    for (Scalar& number : value.values()) {
        number =
            static_cast<Scalar>(initial.kind == Initial::Kind::given    ? *given++
                                : initial.kind == Initial::Kind::normal ? initial.value * stream.normal()
                                                                        : initial.value * stream.uniform());
    }
}

}  // namespace

void ParameterInfo::project(std::span<Scalar> numbers) const {
    if (bounds == Bounds{}) return;
    const auto min = static_cast<Scalar>(bounds.min), max = static_cast<Scalar>(bounds.max);
    for (Scalar& number : numbers) number = number < min ? min : number > max ? max : number;
}

Index ParameterStore::add(std::string name, const Shape& shape, Initial initial, Decay decay,
                          const Bounds& bounds, double lr_factor) {
    require(!values_, "parameters: '{}' comes after the buffer was made", name);
    const auto same = [&](const ParameterInfo& other) { return other.name == name; };
    require(std::none_of(parameters_.begin(), parameters_.end(), same), "parameters: '{}' is there twice",
            name);
    require(
        initial.kind != Initial::Kind::given || static_cast<Index>(initial.numbers.size()) == shape.count(),
        "parameters: '{}' is {}, found {} initial values", name, shape, initial.numbers.size());
    double numbers = 1;
    for (Index size : shape.sizes()) numbers *= static_cast<double>(size);
    require(numbers <= max_numbers, "parameters: '{}' is {}, more than {:g} numbers", name, shape,
            max_numbers);
    const bool decayed = shape.rank() >= 2 && decay == Decay::matrices;
    parameters_.push_back(
        {std::move(name), shape, flat_size_, std::move(initial), decayed, bounds, lr_factor});
    count_ += shape.count();
    flat_size_ += (shape.count() + alignment - 1) / alignment * alignment;
    return static_cast<Index>(parameters_.size()) - 1;
}

Index ParameterStore::add_matrix(std::string name, const Shape& shape, Initial initial, double lr_factor) {
    const Index parameter = add(std::move(name), shape, std::move(initial), Decay::matrices, {}, lr_factor);
    parameters_.back().multiplied = true;
    return parameter;
}

Index ParameterStore::multiplied_count() const {
    Index count = 0;
    for (const ParameterInfo& parameter : parameters_)
        if (parameter.multiplied) count += parameter.shape.count();
    return count;
}

void ParameterStore::allocate(std::uint64_t seed) {
    ArenaScope heap(nullptr);
    values_ = Tensor::zeros({flat_size_});
    for (Index i = 0; i < static_cast<Index>(parameters_.size()); ++i) {
        const ParameterInfo& parameter = parameters_[static_cast<std::size_t>(i)];
        draw(parameter, seed, view(values_, i));
        parameter.project(view(values_, i).values());
    }
    kernels::PackCache::instance().watch(values_.data(), flat_size_);
}

ParameterStore::~ParameterStore() {
    if (values_) kernels::PackCache::instance().forget(values_.data());
}

void ParameterStore::change(const std::function<void(const MutableTensor& values)>& write) {
    struct Changed {  // also where `write` throws halfway
        const Scalar* values;
        ~Changed() { kernels::PackCache::instance().changed(values); }
    } const at_the_end{values_.data()};
    write(values_);
}

Tensor ParameterStore::view(const Tensor& flat, Index parameter) const {
    const ParameterInfo& info = parameters_[static_cast<std::size_t>(parameter)];
    return Tensor::view(flat.data() + info.offset, info.shape);
}

MutableTensor ParameterStore::view(const MutableTensor& flat, Index parameter) const {
    const ParameterInfo& info = parameters_[static_cast<std::size_t>(parameter)];
    return Tensor::view(flat.data() + info.offset, info.shape);
}

void Parameter::assign(const Tensor& value) const {
    store_->change([&](const MutableTensor& values) { store_->view(values, index_).copy_from(value); });
}

ParameterGradients::ParameterGradients(const ParameterStore& store, MutableTensor flat)
    : store_(store),
      flat_(std::move(flat)),
      written_(std::make_unique<bool[]>(store.parameters().size())),
      before_(std::exchange(current_gradients, this)) {
    require(flat_.count() == store.flat_size(), "gradients: expected {} numbers, found {}", store.flat_size(),
            flat_.count());
}

ParameterGradients::~ParameterGradients() {
    current_gradients = before_;
    for (std::size_t i = 0; i < store_.parameters().size(); ++i) {
        if (!written_[i]) store_.view(flat_, static_cast<Index>(i)).fill(0);
    }
}

Variable ParameterGradients::leaf(Tape& tape, Index parameter) const {
    return tape.leaf(store_.view(store_.values(), parameter), store_.view(flat_, parameter),
                     &written_[static_cast<std::size_t>(parameter)]);
}

const ParameterGradients* ParameterGradients::current() {
    return current_gradients;
}

Parameter::operator Variable() const {
    const ParameterGradients* gradients = ParameterGradients::current();
    if (gradients == nullptr || Tape::current() == nullptr) return Variable(value());
    return gradients->leaf(*Tape::current(), index_);
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
