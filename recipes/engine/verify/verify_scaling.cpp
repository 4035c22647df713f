// The checks of context extension: identities between the rules, and what a rule that looks at the length
// does to cached keys.

#include <algorithm>

#include "models/rule_laws.h"
#include "models/scaling.h"
#include "recipes/engine/verify/verify_checks.h"

namespace locus {

namespace {

// Token by token behind a cache that keeps every key as its own step rotated it: the known fault of rules
// that look at the length.
Tensor with_rotated_keys(const VerifySubject& s, const Batch& whole) {
    std::vector<Mask> masks;
    for (Index layer = 0; layer < s.model.options().layers; ++layer) masks.push_back(s.model.mask(layer));
    const ModelOptions& model = s.model.options();
    const CacheShape shape{model.layers, whole.sequences, model.kv_heads, model.head_dim()};
    CacheOptions growing;
    growing.growing = true;
    KvCache cache(shape, growing, std::move(masks), false);
    const MutableTensor out = Tensor::empty({whole.sequences, whole.length, model.vocabulary});
    for (Index t = 0; t < whole.length; ++t) {
        const Tensor logits = logits_of(s.model, whole.run(t, 1), {.cache = &cache});
        std::copy_n(logits.data(), model.vocabulary, out.data() + t * model.vocabulary);
    }
    return out;
}

}  // namespace

void check_scaling_rules(const VerifySubject& s, const TakeCheck& take) {
    if (EncodingRegistry::instance().at(s.recipe.encoding.kind).scaling != ScalingSupport::every_rule) return;
    const auto base = base_of(s.recipe.encoding.options);
    if (!base || *base <= 1) return;  // the tables begin with it
    EncodingCard card;
    CardRequest asked;
    asked.length = s.trained;
    s.model.encoding().describe(card, asked);
    FrequencyRequest request{.width = 2 * static_cast<Index>(card.inv_freq.size()), .base = *base};
    request.trained_length = std::max<Index>(2, s.trained);
    for (const RuleLaw& law : rule_laws(request)) take({law.name, law.difference, law.limit});
}

void check_length_rule(const VerifySubject& s, const TakeCheck& take) {
    if (!s.model.encoding().varies_by_length() || !s.drawn || !s.recipe.mask.causal) return;
    const Batch whole = text_batch(s.model, s.recipe, drawn_tokens(s.model, s.length, 0));
    const Tensor fixed = logits_of(s.model, whole, LengthMode{"", s.length}.pass());
    const Tensor growing = logits_of(s.model, whole, LengthMode{"", 0}.pass());
    take({"growing steps differ from a fixed pass", largest_difference(growing, fixed), 1e-3, true});
    take({"rotated keys that are kept while the length grows are noticed",
          largest_difference(with_rotated_keys(s, whole), growing), 1e-3, true});
}

}  // namespace locus
