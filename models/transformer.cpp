#include "models/transformer.h"

#include <algorithm>
#include <cmath>

#include "framework/core/arena.h"
#include "framework/ops/elementwise.h"
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
Tensor added_vectors(std::span<const AttentionCall> parts, const Shape& shape) {
    if (std::none_of(parts.begin(), parts.end(), [](const auto& p) { return bool(p.terms.embedding); }))
        return {};
    MutableTensor all = Tensor::zeros(shape);
    const Index width = shape[2];
    for (const AttentionCall& part : parts) {
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
    const MutableTensor kept = Tensor::empty({x.size(0), x.size(1), 1});
    for (std::size_t i = 0; i < segments.size(); ++i)
        kept.data()[i] = static_cast<Scalar>(segments[i] < 0 ? 0 : 1);
    return multiply(x, kept);
}

std::vector<Index> places_of_targets(std::span<const Token> targets) {
    std::vector<Index> places;
    for (std::size_t i = 0; i < targets.size(); ++i)
        if (targets[i] != no_target) places.push_back(static_cast<Index>(i));
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
    embedder_ = std::make_unique<TokenEmbedder>(scope, model);
    encoding_ = make_encoding(encoding, encoding_shape(model, mask, train_length),
                              scope.inside("encoding").with_lr_factor(encoding.lr_factor));
    for (Index i = 0; i < model.layers; ++i) {
        blocks_.emplace_back(scope.inside("blocks." + std::to_string(i)), model, site(),
                             has_global_projections(mask, i));
    }
    final_norm_ = std::make_unique<Norm>(make_norm(scope.inside("final_norm"), model));
    head_ = HeadRegistry::instance().at(model.head).make(scope, model, embedder_->tied());
    if (!seed) return;
    store_.allocate(*seed);
    for (const Block& block : blocks_) block.initialise();
}

Mask Transformer::mask(Index layer) const {
    return layer_mask(mask_, layer);
}

void Transformer::check(const Batch& batch, const Pass& pass) const {
    batch.check();
    require(!pass.growing || pass.frequency_length == 0,
            "transformer: frequencies cannot grow and be those of length {}", pass.frequency_length);
    require_axes(kind_, batch.positions.axes());
    const KvCache* cache = pass.cache;
    if (cache == nullptr) {
        const bool stated = pass.growing || pass.frequency_length > 0;
        require(stated || !encoding_->varies_by_length() || !has_lengths_of_their_own(batch),
                "transformer: padded or packed sequences under an encoding that looks at the length: whose "
                "length must be said (fixed:N or growing)");
        return;
    }
    require(cache->shape().sequences == batch.sequences,
            "transformer: a cache of {} sequences for a batch of {}", cache->shape().sequences,
            batch.sequences);
    require(!pass.growing && pass.frequency_length == 0,
            "transformer: the length mode of a pass behind a cache is the cache's");
    require(cache->axes() == 0 || batch.positions.axes() == cache->axes(),
            "transformer: positions of {} axes behind a cache of {}", batch.positions.axes(), cache->axes());
}

bool Transformer::is_cut(const Batch& batch, const Pass& pass) const {
    return pass.cache != nullptr || (!batch.segments.empty() && mask_.global > 0);
}

Variable Transformer::hidden(const Batch& batch, const Pass& pass) const {
    check(batch, pass);
    const bool growing = pass.growing || (pass.cache != nullptr && pass.cache->options().growing);
    return growing ? states_growing(batch, pass) : states(batch, pass);
}

// States of the embedder, scaled, with the encoding's vectors added.
Variable Transformer::embedded(const Batch& batch, std::span<const AttentionCall> parts) const {
    Variable x = (*embedder_)(batch);
    if (parts.empty()) return x;
    const PositionTerms& first = parts.front().terms;
    if (first.token_scale != 1) x = scale(x, first.token_scale);
    if (parts.size() == 1 && parts.front().is_whole(batch.sequences, batch.length))
        return first.embedding ? add(x, first.embedding) : x;
    const Tensor added = added_vectors(parts, x.shape());
    return added ? add(x, added) : x;
}

// Terms of every part at `layer`. Rotations belong to the new tokens alone, so the cached keys are asked for
// only where something needs them.
void Transformer::set_terms(std::vector<AttentionCall>& parts, const KvCache* cache, Index layer) const {
    for (AttentionCall& part : parts) {
        const Context context{part.length, layer, site()};
        const bool raw = cache != nullptr && cache->raw_keys();
        if (!raw) part.terms = encoding_->terms(part.query, part.query, context);
        if (cache == nullptr || !(raw || part.terms.is_pairwise())) continue;
        PositionTerms all = encoding_->terms(part.query, part.key, context);
        if (!raw) all.key = part.terms.key;
        part.terms = std::move(all);
    }
}

void Transformer::set_masks(std::vector<AttentionCall>& parts, const Batch& batch, const Pass& pass,
                            Index layer) const {
    for (AttentionCall& part : parts) {
        part.mask = pass.cache ? pass.cache->mask(layer, part.sequence) : mask(layer);
        if (is_cut(batch, pass)) continue;
        const auto segments = batch.segments.numbers();
        part.mask.query_segments.assign(segments.begin(), segments.end());
        part.mask.key_segments = part.mask.query_segments;
    }
}

// The one way through the model. Of a tail [asked, width], else [B, T, width].
Variable Transformer::states(const Batch& batch, const Pass& pass, const Tail* tail) const {
    require(!is_cut(batch, pass) || (Tape::current() == nullptr && !pass.training),
            "transformer: a cache, growing frequencies, or segments with global tokens: not while training");
    std::vector<AttentionCall> parts = is_cut(batch, pass) ? cut_pass(batch, pass) : whole_pass(batch, pass);
    LayerPass told{.parts = parts, .cache = pass.cache, .attention = pass.attention};
    told.key = {pass.seed, pass.step, static_cast<std::uint64_t>(batch.first), 0};
    if (pass.training) told.dropout = model_.dropout;
    set_terms(parts, pass.cache, 0);
    Variable x = told.drop(embedded(batch, parts), 0);
    for (Index layer = 0; layer < model_.layers; ++layer) {
        if (layer > 0 && encoding_->varies_by_layer()) set_terms(parts, pass.cache, layer);
        set_masks(parts, batch, pass, layer);
        told.layer = layer;
        if (layer + 1 == model_.layers) told.tail = tail;
        x = blocks_[static_cast<std::size_t>(layer)](x, told);
    }
    for (const AttentionCall& part : parts)
        if (pass.cache != nullptr) pass.cache->advance(part.sequence, part.sequences, part.query);
    x = (*final_norm_)(x);
    return tail ? x : without_padding(x, batch.segments.numbers());
}

// Rows of one class of lengths at a time, each behind the raw keys of the rows before.
Variable Transformer::states_growing(const Batch& batch, const Pass& pass) const {
    Pass behind = pass;
    behind.growing = false;
    std::optional<KvCache> own;
    if (behind.cache == nullptr) behind.cache = &own.emplace(make_cache(batch.sequences, {.growing = true}));
    const auto cuts = cut_by_length(batch, *behind.cache, *encoding_);
    if (cuts.size() == 1) return states(batch, behind);
    const MutableTensor out = Tensor::empty({batch.sequences, batch.length, model_.width});
    const ArenaScope heap(nullptr);  // an arena would hold the keys of every class until the end of the pass
    for (const TokenRun& cut : cuts) {
        const Tensor rows = states(batch.run(cut.first, cut.count), behind).value();
        const Index run = cut.count * model_.width;
        for (Index b = 0; b < batch.sequences; ++b) {
            std::copy_n(rows.data() + b * run, run,
                        out.data() + (b * batch.length + cut.first) * model_.width);
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

Variable Transformer::logits(const Batch& batch, const Pass& pass) const {
    return logits_of(hidden(batch, pass));
}

Variable Transformer::logits_of(const Variable& hidden) const {
    return head_->outputs(hidden);
}

Loss Transformer::loss(const Batch& batch, const Pass& pass) const {
    const auto targets = batch.targets.numbers();
    const bool whole = pass.cache == nullptr && !pass.growing && batch.segments.empty();
    if (whole && Tape::current() == nullptr && !pass.training) {
        const std::vector<Index> asked = places_of_targets(targets);
        if (!asked.empty() && asked.size() < targets.size()) return loss_of(asked, batch, pass);
    }
    return head_->loss(hidden(batch, pass), {targets, batch.weights.numbers()}, pass.keep_each);
}

// The same loss from the places that are asked for alone.
Loss Transformer::loss_of(std::span<const Index> asked, const Batch& batch, const Pass& pass) const {
    check(batch, pass);
    require(batch.targets.width() == batch.length, "transformer: {} targets for [{}, {}]",
            batch.targets.numbers().size(), batch.sequences, batch.length);
    std::vector<Token> targets;
    std::vector<float> weights;
    for (const Index place : asked) {
        targets.push_back(batch.targets[static_cast<std::size_t>(place)]);
        if (!batch.weights.empty()) weights.push_back(batch.weights[static_cast<std::size_t>(place)]);
    }
    const Tail tail(asked, batch.sequences, batch.length);
    Loss loss = head_->loss(states(batch, pass, &tail), {targets, weights}, pass.keep_each);
    if (!pass.keep_each) return loss;
    std::vector<double> each(batch.targets.numbers().size(), 0.0);
    for (std::size_t i = 0; i < asked.size(); ++i) each[static_cast<std::size_t>(asked[i])] = loss.each[i];
    loss.each = std::move(each);
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
