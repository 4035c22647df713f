#include "recipes/engine/card_conventions.h"

#include <cmath>

#include "framework/core/error.h"
#include "recipes/engine/card_mask.h"

namespace locus::inline LOCUS_SCALAR {

namespace {

std::string length_text(const PositionalEncoding& encoding, Index trained) {
    std::string text = encoding.varies_by_length() ? "frequencies follow the length of the window"
                                                   : "the same at every length";
    if (encoding.longest()) text += fmt::format("; positions 0 to {} only", *encoding.longest() - 1);
    return text + fmt::format("; trained at {}", trained);
}

std::string initial_text(Index layers) {
    return fmt::format(
        "weights and embeddings N(0, 0.02), outputs to the residual stream N(0, 0.02 / sqrt(2 layers) = "
        "{:.4g}), "
        "drawn by (seed, name)",
        0.02 / std::sqrt(2 * static_cast<double>(layers)));
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
        {"lengths", length_text(model.encoding(), recipe.train.length)},
        {"attention", "tiled, with an online softmax; equal to composed ops"},
        {"dropout",
         fmt::format(
             "{} on the embeddings and on both residual branches of a block, none on attention weights",
             options.dropout)},
        {"initialisation", initial_text(options.layers)},
        {"biases", options.bias ? "on in linear layers and layer norms" : "off"},
        {"norm",
         options.norm == NormKind::layer ? "layer norm before each branch" : "RMS norm before each branch"},
        {"activation", options.activation == Activation::gelu_tanh ? "GELU, tanh form" : "SwiGLU"},
        {"output matrix", options.tie_embeddings ? "the token embeddings" : "its own"},
        {"layers", model.encoding().varies_by_layer() ? "terms of their own in every layer"
                                                      : "the same terms in all layers"},
    };
    // The encoding knows better than the model around it.
    for (const auto& [name, text] : card.conventions) conventions[name] = text;
    return conventions;
}

}  // namespace locus::inline LOCUS_SCALAR
