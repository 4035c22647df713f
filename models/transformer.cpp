#include "models/transformer.h"

#include <algorithm>
#include <cmath>

#include "framework/core/arena.h"
#include "framework/ops/embedding.h"
#include "framework/ops/matmul.h"
#include "framework/ops/shape.h"
#include "models/layer_mask.h"
#include "models/pass_cut.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

// Weights that write to the residual stream begin smaller, so that its variance does not grow with depth
// (GPT-2).
double residual_deviation(const ModelOptions& options) {
    return options.deviation() / std::sqrt(2 * static_cast<double>(options.layers));
}

Norm make_norm(const ParameterScope& scope, const ModelOptions& options) {
    const auto kind = options.norm == NormKind::layer ? Norm::Kind::layer : Norm::Kind::rms;
    return Norm(scope, options.width, kind, options.bias);
}

Mlp make_mlp(const ParameterScope& scope, const ModelOptions& options) {
    const auto kind = options.activation == Activation::gelu_tanh ? Mlp::Kind::gelu : Mlp::Kind::swiglu;
    return Mlp(scope, options.width, options.hidden(), kind,
               {options.deviation(), residual_deviation(options)}, options.bias);
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

void check_input(const ForwardInput& input, Index axes) {
    const Index places = input.batch * input.length;
    require(input.positions.length() == input.length, "transformer: {} positions for length {}",
            input.positions.length(), input.length);
    require(input.segments.empty() || static_cast<Index>(input.segments.size()) == places,
            "transformer: {} segments for [{}, {}]", input.segments.size(), input.batch, input.length);
    require(!input.growing || input.frequency_length == 0,
            "transformer: frequencies cannot grow and be those of length {}", input.frequency_length);
    const KvCache* cache = input.cache;
    if (cache == nullptr) return;
    require(cache->shape().sequences == input.batch, "transformer: a cache of {} sequences for a batch of {}",
            cache->shape().sequences, input.batch);
    require(!input.growing && input.frequency_length == 0,
            "transformer: the length mode of a pass behind a cache is the cache's");
    require(input.positions.axes() == axes, "transformer: positions of {} axes, expected {}",
            input.positions.axes(), axes);
}

// Rows of the token embeddings [B, T, width], scaled, with the encoding's vectors added.
void add_embedding(const PassPart& part, const Tensor& x) {
    const Tensor& vectors = part.terms.embedding.value();  // [1 or sequences, rows, width]
    const Index width = x.size(2), run = part.rows * width;
    for (Index b = 0; b < part.sequences; ++b) {
        Scalar* row = x.data() + ((part.sequence + b) * x.size(1) + part.first) * width;
        for (Index i = 0; i < run; ++i) row[i] *= part.terms.token_scale;
        if (!vectors) continue;
        const Scalar* vector = vectors.data() + (vectors.size(0) == 1 ? 0 : b) * run;
        for (Index i = 0; i < run; ++i) row[i] += vector[i];
    }
}

// States [B, T, width] with zeros in the places of padding.
Variable without_padding(const Variable& x, std::span<const std::int32_t> segments) {
    if (std::none_of(segments.begin(), segments.end(), [](std::int32_t s) { return s < 0; })) return x;
    const Tensor kept = Tensor::empty({x.size(0), x.size(1), 1});
    for (std::size_t i = 0; i < segments.size(); ++i)
        kept.data()[i] = static_cast<Scalar>(segments[i] < 0 ? 0 : 1);
    return multiply(x, kept);
}

std::vector<Index> places_of_targets(std::span<const Token> targets) {
    std::vector<Index> places;
    for (std::size_t i = 0; i < targets.size(); ++i)
        if (targets[i] != Batch::no_target) places.push_back(static_cast<Index>(i));
    return places;
}

// Rows of [B, T, width] by their places: [places, width]. Nothing is recorded.
Variable rows_of(const Variable& x, std::span<const Index> places) {
    const Index width = x.size(-1);
    const Tensor out = Tensor::empty({static_cast<Index>(places.size()), width});
    for (std::size_t i = 0; i < places.size(); ++i)
        std::copy_n(x.value().data() + places[i] * width, width, out.data() + static_cast<Index>(i) * width);
    return out;
}

/// The last `length` tokens of every sequence.
struct Tail {
    Index length;
    std::vector<Index> places;  // of them, in [B, T]: [B, length]
    std::vector<Index> kept;    // what is asked for, in [B, length]
};

// The shortest that holds all these places of [B, T].
Tail tail_of(std::span<const Index> kept, Index batch, Index length) {
    Index first = length;
    for (const Index place : kept) first = std::min(first, place % length);
    Tail tail{length - first, {}, {}};
    for (Index b = 0; b < batch; ++b)
        for (Index t = first; t < length; ++t) tail.places.push_back(b * length + t);
    for (const Index place : kept) tail.kept.push_back(place / length * tail.length + place % length - first);
    return tail;
}

}  // namespace

struct Transformer::Block {
    Block(const ParameterScope& scope, const ModelOptions& options, bool global_projections)
        : attention_norm(make_norm(scope.inside("attention_norm"), options)),
          attention(scope.inside("attention"), options, options.deviation(), residual_deviation(options),
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
    : Transformer(model, encoding, mask, train_length, std::optional(seed)) {}

std::vector<ParameterInfo> Transformer::list_parameters(const ModelOptions& model,
                                                        const EncodingOptions& encoding,
                                                        const MaskOptions& mask, Index train_length) {
    return Transformer(model, encoding, mask, train_length, std::nullopt).store_.parameters();
}

Index Transformer::count_parameters(const ModelOptions& model, const EncodingOptions& encoding,
                                    const MaskOptions& mask, Index train_length) {
    return Transformer(model, encoding, mask, train_length, std::nullopt).store_.count();
}

Transformer::Transformer(const ModelOptions& model, const EncodingOptions& encoding, const MaskOptions& mask,
                         Index train_length, std::optional<std::uint64_t> seed)
    : model_(model),
      mask_(mask),
      kind_(encoding.kind),
      axes_(EncodingRegistry::instance().at(encoding.kind).axes.front()) {
    check(model);
    check_mask(mask, model.layers);
    const ParameterScope scope(store_);
    // Tied, it is the matrix of the output; untied, rows are only looked up in it.
    const Shape tokens{model.vocabulary, model.width};
    const Initial drawn = Initial::normal(model.deviation());
    tokens_ = model.tie_embeddings ? scope.add_matrix("tokens.weight", tokens, drawn)
                                   : scope.add("tokens.weight", tokens, drawn);
    encoding_ = make_encoding(encoding, encoding_shape(model, mask, train_length),
                              scope.inside("encoding").with_lr_factor(encoding.lr_factor));
    for (Index i = 0; i < model.layers; ++i) {
        blocks_.push_back(std::make_unique<Block>(scope.inside("blocks." + std::to_string(i)), model,
                                                  has_global_projections(mask, i)));
    }
    final_norm_ = std::make_unique<Norm>(make_norm(scope.inside("final_norm"), model));
    if (!model.tie_embeddings) {
        output_ = scope.add_matrix("output.weight", tokens, drawn);
    }
    if (!seed) return;
    store_.allocate(*seed);
    for (const auto& block : blocks_) block->attention.initialise();
    store_.touch();
}

Transformer::~Transformer() = default;

Mask Transformer::mask(Index layer) const {
    return layer_mask(mask_, layer);
}

Variable Transformer::hidden(const ForwardInput& input) const {
    check_input(input, axes_);
    require_axes(kind_, input.positions.axes());
    if (input.growing || (input.cache != nullptr && input.cache->options().growing))
        return hidden_growing(input);
    const bool by_parts = input.cache != nullptr || (!input.segments.empty() && mask_.global > 0);
    return by_parts ? hidden_by_parts(input) : hidden_whole(input, {});
}

Variable Transformer::embedded(const ForwardInput& input) const {
    WorkVector<Token> ids;
    ids.assign(input.tokens.begin(), input.tokens.end());
    return embedding(tokens_, std::move(ids), input.batch, input.length);
}

// Behind the last attention every place stands for itself, so only the places `kept` go on, [kept, width],
// and in it only the places from the first of them on ask; all of them, [B, T, width], where it is empty.
Variable Transformer::hidden_whole(const ForwardInput& input, std::span<const Index> kept) const {
    Context context{input.frequency_length == 0 ? input.length : input.frequency_length, 0, site()};
    PositionTerms terms = encoding_->terms(input.positions, input.positions, context);
    const double rate = input.training ? model_.dropout : 0;
    const auto drop = [&](const Variable& x, Index place) {
        DropoutKey key = input.dropout;
        key.layer = static_cast<std::uint64_t>(place);
        return dropout(x, rate, key);
    };

    Variable x = embedded(input);
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
        const bool is_last = layer + 1 == model_.layers && !kept.empty();
        const Tail tail = is_last ? tail_of(kept, input.batch, input.length) : Tail{input.length};
        const Variable told = block.attention(block.attention_norm(x), terms, input.positions, seen,
                                              input.attention, tail.length);
        if (is_last) x = reshape(rows_of(x, tail.places), told.shape());
        x = add(x, drop(told, 2 * layer + 1));
        if (is_last) x = rows_of(x, tail.kept);
        x = add(x, drop(block.mlp(block.mlp_norm(x)), 2 * layer + 2));
    }
    return kept.empty() ? without_padding((*final_norm_)(x), input.segments) : (*final_norm_)(x);
}

// Terms of every part at `layer`. Rotations belong to the new tokens alone, so the cached keys are asked for
// only where something needs them.
void Transformer::set_terms(std::vector<PassPart>& parts, const KvCache* cache, Index layer) const {
    for (PassPart& part : parts) {
        const Context context{part.length, layer, site()};
        const bool raw = cache != nullptr && cache->raw_keys();
        if (!raw) part.terms = encoding_->terms(part.query, part.query, context);
        if (cache == nullptr || !(raw || part.terms.is_pairwise())) continue;
        PositionTerms all = encoding_->terms(part.query, part.key, context);
        if (!raw) all.key = part.terms.key;
        part.terms = std::move(all);
    }
}

void Transformer::set_masks(std::vector<PassPart>& parts, const KvCache* cache, Index layer) const {
    for (PassPart& part : parts) part.mask = cache ? cache->mask(layer, part.sequence) : mask(layer);
}

Variable Transformer::hidden_by_parts(const ForwardInput& input) const {
    require(Tape::current() == nullptr && !input.training,
            "transformer: a cache, growing frequencies, or segments with global tokens: not while training");
    std::vector<PassPart> parts = cut_pass(input);
    set_terms(parts, input.cache, 0);
    Variable x = embedded(input);
    for (const PassPart& part : parts) add_embedding(part, x.value());
    for (Index layer = 0; layer < model_.layers; ++layer) {
        const Block& block = *blocks_[static_cast<std::size_t>(layer)];
        if (layer > 0 && encoding_->varies_by_layer()) set_terms(parts, input.cache, layer);
        set_masks(parts, input.cache, layer);
        x = add(x, block.attention(block.attention_norm(x), parts, input.cache, layer, input.attention));
        x = add(x, block.mlp(block.mlp_norm(x)));
    }
    for (const PassPart& part : parts) {
        if (input.cache != nullptr) input.cache->advance(part.sequence, part.sequences, part.query);
    }
    return without_padding((*final_norm_)(x), input.segments);
}

// Rows of one class of lengths at a time, each behind the raw keys of the rows before.
Variable Transformer::hidden_growing(const ForwardInput& input) const {
    ForwardInput all = input;
    std::optional<KvCache> own;
    if (all.cache == nullptr) all.cache = &own.emplace(make_cache(input.batch, {.growing = true}));
    all.growing = false;
    const auto cuts = cut_by_length(all, *encoding_);
    if (cuts.size() == 1) return hidden_by_parts(all);
    const Tensor out = Tensor::empty({input.batch, input.length, model_.width});
    const ArenaScope heap(nullptr);  // an arena would hold the keys of every class until the end of the pass
    std::vector<Token> tokens;
    std::vector<std::int32_t> segments;
    for (const auto& [first, last] : cuts) {
        const Tensor rows = hidden_by_parts(slice_input(all, first, last, tokens, segments)).value();
        const Index run = (last - first) * model_.width;
        for (Index b = 0; b < input.batch; ++b) {
            std::copy_n(rows.data() + b * run, run, out.data() + (b * input.length + first) * model_.width);
        }
    }
    return out;
}

KvCache Transformer::make_cache(Index sequences, const CacheOptions& options) const {
    const bool raw = encoding_->keys_stay_raw() || (options.growing && encoding_->varies_by_length());
    std::vector<Mask> masks;
    for (Index layer = 0; layer < model_.layers; ++layer) masks.push_back(mask(layer));
    return KvCache({model_.layers, sequences, model_.kv_heads, model_.head_dim(), axes_}, options,
                   std::move(masks), raw);
}

Variable Transformer::output_matrix() const {
    return model_.tie_embeddings ? tokens_ : output_;
}

Variable Transformer::logits(const ForwardInput& input) const {
    return logits_of(hidden(input));
}

Variable Transformer::logits_of(const Variable& hidden) const {
    return linear(hidden, output_matrix());
}

CrossEntropy Transformer::loss(const ForwardInput& input, std::span<const Token> targets,
                               bool keep_nats) const {
    const bool whole = input.cache == nullptr && !input.growing && input.segments.empty();
    if (whole && Tape::current() == nullptr && !input.training) {
        const std::vector<Index> asked = places_of_targets(targets);
        if (!asked.empty() && asked.size() < targets.size()) return loss_of(asked, input, targets, keep_nats);
    }
    return linear_cross_entropy(hidden(input), output_matrix(), targets, keep_nats);
}

// The same loss from the places that are asked for alone.
CrossEntropy Transformer::loss_of(std::span<const Index> asked, const ForwardInput& input,
                                  std::span<const Token> targets, bool keep_nats) const {
    check_input(input, axes_);
    require_axes(kind_, input.positions.axes());
    require(static_cast<Index>(targets.size()) == input.batch * input.length,
            "transformer: {} targets for [{}, {}]", targets.size(), input.batch, input.length);
    std::vector<Token> tokens;
    for (const Index place : asked) tokens.push_back(targets[static_cast<std::size_t>(place)]);
    CrossEntropy loss = linear_cross_entropy(hidden_whole(input, asked), output_matrix(), tokens, keep_nats);
    if (!keep_nats) return loss;
    std::vector<double> nats(targets.size(), 0.0);
    for (std::size_t i = 0; i < asked.size(); ++i) nats[static_cast<std::size_t>(asked[i])] = loss.nats[i];
    loss.nats = std::move(nats);
    return loss;
}

bool Transformer::later_tokens_change_nothing() const {
    if (!mask_.causal || encoding_->varies_by_length() || encoding_->keys_stay_raw()) return false;
    const Positions origin(1, 1, axes_, std::vector<std::int64_t>(static_cast<std::size_t>(axes_), 0));
    // Where a term has no tiles, sums run over blocks that depend on the length.
    return has_tiles(encoding_->terms(origin, origin, {1, 0, site()}));
}

double Transformer::flops_per_token(Index length) const {
    return 6 * static_cast<double>(store_.multiplied_count()) +
           6 * static_cast<double>(model_.layers * model_.width) * static_cast<double>(length) +
           encoding_->flops_per_token(length);
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
