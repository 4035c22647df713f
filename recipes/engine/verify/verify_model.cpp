#include "recipes/engine/verify/verify_model.h"

#include <algorithm>
#include <cmath>

#include "framework/core/random.h"
#include "recipes/engine/run/workbench.h"

namespace locus {

namespace {

// Matrices keep the size of what they are fed; what begins at a value other than zero is spread around it and
// keeps its sign, as some parameters must.
void draw_parameter(const ParameterInfo& info, const MutableTensor& value) {
    RandomStream stream(0, Purpose::verify, {name_index(info.name)});
    const bool of_encoding = info.name.starts_with("encoding.");
    const bool is_matrix = info.shape.rank() == 2 && !of_encoding && !info.name.starts_with("tokens.");
    const double deviation = is_matrix ? 1 / std::sqrt(static_cast<double>(info.shape[1])) : 0.3;
    const bool is_spread = (info.initial.kind == Initial::Kind::constant && info.initial.value != 0) ||
                           !(info.bounds == Bounds{});
    for (Scalar& number : value.values()) {
        const double drawn = stream.normal();
        number = is_spread ? number * static_cast<Scalar>(1 + 0.3 * std::clamp(drawn, -2.0, 2.0))
                           : static_cast<Scalar>(deviation * drawn);
    }
    info.project(value.values());
}

// Calls body(information, values) for every parameter; it may write to them.
template <typename Body>
void change_each(ParameterStore& store, const Body& body) {
    store.change([&](const MutableTensor& values) {
        for (std::size_t i = 0; i < store.parameters().size(); ++i)
            body(store.parameters()[i], store.view(values, static_cast<Index>(i)));
    });
}

}  // namespace

std::unique_ptr<Transformer> model_like(const Transformer& like, const Recipe& recipe,
                                        const MaskOptions& mask, const EncodingOptions& encoding) {
    Recipe changed = recipe;
    changed.mask = mask;
    changed.encoding = encoding;
    auto model = make_model(changed);
    const ParameterStore& from = like.parameters();
    change_each(model->parameters(), [&](const ParameterInfo& info, const MutableTensor& value) {
        for (std::size_t i = 0; i < from.parameters().size(); ++i) {
            if (from.parameters()[i].name == info.name)
                value.copy_from(from.view(from.values(), static_cast<Index>(i)));
        }
    });
    return model;
}

std::unique_ptr<Transformer> drawn_model(const Recipe& recipe) {
    auto model = make_model(recipe);
    change_each(model->parameters(), draw_parameter);
    const std::vector<Token> tokens = drawn_tokens(*model, trained_length(recipe), 0);
    const auto factor =
        static_cast<Scalar>(1.05 / standard_deviation(logits_of(*model, text_batch(*model, recipe, tokens))));
    change_each(model->parameters(), [&](const ParameterInfo& info, const MutableTensor& value) {
        if (!info.name.starts_with("final_norm.")) return;
        for (Scalar& number : value.values()) number *= factor;
    });
    return model;
}

Tensor logits_of(const Transformer& model, const Batch& batch, const Pass& pass) {
    const Recording no_tape(nullptr);
    return model.logits(batch, pass).value();
}

double standard_deviation(const Tensor& x) {
    double sum = 0, squares = 0;
    for (Scalar value : x.values()) {
        sum += static_cast<double>(value);
        squares += static_cast<double>(value) * static_cast<double>(value);
    }
    const auto count = static_cast<double>(x.count());
    return std::sqrt(squares / count - sum / count * (sum / count));
}

double largest_difference(const Tensor& a, const Tensor& b) {
    require(a.shape() == b.shape(), "verify: {} and {} differ in shape", a.shape(), b.shape());
    double max = 0;
    for (Index i = 0; i < a.count(); ++i) {
        const double difference =
            std::abs(static_cast<double>(a.data()[i]) - static_cast<double>(b.data()[i]));
        if (std::isnan(difference)) return difference;
        max = std::max(max, difference);
    }
    return max;
}

double largest(const Tensor& a) {
    return largest_difference(a, Tensor::zeros(a.shape()));
}

}  // namespace locus
