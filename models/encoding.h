// The seam between positions and attention: an encoding maps positions to terms. It never sees activations or
// logits.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/registry.h"
#include "framework/nn/module.h"
#include "framework/ops/attention.h"
#include "framework/ops/rotate.h"
#include "models/options.h"

namespace locus {
inline namespace LOCUS_SCALAR {

enum class Site { self_causal, self_bidirectional, cross };

/// Where terms are asked for.
struct Context {
    Index length = 0;  // whose frequencies a rule that looks at the length uses
    Index layer = 0;
    Site site = Site::self_causal;
};

/// What an encoding contributes; everything is optional, and no encoding at all contributes nothing.
struct PositionTerms : LogitTerms {
    Variable embedding;      // [1 or B, T, width], added to the token embeddings once
    Scalar token_scale = 1;  // what token embeddings are multiplied by before that
    Rotation query, key;     // of queries and keys, magnitude folded in

    /// True when a term relates queries to keys: it is then needed for all keys, those in a cache as well.
    /// Rotations and embeddings belong to one token each.
    bool is_pairwise() const {
        return bias || relative_keys || relative_values || content_bias || position_bias || pair_bias ||
               count;
    }
};

/// What an encoding must know of the model to size its tables.
struct EncodingShape {
    Index width, heads, kv_heads, head_dim, layers;
    Index train_length;
    Site site;
    double deviation = 1 / std::sqrt(static_cast<double>(width));  // of initial weights, ModelOptions::init
};

/// The shape of a model that is trained on windows of `train_length` tokens.
EncodingShape encoding_shape(const ModelOptions& model, const MaskOptions& mask, Index train_length);

/// Every number that defines an encoding, in double, for `locus card`. Empty lists do not apply.
struct EncodingCard {
    std::map<std::string, std::string> conventions;  // e.g. pairing: half_split
    std::optional<double> base;
    std::vector<double> inv_freq;        // [pairs], radians a position
    std::vector<double> early_inv_freq;  // [pairs], of positions below early_positions (LongRoPE's n-hat)
    std::int64_t early_positions = 0;
    std::vector<Index> pair_axis;  // [pairs], the axis of positions that turns a pair
    std::vector<std::vector<std::vector<double>>>
        learned_inv_freq;      // [layers][axes][key/value heads * pairs]
    double magnitude = 1;      // on cosine and sine
    std::vector<double> zeta;  // [pairs], xPos's decay
    std::vector<std::vector<double>> query_magnitude, key_magnitude;  // [positions][pairs], where they differ
    double logit_scale = 0;                                           // 0 means 1 / sqrt(head_dim)
    std::vector<double> slopes;                                       // [heads]
    std::vector<std::int64_t> distances;                              // query position - key position
    std::vector<std::int32_t> rows;                                   // of each distance in the bias table
    std::vector<std::vector<double>> bias;                            // [heads][distances]
    std::vector<std::vector<double>> embedding;                       // [positions][width]
    std::vector<std::pair<std::size_t, std::size_t>> embedding_pairs;  // sine and cosine of inv_freq[pair]
};

/// What a card is asked for.
struct CardRequest {
    std::vector<std::int64_t> positions;
    Index length = 0;
    std::vector<std::int64_t> distances;
};

/// The encoding that adds nothing: what others are held against.
inline constexpr const char* no_encoding = "nope";

/// An encoding: positions in, terms out. One file each in models/encodings/, which registers itself.
class PositionalEncoding {
  public:
    virtual ~PositionalEncoding() = default;

    /// Terms for queries and keys at these positions. Throws for a position that the encoding cannot hold.
    virtual PositionTerms terms(const Positions& query, const Positions& key,
                                const Context& context) const = 0;

    virtual bool varies_by_layer() const {
        return false;
    }  // false: made once a forward pass, shared by the layers
    virtual bool varies_by_length() const { return false; }  // true: Context::length changes the terms
    virtual std::optional<Index> longest() const { return std::nullopt; }  // positions that a table holds

    /// Lengths of one class have the same terms. A rule that changes beyond the trained length only should
    /// say so: in the growing mode every class costs a pass.
    virtual Index length_class(Index length) const { return varies_by_length() ? length : 0; }

    /// Floating point operations of the encoding's own products in training on a token in a causal window of
    /// `length`, forward and backward, beside its add_matrix() parameters; a product over the keys that a
    /// query sees counts length / 2 of them. 0 for what is looked up, added, scaled or rotated.
    virtual double flops_per_token(Index) const { return 0; }

    /// True where the rotation of a key depends on more than its own position and a fixed length: a cache
    /// then keeps keys as they are and rotates them when they are read.
    virtual bool keys_stay_raw() const { return false; }

    virtual void describe(EncodingCard& card, const CardRequest& request) const = 0;
};

/// Which rules `encoding.scaling` may name: none at all, position interpolation, or every frequency rule.
enum class ScalingSupport { none, linear, every_rule };

/// What the registry holds of an encoding.
struct EncodingEntry {
    std::string doc;                // one line: what it is, and its source
    std::vector<Option> options;    // what a recipe may say about it
    std::vector<Index> axes = {1};  // of the positions that it reads; the usual number first
    bool causal_only = false;       // make() refuses any other site
    bool reads_positions = true;    // false: order is known from the mask and the content only
    ScalingSupport scaling = ScalingSupport::none;
    /// Sets the options that were left open and follow from the shape or the training length, so that a
    /// recipe holds their numbers and a run that begins with another one takes these over. Doing it twice
    /// changes nothing; it never throws. Empty: there are none.
    std::function<void(Options&, const EncodingShape&)> resolve = nullptr;
    /// What a reader of results should know of resolved options, such as parameters that get no gradient,
    /// where training positions lie in [0, reach). A sentence each. Empty: nothing is ever to be said.
    std::function<std::vector<std::string>(const Options&, const EncodingShape&, Index reach)> cautions =
        nullptr;
    /// Options are resolved by then: see make_encoding().
    std::function<std::unique_ptr<PositionalEncoding>(const Options&, const EncodingShape&,
                                                      const ParameterScope&)>
        make;

    bool reads(Index positions_axes) const {
        return std::find(axes.begin(), axes.end(), positions_axes) != axes.end();
    }
};

using EncodingRegistry = Registry<EncodingEntry>;

/// The rules that `encoding.scaling` may name for an encoding; empty: it has no such option.
std::vector<std::string> scaling_rules(const EncodingEntry& entry);

/// Sets the options that follow from the shape (EncodingEntry::resolve).
void resolve_options(EncodingOptions& encoding, const EncodingShape& shape);

/// What a reader should know of the resolved options of an encoding (EncodingEntry::cautions).
std::vector<std::string> cautions_of(const EncodingOptions& encoding, const EncodingShape& shape,
                                     Index reach);

/// An encoding, with its open options resolved for this shape.
std::unique_ptr<PositionalEncoding> make_encoding(EncodingOptions encoding, const EncodingShape& shape,
                                                  const ParameterScope& scope);

/// The options of an encoding under a rule: its own, and where it can be scaled those of the rule.
std::vector<Option> options_under(const EncodingEntry& entry, const std::string& rule = "plain");

/// Throws unless the encoding of this kind reads positions of so many axes.
void require_axes(const std::string& kind, Index axes);

}  // namespace LOCUS_SCALAR
}  // namespace locus
