// Small models and splits for the tests of the evaluation.
#pragma once

#include <string>
#include <vector>

#include "data/split.h"
#include "framework/core/random.h"
#include "models/transformer.h"
#include "recipes/engine/evaluation/evaluate.h"

namespace locus::test {

/// Documents of random bytes, which own their tokens.
struct RandomText {
    explicit RandomText(const std::vector<Index>& sizes) {
        for (std::size_t d = 0; d < sizes.size(); ++d) {
            RandomStream stream(1, Purpose::test, {d});
            auto& tokens = texts.emplace_back();
            for (Index i = 0; i < sizes[d]; ++i) tokens.push_back(static_cast<Token>(stream.below(256)));
        }
        for (std::size_t d = 0; d < texts.size(); ++d) {
            const std::string name = "document " + std::to_string(d);
            split.documents.push_back({name, name, static_cast<Index>(d), texts[d]});
        }
    }
    RandomText(const RandomText&) = delete;
    RandomText& operator=(const RandomText&) = delete;

    std::vector<std::vector<Token>> texts;
    Split split{"valid", {}};
};

inline Transformer make_model(const std::string& kind, Index train_length = 16) {
    ModelOptions model;
    model.layers = 2;
    model.width = 32;
    model.heads = 2;
    model.kv_heads = 2;
    const Options options(EncodingRegistry::instance().at(kind).options);
    return Transformer(model, {kind, options}, {}, train_length, 0);
}

/// Multiplies all parameters whose names end with `ending`; throws where there is none.
inline void scale_parameters(Transformer& model, const std::string& ending, Scalar factor) {
    ParameterStore& store = model.parameters();
    bool found = false;
    store.change([&](const MutableTensor& values) {
        for (std::size_t i = 0; i < store.parameters().size(); ++i) {
            if (!store.parameters()[i].name.ends_with(ending)) continue;
            found = true;
            for (Scalar& value : store.view(values, static_cast<Index>(i)).values()) value *= factor;
        }
    });
    require(found, "no parameter ends with '{}'", ending);
}

/// Encodings of one axis of positions.
inline std::vector<std::string> text_encodings() {
    std::vector<std::string> kinds;
    for (const std::string& kind : EncodingRegistry::instance().names())
        if (EncodingRegistry::instance().at(kind).reads(1)) kinds.push_back(kind);
    return kinds;
}

/// Tokens of the windows or contexts of a record, or of the one window whose bins it is among.
inline Index length_of(const Evaluation& evaluation, const Record& record) {
    if (const auto length = evaluation.fact("length")) return *length;
    return std::get<Index>(*evaluation.place(record, "length"));
}

inline std::array<Index, 2> bin_of(const Record& record) {
    return std::get<std::array<Index, 2>>(record.coordinates.at("bin"));
}

inline constexpr const char* all_kinds[] = {"non_overlapping", "sliding", "per_position", "same_target"};

inline EvaluationPlan plan_of(std::vector<Index> lengths, std::vector<Protocol> protocols,
                              Index train_length = 16) {
    return {std::move(lengths), std::move(protocols), 100, train_length, false};
}

inline EvaluationReport evaluate_bytes(const Transformer& model, const Split& split,
                                       const EvaluationPlan& plan, int threads = 1) {
    Workers workers(threads);
    return evaluate(model, split, plan, *make_tokenizer("byte"), workers);
}

/// Makes losses depend on the token, and on what it stands after.
inline void sharpen(Transformer& model) {
    scale_parameters(model, "tokens.weight", 20);
    scale_parameters(model, "qkv.weight", 10);
}

}  // namespace locus::test
