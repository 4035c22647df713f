// A decoder-only transformer in pre-norm form (arXiv:2002.04745).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "framework/core/batch.h"
#include "models/block.h"
#include "models/embedder.h"
#include "models/head.h"
#include "models/pass.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// An embedder, blocks of attention and MLP, a final norm and a head. Position comes from the encoding only.
class Transformer {
  public:
    /// Throws when sizes do not fit, for the model or for its encoding. Initial values are drawn by (seed,
    /// name).
    Transformer(const ModelOptions& model, const EncodingOptions& encoding, const MaskOptions& mask,
                Index train_length, std::uint64_t seed);

    /// The parameters of such a model, which is not made: however large, it takes no memory.
    static std::vector<ParameterInfo> list_parameters(const ModelOptions& model,
                                                      const EncodingOptions& encoding,
                                                      const MaskOptions& mask, Index train_length);

    /// How many numbers they hold.
    static Index count_parameters(const ModelOptions& model, const EncodingOptions& encoding,
                                  const MaskOptions& mask, Index train_length);

    /// States after the final norm, [B, T, width]. Growing frequencies, a cache, and segments under a mask
    /// with global tokens run without a tape only. Throws when positions, segments, cache and length mode do
    /// not fit, and where padded or packed sequences meet an encoding that looks at the length and no length
    /// mode is stated.
    Variable hidden(const Batch& batch, const Pass& pass = {}) const;

    /// Logits of every place, [B, T, vocabulary].
    Variable logits(const Batch& batch, const Pass& pass = {}) const;

    /// Logits [B, T, vocabulary] of states [B, T, width].
    Variable logits_of(const Variable& hidden) const;

    /// The head's loss of what the batch asks: the one place that makes a forward pass of a batch. Without a
    /// tape, places that are not asked end with the last attention.
    Loss loss(const Batch& batch, const Pass& pass = {}) const;

    /// A cache for this model. Throws when the options do not fit its mask.
    KvCache make_cache(Index sequences, const CacheOptions& options) const;

    ParameterStore& parameters() { return store_; }
    const ParameterStore& parameters() const { return store_; }
    const PositionalEncoding& encoding() const { return *encoding_; }
    const ModelOptions& options() const { return model_; }
    Mask mask(Index layer) const;
    Index axes() const { return axes_; }  // of the positions that the encoding reads; text repeats its one
    Site site() const { return mask_.causal ? Site::self_causal : Site::self_bidirectional; }

    /// Whether the tokens behind a token, and their number, change nothing of its logits, not a bit: then the
    /// first logits of a sequence are those of a shorter one. Only of consecutive positions, without
    /// segments.
    bool later_tokens_change_nothing() const;

    /// 6 P + 6 layers width length + those of the encoding: floating point operations of products in
    /// training on a token in a causal window, forward and backward (arXiv:2001.08361). P counts the matrices
    /// that every token is multiplied by: those of the layers, and the output matrix, once where it is tied
    /// to the token embeddings. Not counted: what is looked up, added or scaled (untied token embeddings,
    /// tables of positions and of biases, norms, rotations), and the mask, which may skip products.
    double flops_per_token(Index length) const;

  private:
    // Without a seed: names and shapes of the parameters only.
    Transformer(const ModelOptions& model, const EncodingOptions& encoding, const MaskOptions& mask,
                Index train_length, std::optional<std::uint64_t> seed);

    void check(const Batch& batch, const Pass& pass) const;
    // Whether a pass runs in parts, each of one document; otherwise masks know the segments.
    bool is_cut(const Batch& batch, const Pass& pass) const;
    Variable embedded(const Batch& batch, std::span<const AttentionCall> parts) const;
    Variable states(const Batch& batch, const Pass& pass, const Tail* tail = nullptr) const;
    Variable states_growing(const Batch& batch, const Pass& pass) const;
    Loss loss_of(std::span<const Index> asked, const Batch& batch, const Pass& pass) const;
    void set_terms(std::vector<AttentionCall>& parts, const KvCache* cache, Index layer) const;
    void set_masks(std::vector<AttentionCall>& parts, const Batch& batch, const Pass& pass,
                   Index layer) const;

    ModelOptions model_;
    MaskOptions mask_;
    std::string kind_;  // of the encoding
    Index axes_;
    ParameterStore store_;
    std::unique_ptr<TokenEmbedder> embedder_;
    std::unique_ptr<PositionalEncoding> encoding_;
    std::vector<Block> blocks_;
    std::unique_ptr<Norm> final_norm_;
    std::unique_ptr<Head> head_;
};

}  // namespace LOCUS_SCALAR
}  // namespace locus
