#include "models/transformer.h"

#include <cmath>

#include "framework/ops/embedding.h"
#include "framework/ops/matmul.h"
#include "models/layer_mask.h"

namespace locus::inline LOCUS_SCALAR {

namespace {

constexpr double deviation = 0.02;  // of initial weights (GPT-2)

// Weights that write to the residual stream begin smaller, so that its variance does not grow with depth
// (GPT-2).
double residual_deviation(const ModelOptions& options) {
    return deviation / std::sqrt(2 * static_cast<double>(options.layers));
}

Norm make_norm(const ParameterScope& scope, const ModelOptions& options) {
    const auto kind = options.norm == NormKind::layer ? Norm::Kind::layer : Norm::Kind::rms;
    return Norm(scope, options.width, kind, options.bias);
}

Mlp make_mlp(const ParameterScope& scope, const ModelOptions& options) {
    const auto kind = options.activation == Activation::gelu_tanh ? Mlp::Kind::gelu : Mlp::Kind::swiglu;
    return Mlp(scope, options.width, options.hidden(), kind, {deviation, residual_deviation(options)},
               options.bias);
}

void check(const ModelOptions& o) {
    require(o.layers >= 1 && o.width >= 1 && o.heads >= 1 && o.kv_heads >= 1 && o.vocabulary >= 1 &&
                o.hidden() >= 1,
            "model: layers {}, width {}, heads {}, kv_heads {}, hidden width {} and vocabulary {} must be at "
            "least 1",
            o.layers, o.width, o.heads, o.kv_heads, o.hidden(), o.vocabulary);
    require(o.width % o.heads == 0, "model: {} heads do not divide the width {}", o.heads, o.width);
    require(o.heads % o.kv_heads == 0, "model: {} kv_heads do not divide {} heads", o.kv_heads, o.heads);
}

}  // namespace

struct Transformer::Block {
    Block(const ParameterScope& scope, const ModelOptions& options, bool global_projections)
        : attention_norm(make_norm(scope.inside("attention_norm"), options)),
          attention(scope.inside("attention"), options, deviation, residual_deviation(options),
                    global_projections),
          mlp_norm(make_norm(scope.inside("mlp_norm"), options)),
          mlp(make_mlp(scope.inside("mlp"), options)) {}

    Norm attention_norm;
    SelfAttention attention;
    Norm mlp_norm;
    Mlp mlp;
};

Transformer::Transformer(const ModelOptions& model, const EncodingOptions& encoding, const MaskOptions& mask,
                         Index train_length, std::uint64_t seed)
    : model_(model), mask_(mask), kind_(encoding.kind) {
    check(model);
    check_mask(mask, model.layers);
    const ParameterScope scope(store_);
    tokens_ = scope.add("tokens.weight", {model.vocabulary, model.width}, Initial::normal(deviation));
    const EncodingShape shape{model.width,  model.heads,  model.kv_heads, model.head_dim(),
                              model.layers, train_length, site()};
    encoding_ = EncodingRegistry::instance()
                    .at(encoding.kind)
                    .make(encoding.options, shape, scope.inside("encoding"));
    for (Index i = 0; i < model.layers; ++i) {
        blocks_.push_back(std::make_unique<Block>(scope.inside("blocks." + std::to_string(i)), model,
                                                  has_global_projections(mask, i)));
    }
    final_norm_ = std::make_unique<Norm>(make_norm(scope.inside("final_norm"), model));
    if (!model.tie_embeddings) {
        output_ = scope.add("output.weight", {model.vocabulary, model.width}, Initial::normal(deviation));
    }
    store_.allocate(seed);
    for (const auto& block : blocks_) block->attention.initialise();
    store_.touch();
}

Transformer::~Transformer() = default;

Mask Transformer::mask(Index layer) const {
    return layer_mask(mask_, layer);
}

Variable Transformer::hidden(const ForwardInput& input) const {
    require(input.positions.length() == input.length, "transformer: {} positions for length {}",
            input.positions.length(), input.length);
    require_axes(kind_, input.positions.axes());
    Context context{input.frequency_length == 0 ? input.length : input.frequency_length, 0, site()};
    PositionTerms terms = encoding_->terms(input.positions, input.positions, context);
    const double rate = input.training ? model_.dropout : 0;
    const auto drop = [&](const Variable& x, Index place) {
        DropoutKey key = input.dropout;
        key.layer = static_cast<std::uint64_t>(place);
        return dropout(x, rate, key);
    };

    WorkVector<Token> ids;
    ids.assign(input.tokens.begin(), input.tokens.end());
    Variable x = embedding(tokens_, std::move(ids), input.batch, input.length);
    if (terms.token_scale != 1) x = scale(x, terms.token_scale);
    if (terms.embedding) x = add(x, terms.embedding);
    x = drop(x, 0);
    for (Index layer = 0; layer < model_.layers; ++layer) {
        const Block& block = *blocks_[static_cast<std::size_t>(layer)];
        if (layer > 0 && encoding_->varies_by_layer()) {
            context.layer = layer;
            terms = encoding_->terms(input.positions, input.positions, context);
        }
        Mask seen = mask(layer);
        seen.query_segments.assign(input.segments.begin(), input.segments.end());
        seen.key_segments = seen.query_segments;
        x = add(x,
                drop(block.attention(block.attention_norm(x), terms, input.positions, seen, input.attention),
                     2 * layer + 1));
        x = add(x, drop(block.mlp(block.mlp_norm(x)), 2 * layer + 2));
    }
    return (*final_norm_)(x);
}

Variable Transformer::output_matrix() const {
    return model_.tie_embeddings ? tokens_ : output_;
}

Variable Transformer::logits(const ForwardInput& input) const {
    return linear(hidden(input), output_matrix());
}

CrossEntropy Transformer::loss(const ForwardInput& input, std::span<const Token> targets,
                               bool keep_nats) const {
    return linear_cross_entropy(hidden(input), output_matrix(), targets, keep_nats);
}

double Transformer::flops_per_token(Index length) const {
    return 6 * static_cast<double>(store_.count()) +
           6 * static_cast<double>(model_.layers * model_.width) * static_cast<double>(length);
}

}  // namespace locus::inline LOCUS_SCALAR
