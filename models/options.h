// The `model:`, `encoding:` and `mask:` sections of a recipe.
#pragma once

#include <cmath>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/options.h"
#include "framework/core/scalar.h"

namespace locus {

enum class NormKind { layer, rms };
enum class Activation { gelu_tanh, swiglu };

struct ModelOptions {
    Index layers = 4;
    Index width = 128;
    Index heads = 4;
    Index kv_heads = 4;    // key/value heads, each shared by heads / kv_heads query heads; default: heads
    double mlp_ratio = 4;  // hidden width of the MLP / width
    NormKind norm = NormKind::layer;
    double norm_epsilon = 1e-5;  // added to the variance, or to the mean square
    Activation activation = Activation::gelu_tanh;
    bool bias = false;                // biases of linear layers and layer norms
    double dropout = 0;               // on embeddings and residual branches
    bool tie_embeddings = true;       // the output matrix is the embedding matrix
    double init = 0;                  // standard deviation of initial weights; 0: fan_in, 1 / sqrt(width)
    Index vocabulary = 256;           // from the tokenizer, never from the recipe
    std::string head = "next_token";  // of those that are registered

    Index head_dim() const { return width / heads; }
    double deviation() const { return init > 0 ? init : 1 / std::sqrt(static_cast<double>(width)); }
    /// Weights that write to the residual stream begin smaller, so that its variance does not grow with depth
    /// (GPT-2).
    double residual_deviation() const { return deviation() / std::sqrt(2 * static_cast<double>(layers)); }
    Index hidden() const { return static_cast<Index>(mlp_ratio * static_cast<double>(width)); }
};

/// The one source of position in a model.
struct EncodingOptions {
    std::string kind = "rope";
    Options options;       // as the encoding of that kind declares them
    double lr_factor = 1;  // of the learning rate of its own parameters
};

/// One number for all layers, or one per layer.
struct PerLayer {
    PerLayer(Index same) : all(same) {}
    PerLayer(std::vector<Index> numbers) : each(std::move(numbers)) {}
    PerLayer(std::initializer_list<Index> numbers) : each(numbers) {}

    Index at(Index layer) const { return each.empty() ? all : each[static_cast<std::size_t>(layer)]; }
    bool operator==(const PerLayer&) const = default;

    Index all = 0;
    std::vector<Index> each = {};  // [layers]; empty: `all`
};

struct MaskOptions {
    bool causal = true;
    PerLayer window = 0;  // keys that a query sees, itself included; 0: all
    PerLayer dilation =
        1;             // step between the keys of a window; a single number leaves layers without one alone
    Index global = 0;  // the first tokens, which see all and are seen by all in spite of the window
    // Whether global tokens have q, k and v projections of their own in the layers with a window, equal to
    // the others at first (arXiv:2004.05150).
    bool global_projections = false;
};

}  // namespace locus
