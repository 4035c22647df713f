// Small models and encodings for the tests of the models.
#pragma once

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "models/transformer.h"
#include "tests/support/tensors.h"

namespace locus {
inline namespace LOCUS_SCALAR {

using Choices = std::vector<std::pair<std::string, OptionValue>>;

inline nlohmann::json oracle(const std::string& name) {
    std::ifstream file(std::string(LOCUS_ORACLES "/") + name);
    return nlohmann::json::parse(file);
}

/// The options of an encoding: the standard ones but for the choices, of which scaling.type adds those of a
/// rule.
inline EncodingOptions encoding_options(const std::string& kind, const Choices& choices = {}) {
    std::string rule = "plain";
    for (const auto& [name, value] : choices)
        if (name == "scaling.type") rule = std::get<std::string>(value);
    EncodingOptions encoding{kind, Options(options_under(EncodingRegistry::instance().at(kind), rule))};
    for (const auto& [name, value] : choices) encoding.options.set(name, value);
    return encoding;
}

/// An encoding without a model.
struct LoneEncoding {
    LoneEncoding(const std::string& kind, const Choices& choices = {},
                 const EncodingShape& shape = standard())
        : encoding(make_encoding(encoding_options(kind, choices), shape, ParameterScope(store, "encoding"))) {
        store.allocate(1);
    }
    static EncodingShape standard() { return {64, 4, 4, 16, 2, 64, Site::self_causal}; }

    PositionTerms terms(const Positions& positions) const {
        return encoding->terms(positions, positions, {positions.length(), 0, Site::self_causal});
    }
    EncodingCard card(const CardRequest& request = {}) const {
        EncodingCard card;
        encoding->describe(card, request);
        return card;
    }

    ParameterStore store;
    std::unique_ptr<PositionalEncoding> encoding;
};

/// Two layers; the second kind has every optional part of a model.
inline ModelOptions small_model(bool rich = false) {
    ModelOptions model{.layers = 2, .width = 16, .heads = 2, .kv_heads = 2, .mlp_ratio = 2, .vocabulary = 11};
    if (!rich) return model;
    model.heads = 4;
    model.norm = NormKind::rms;
    model.activation = Activation::swiglu;
    model.bias = true;
    model.tie_embeddings = false;
    return model;
}

/// Draws every parameter anew, those that begin at zero or one as well, large enough to matter.
inline void draw_all(ParameterStore& store, double deviation = 0.3) {
    store.change([&](const MutableTensor& values) {
        for (std::size_t i = 0; i < store.parameters().size(); ++i) {
            const ParameterInfo& info = store.parameters()[i];
            const bool around_one =
                (info.initial.kind == Initial::Kind::constant && info.initial.value != 0) ||
                !(info.bounds == Bounds{});  // not at the bound, where little would show
            RandomStream stream(2, Purpose::test, {name_index(info.name)});
            const MutableTensor own = store.view(values, static_cast<Index>(i));
            for (Scalar& value : own.values())
                value = static_cast<Scalar>((around_one ? 1 : 0) + deviation * stream.normal());
            info.project(own.values());
        }
    });
}

/// Sets the numbers of a parameter, found by its place or its name.
template <typename Numbers>
void set_parameter(ParameterStore& store, Index parameter, const Numbers& numbers) {
    store.change([&](const MutableTensor& values) {
        const MutableTensor own = store.view(values, parameter);
        require(std::size(numbers) == own.values().size(), "{} numbers for a parameter {}",
                std::size(numbers), own.shape());
        std::transform(std::begin(numbers), std::end(numbers), own.data(),
                       [](auto number) { return static_cast<Scalar>(number); });
    });
}
template <typename Numbers>
void set_parameter(ParameterStore& store, const std::string& name, const Numbers& numbers) {
    for (std::size_t i = 0; i < store.parameters().size(); ++i)
        if (store.parameters()[i].name == name) return set_parameter(store, static_cast<Index>(i), numbers);
    fail(Failure::usage, "no parameter {}", name);
}

/// The central difference of `loss` by one number of a store.
template <typename Loss>
double central_difference(ParameterStore& store, Index number, double analytic, const Loss& loss) {
    Scalar value = store.values().data()[number];
    const auto put = [&] {
        store.change([&](const MutableTensor& values) { values.data()[number] = value; });
    };
    const double numeric = central_difference(value, analytic, [&] {
        put();
        return loss();
    });
    put();
    return numeric;
}

inline std::unique_ptr<Transformer> make_model(const EncodingOptions& encoding, const ModelOptions& model,
                                               const MaskOptions& mask = {}, Index train_length = 64) {
    auto transformer = std::make_unique<Transformer>(model, encoding, mask, train_length, 1);
    draw_all(transformer->parameters());
    return transformer;
}

/// Random tokens with their targets, some of which are missing.
struct Sample {
    Sample(Index sequences, Index tokens_each, Index vocabulary = 11)
        : batch(sequences), length(tokens_each), positions(Positions::consecutive(tokens_each)) {
        RandomStream stream(3, Purpose::test, {});
        for (Index i = 0; i < batch * length; ++i) {
            tokens.push_back(static_cast<Token>(stream.below(static_cast<std::uint64_t>(vocabulary))));
            const bool scored = stream.below(5) != 0;
            const auto target = static_cast<Token>(stream.below(static_cast<std::uint64_t>(vocabulary)));
            targets.push_back(scored ? target : Batch::no_target);
        }
    }
    Batch input() const {
        Batch input = Batch::of_text(batch, tokens, targets);
        input.positions = positions;
        return input;
    }

    Index batch, length;
    std::vector<Token> tokens, targets;
    Positions positions;
};

/// Positions of text as those of a grid of so many columns (two axes: row, column) or of a video of 3 x 3
/// frames (three: time, row, column).
inline Positions arranged(const Positions& text, Index axes, Index columns = 8) {
    std::vector<std::int64_t> values;
    for (Index b = 0; b < text.batch(); ++b) {
        for (Index t = 0; t < text.length(); ++t) {
            const std::int64_t p = text(b, t);
            if (axes == 1) values.push_back(p);
            if (axes == 2) values.insert(values.end(), {p / columns, p % columns});
            if (axes == 3) values.insert(values.end(), {p / 9, p / 3 % 3, p % 3});
        }
    }
    return Positions(text.batch(), text.length(), axes, values);
}

/// The same with the number of axes that is usual for an encoding: text where it reads text.
inline Positions arranged_for(const std::string& kind, const Positions& text, Index columns = 8) {
    return arranged(text, EncodingRegistry::instance().at(kind).axes.front(), columns);
}

/// A sample with positions that the encoding reads.
inline Sample sample_for(const std::string& kind, Index sequences, Index tokens_each) {
    Sample sample(sequences, tokens_each);
    sample.positions = arranged_for(kind, sample.positions);
    return sample;
}

/// How far two ways to compute the same may differ, relative to the largest entry.
constexpr double equivalence_limit = is_double ? 1e-12 : 1e-5;

/// Positions that begin again at 0 every `run` tokens.
inline Positions restarted(Index batch, Index length, Index run) {
    std::vector<std::int64_t> values;
    for (Index i = 0; i < batch * length; ++i) values.push_back((i % length + i / length) % run);
    return Positions(batch, length, 1, values);
}

/// The flat gradient of `output()` with this cotangent; memory that is not written shows as NaN.
template <typename Output>
Tensor flat_gradient(const ParameterStore& store, const Tensor& cotangent, const Output& output) {
    const MutableTensor flat = Tensor::zeros({store.flat_size()});
    for (std::size_t i = 0; i < store.parameters().size(); ++i)
        store.view(flat, static_cast<Index>(i)).fill(NAN);
    Tape tape;
    const Recording recording(&tape);
    const ParameterGradients gradients(store, flat);
    tape.backward(output(), cotangent);
    return flat;
}

template <typename Output>
Tensor flat_gradient(const Transformer& model, const Tensor& cotangent, const Output& output) {
    return flat_gradient(model.parameters(), cotangent, output);
}

class EachEncoding : public testing::TestWithParam<std::string> {};

inline auto every_encoding() {
    return testing::ValuesIn(EncodingRegistry::instance().names());
}

inline std::string encoding_name(const testing::TestParamInfo<std::string>& info) {
    return info.param;
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
