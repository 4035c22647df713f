#include "recipes/engine/card/card_conventions.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "framework/core/error.h"
#include "framework/ops/norm.h"
#include "recipes/engine/card/card_mask.h"
#include "recipes/engine/run/workbench.h"

namespace locus {

namespace {

std::string attention_text(const Transformer& model, const std::string& kind) {
    const Index axes = EncodingRegistry::instance().at(kind).axes.front();
    const Positions one(1, 1, axes, std::vector<std::int64_t>(static_cast<std::size_t>(axes)));
    return has_tiles(model.encoding().terms(one, one, {1, 0, model.site()}))
               ? "tiled, with an online softmax; equal to composed ops"
               : "composed over some query rows at a time: the tiled kernel lacks a term of the encoding";
}

std::string length_text(const PositionalEncoding& encoding, const Recipe& recipe) {
    std::string text = encoding.varies_by_length() ? "frequencies follow the length of the window"
                                                   : "the same at every length";
    if (encoding.longest()) text += fmt::format("; positions 0 to {} only", *encoding.longest() - 1);
    const Index root = root_length(recipe), last = trained_length(recipe);
    text += fmt::format("; trained at {}", root);
    return last == root ? text : text + fmt::format(", then at {}", last);
}

std::string positions_text(const PositionOptions& positions) {
    const Index last = positions.max_position - 1;
    switch (positions.kind) {
        case PositionKind::packed:
            return "from 0 in each document of a window; none sees another";
        case PositionKind::randomized:
            return fmt::format(
                "a sorted sample of 0 to {}, one per training batch and one per evaluated window", last);
        case PositionKind::pose:
            return fmt::format("{} chunks of a training window, moved apart up to {}; evaluated from 0",
                               positions.chunks, last);
        case PositionKind::consecutive:
            break;
    }
    return "0, 1, 2, ... in every window";
}

// "blocks.*.mlp.up.weight" for all layers.
std::string over_layers(std::string name) {
    constexpr std::string_view blocks = "blocks.";
    if (!name.starts_with(blocks)) return name;
    return name.replace(blocks.size(), name.find('.', blocks.size()) - blocks.size(), "*");
}

std::string decay_text(double decay, const ParameterStore& store) {
    std::vector<std::string> decayed, others;
    for (const ParameterInfo& parameter : store.parameters()) {
        auto& names = parameter.decayed ? decayed : others;
        const std::string name = over_layers(parameter.name);
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return fmt::format("{} of {}; none of {}", decay,
                       decayed.empty() ? "nothing" : fmt::format("{}", fmt::join(decayed, ", ")),
                       others.empty() ? "nothing" : fmt::format("{}", fmt::join(others, ", ")));
}

std::string initial_text(const ModelOptions& model) {
    const double deviation = model.deviation();
    return fmt::format(
        "weights and embeddings N(0, {0:.4g}){1}, outputs to the residual stream N(0, {0:.4g} / sqrt(2 "
        "layers) = {2:.4g}), drawn by (seed, name)",
        deviation, model.init > 0 ? "" : ", fan_in: 1 / sqrt(width)",
        deviation / std::sqrt(2 * static_cast<double>(model.layers)));
}

}  // namespace

std::map<std::string, std::string> conventions_of(const Recipe& recipe, const Transformer& model,
                                                  const EncodingCard& card) {
    const ModelOptions& options = recipe.model;
    std::map<std::string, std::string> conventions = {
        {"logits",
         fmt::format("multiplied by {:.6g}{}", card.logit_scale,
                     card.logit_scale == 1 ? "" : fmt::format(", head_dim {}", options.head_dim()))},
        {"mask", mask_convention(recipe.mask)},
        {"positions", positions_text(recipe.data.positions)},
        {"lengths", length_text(model.encoding(), recipe)},
        {"attention", attention_text(model, recipe.encoding.kind)},
        {"dropout",
         fmt::format(
             "{} on the embeddings and on both residual branches of a block, none on attention weights",
             options.dropout)},
        {"initialisation", initial_text(options)},
        {"biases", options.bias ? "on in linear layers and layer norms" : "off"},
        {"norm", fmt::format("{} norm before each branch, epsilon {}",
                             options.norm == NormKind::layer ? "layer" : "RMS", options.norm_epsilon)},
        {"weight decay", decay_text(recipe.train.weight_decay, model.parameters())},
        {"activation", options.activation == Activation::gelu_tanh ? "GELU, tanh form" : "SwiGLU"},
        {"output matrix", options.tie_embeddings ? "the token embeddings" : "its own"},
        {"layers", model.encoding().varies_by_layer() ? "terms of their own in every layer"
                                                      : "the same terms in all layers"},
    };
    if (const auto cautions = cautions_of(recipe); !cautions.empty())
        conventions["caution"] = fmt::format("{}", fmt::join(cautions, "; "));
    // The encoding knows better than the model around it.
    for (const auto& [name, text] : card.conventions) conventions[name] = text;
    return conventions;
}

}  // namespace locus
