// The checks of attention: rotation, mask, forms.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "framework/core/random.h"
#include "framework/ops/matmul.h"
#include "framework/ops/rotate.h"
#include "framework/ops/shape.h"
#include "models/padding.h"
#include "recipes/engine/verify/verify_checks.h"

namespace locus {

namespace {

Tensor drawn_tensor(const Shape& shape, std::uint64_t index) {
    MutableTensor tensor = Tensor::empty(shape);
    RandomStream stream(2, Purpose::verify, {index});
    for (Scalar& value : tensor.values()) value = static_cast<Scalar>(stream.normal());
    return tensor;
}

PositionTerms terms_from(const VerifySubject& s, Index count, std::int64_t start) {
    const Positions positions = text_positions(count, s.model.axes(), start);
    return s.model.encoding().terms(positions, positions, {s.trained, 0, s.model.site()});
}

// q k^T / sqrt(head_dim) of drawn queries and keys, rotated at start, start + 1, ...
Tensor rotated_logits(const VerifySubject& s, std::int64_t start) {
    constexpr Index count = 16;
    const ModelOptions& o = s.model.options();
    const PositionTerms terms = terms_from(s, count, start);
    Variable q = drawn_tensor({1, o.heads, count, o.head_dim()}, 1);
    Variable k = drawn_tensor({1, o.kv_heads, count, o.head_dim()}, 2);
    if (terms.query) q = rotate(q, terms.query);
    if (terms.key) k = rotate(k, terms.key);
    const auto factor = static_cast<Scalar>(1 / std::sqrt(static_cast<double>(o.head_dim())));
    return scale(matmul(q, repeat_heads(k, o.heads / o.kv_heads), Transpose::yes), factor).value();
}

// Whether the rotation at `position` keeps the lengths that it has at 0.
bool keeps_lengths(const VerifySubject& s, std::int64_t position) {
    const auto squares = [&](std::int64_t at) {
        const PositionTerms terms = terms_from(s, 1, at);
        std::vector<double> out;
        for (Index i = 0; i < terms.query.cos.value().count(); ++i) {
            const double c = static_cast<double>(terms.query.cos.value().data()[i]),
                         sine = static_cast<double>(terms.query.sin.value().data()[i]);
            out.push_back(c * c + sine * sine);
        }
        return out;
    };
    const std::vector<double> here = squares(0), there = squares(position);
    return std::equal(here.begin(), here.end(), there.begin(),
                      [](double a, double b) { return std::abs(a - b) < 1e-4; });
}

// weights[i][j] of one head without logits, by values that are ones for one key each.
double wrong_weights(const Mask& mask, Index length) {
    const MutableTensor nothing = Tensor::zeros({1, 1, length, 8});
    const AttentionTerms no_terms;
    Index wrong = 0;
    for (Index first = 0; first < length; first += 8) {
        const MutableTensor values = Tensor::zeros({1, 1, length, 8});
        const Index count = std::min<Index>(8, length - first);
        for (Index c = 0; c < count; ++c) values.data()[(first + c) * 8 + c] = 1;
        const Tensor weights = attention_tiled(nothing, nothing, values, no_terms, mask).value();
        for (Index i = 0; i < length; ++i) {
            for (Index c = 0; c < count; ++c)
                wrong += (weights.data()[i * 8 + c] > 0) != mask.allows(0, i, first + c, length, length);
        }
    }
    return static_cast<double>(wrong);
}

struct LossAndGradient {
    double loss = 0;
    MutableTensor gradient;
};

LossAndGradient loss_and_gradient(const Transformer& model, const Batch& batch, AttentionForm form) {
    LossAndGradient out{0, Tensor::zeros({model.parameters().flat_size()})};
    Tape tape;
    const Recording recording(&tape);
    const ParameterGradients gradients(model.parameters(), out.gradient);
    const Loss loss = model.loss(batch, {.attention = form});
    out.loss = loss.total;
    tape.backward(loss.sum, Tensor::full({1}, 1));
    return out;
}

}  // namespace

void check_rotation(const VerifySubject& s, const TakeCheck& take) {
    if (!terms_from(s, 1, 0).query) return;
    const std::int64_t begin = s.trained;  // behind any first tokens that a rule treats otherwise
    const std::int64_t farthest = keeps_lengths(s, s.trained) ? 100'000 : s.trained;
    const Tensor here = rotated_logits(s, begin);
    double difference = 0;
    for (std::int64_t shift = 1; shift <= farthest; shift *= 10)
        difference = std::max(difference, largest_difference(rotated_logits(s, begin + shift), here));
    difference = std::max(difference, largest_difference(rotated_logits(s, begin + farthest), here));
    take({fmt::format("rotation: shifts of positions by 1 to {} leave q k alone", farthest), difference,
          logit_limit});
}

void check_mask(const VerifySubject& s, const TakeCheck& take) {
    double wrong = 0;
    for (Index layer = 0; layer < s.model.options().layers; ++layer)
        wrong += wrong_weights(s.model.mask(layer), std::min<Index>(s.length, 150));
    take({fmt::format("mask, {}: elements that are not its own", s.mask), wrong, 0});
    if (s.model.site() != Site::self_causal) return;

    const Index length = std::min<Index>(s.length, 48), vocabulary = s.model.options().vocabulary;
    std::vector<Token> tokens = drawn_tokens(s.model, length, 4);
    const auto logits = [&] {
        return logits_of(s.model, text_batch(s.model, s.recipe, tokens)).reshaped({length, vocabulary});
    };
    const Tensor before = logits();
    double earlier = 0, own = INFINITY;
    for (Index t = 0; t < length; ++t) {
        Token& token = tokens[static_cast<std::size_t>(t)];
        const Token kept = std::exchange(token, (token + 1) % static_cast<Token>(vocabulary));
        const Tensor after = logits();
        earlier = std::max(earlier, largest_difference(after.rows(0, t), before.rows(0, t)));
        own = std::min(own, largest_difference(after.rows(t, 1), before.rows(t, 1)));
        token = kept;
    }
    take({fmt::format("a token changes no row before it, {}", s.mask), earlier, 0});
    if (s.drawn) take({fmt::format("a token changes its own row, {}", s.mask), own, 1e-3, true});
}

void check_forms(const VerifySubject& s, const TakeCheck& take) {
    const Batch batch = drawn_batch(s.model, s.recipe, 1, std::min<Index>(s.length, 200));
    const LossAndGradient tiled = loss_and_gradient(s.model, batch, AttentionForm::tiled);
    const LossAndGradient composed = loss_and_gradient(s.model, batch, AttentionForm::composed);
    take({fmt::format("tiled = composed attention, {}: loss (relative)", s.mask),
          std::abs(tiled.loss - composed.loss) / composed.loss, logit_limit});
    take({fmt::format("tiled = composed attention, {}: gradient (of its largest entry)", s.mask),
          largest_difference(tiled.gradient, composed.gradient) / largest(composed.gradient), logit_limit});
}

}  // namespace locus
