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

void check_sizes(const ModelOptions& o) {
    require(o.layers >= 1 && o.width >= 1 && o.heads >= 1 && o.kv_heads >= 1 && o.vocabulary >= 1 &&
                o.hidden() >= 1,
            "model: layers {}, width {}, heads {}, kv_heads {}, hidden width {} and vocabulary {} must be at "
            "least 1",
            o.layers, o.width, o.heads, o.kv_heads, o.hidden(), o.vocabulary);
    require(o.width % o.heads == 0, "model: {} heads do not divide the width {}", o.heads, o.width);
    require(o.heads % o.kv_heads == 0, "model: {} kv_heads do not divide {} heads", o.kv_heads, o.heads);
}

// The vectors that an encoding adds to the tokens: [B, T, width], zeros where no part is; empty: there are
// none.
Tensor added_vectors(std::span<const PassPart> parts, const Shape& shape) {
    if (std::none_of(parts.begin(), parts.end(), [](const auto& p) { return bool(p.terms.embedding); }))
        return {};
    Tensor all = Tensor::zeros(shape);
    const Index width = shape[2];
    for (const PassPart& part : parts) {
        const Tensor& vectors = part.terms.embedding.value();  // [1 or sequences, rows, width]
        const Index run = part.asking.count * width;
        for (Index b = 0; b < part.sequences; ++b) {
            const Scalar* from = vectors.data() + (vectors.size(0) == 1 ? 0 : b) * run;
            std::copy_n(from, run, all.data() + ((part.sequence + b) * shape[1] + part.asking.first) * width);
        }
    }
    return all;
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

}  // namespace

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
    check_sizes(model);
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
        blocks_.emplace_back(scope.inside("blocks." + std::to_string(i)), model, site(),
                             has_global_projections(mask, i));
    }
    final_norm_ = std::make_unique<Norm>(make_norm(scope.inside("final_norm"), model));
    if (!model.tie_embeddings) {
        output_ = scope.add_matrix("output.weight", tokens, drawn);
    }
    if (!seed) return;
    store_.allocate(*seed);
    for (const Block& block : blocks_) block.initialise();
    store_.touch();
}

Mask Transformer::mask(Index layer) const {
    return layer_mask(mask_, layer);
}

void Transformer::check(const ForwardInput& input) const {
    const Index places = input.batch * input.length;
    const KvCache* cache = input.cache;
    require(input.positions.length() == input.length, "transformer: {} positions for length {}",
            input.positions.length(), input.length);
    require(input.segments.empty() || static_cast<Index>(input.segments.size()) == places,
            "transformer: {} segments for [{}, {}]", input.segments.size(), input.batch, input.length);
    require(!input.growing || input.frequency_length == 0,
            "transformer: frequencies cannot grow and be those of length {}", input.frequency_length);
    require_axes(kind_, input.positions.axes());
    if (cache == nullptr) {
        const bool stated = input.growing || input.frequency_length > 0;
        require(stated || !encoding_->varies_by_length() || !has_lengths_of_their_own(input),
                "transformer: padded or packed sequences under an encoding that looks at the length: whose "
                "length must be said (fixed:N or growing)");
        return;
    }
    require(cache->shape().sequences == input.batch, "transformer: a cache of {} sequences for a batch of {}",
            cache->shape().sequences, input.batch);
    require(!input.growing && input.frequency_length == 0,
            "transformer: the length mode of a pass behind a cache is the cache's");
    require(cache->axes() == 0 || input.positions.axes() == cache->axes(),
            "transformer: positions of {} axes behind a cache of {}", input.positions.axes(), cache->axes());
}

Variable Transformer::hidden(const ForwardInput& input) const {
    check(input);
    const bool growing = input.growing || (input.cache != nullptr && input.cache->options().growing);
    return growing ? states_growing(input) : states(input);
}

// Rows of the token embeddings, scaled, with the encoding's vectors added.
Variable Transformer::embedded(const ForwardInput& input, std::span<const PassPart> parts) const {
    WorkVector<Token> ids;
    ids.assign(input.tokens.begin(), input.tokens.end());
    Variable x = embedding(tokens_, std::move(ids), input.batch, input.length);
    if (parts.empty()) return x;
    const PositionTerms& first = parts.front().terms;
    if (first.token_scale != 1) x = scale(x, first.token_scale);
    if (parts.size() == 1 && parts.front().is_whole(input.batch, input.length))
        return first.embedding ? add(x, first.embedding) : x;
    const Tensor added = added_vectors(parts, x.shape());
    return added ? add(x, added) : x;
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

void Transformer::set_masks(std::vector<PassPart>& parts, const ForwardInput& input, Index layer) const {
    for (PassPart& part : parts) {
        part.mask = input.cache ? input.cache->mask(layer, part.sequence) : mask(layer);
        if (is_cut(input)) continue;
        part.mask.query_segments.assign(input.segments.begin(), input.segments.end());
        part.mask.key_segments = part.mask.query_segments;
    }
}

bool Transformer::is_cut(const ForwardInput& input) const {
    return input.cache != nullptr || (!input.segments.empty() && mask_.global > 0);
}

// The one way through the model. Of a tail [asked, width], else [B, T, width].
Variable Transformer::states(const ForwardInput& input, const Tail* tail) const {
    require(!is_cut(input) || (Tape::current() == nullptr && !input.training),
            "transformer: a cache, growing frequencies, or segments with global tokens: not while training");
    std::vector<PassPart> parts = is_cut(input) ? cut_pass(input) : whole_pass(input);
    LayerPass pass{.parts = parts, .cache = input.cache, .attention = input.attention, .key = input.dropout};
    if (input.training) pass.dropout = model_.dropout;
    set_terms(parts, input.cache, 0);
    Variable x = pass.drop(embedded(input, parts), 0);
    for (pass.layer = 0; pass.layer < model_.layers; ++pass.layer) {
        if (pass.layer > 0 && encoding_->varies_by_layer()) set_terms(parts, input.cache, pass.layer);
        set_masks(parts, input, pass.layer);
        if (pass.layer + 1 == model_.layers) pass.tail = tail;
        x = blocks_[static_cast<std::size_t>(pass.layer)](x, pass);
    }
    for (const PassPart& part : parts)
        if (input.cache != nullptr) input.cache->advance(part.sequence, part.sequences, part.query);
    x = (*final_norm_)(x);
    return tail ? x : without_padding(x, input.segments);
}

// Rows of one class of lengths at a time, each behind the raw keys of the rows before.
Variable Transformer::states_growing(const ForwardInput& input) const {
    ForwardInput all = input;
    std::optional<KvCache> own;
    if (all.cache == nullptr) all.cache = &own.emplace(make_cache(input.batch, {.growing = true}));
    all.growing = false;
    const auto cuts = cut_by_length(all, *encoding_);
    if (cuts.size() == 1) return states(all);
    const Tensor out = Tensor::empty({input.batch, input.length, model_.width});
    const ArenaScope heap(nullptr);  // an arena would hold the keys of every class until the end of the pass
    std::vector<Token> tokens;
    std::vector<std::int32_t> segments;
    for (const auto& [first, last] : cuts) {
        const Tensor rows = states(slice_input(all, first, last, tokens, segments)).value();
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
    return KvCache({model_.layers, sequences, model_.kv_heads, model_.head_dim()}, options, std::move(masks),
                   raw);
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
    check(input);
    require(static_cast<Index>(targets.size()) == input.batch * input.length,
            "transformer: {} targets for [{}, {}]", targets.size(), input.batch, input.length);
    std::vector<Token> tokens;
    for (const Index place : asked) tokens.push_back(targets[static_cast<std::size_t>(place)]);
    const Tail tail(asked, input.batch, input.length);
    CrossEntropy loss = linear_cross_entropy(states(input, &tail), output_matrix(), tokens, keep_nats);
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
