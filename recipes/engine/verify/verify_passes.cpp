// The checks of passes: behind a cache, padded, packed.

#include <fmt/core.h>

#include <algorithm>

#include "models/padding.h"
#include "recipes/engine/verify/verify_checks.h"

namespace locus {

namespace {

std::vector<LengthMode> length_modes(const VerifySubject& s) {
    return {{fmt::format("fixed:{}", s.length), s.length}, {"growing", 0}};
}

// Uneven chunks: one boundary within, one at and one behind the trained length.
std::vector<Index> uneven_chunks(Index trained, Index length) {
    std::vector<Index> sizes;
    Index at = 0;
    for (Index size : {1, 7, 16, 36}) {
        if (at + size >= std::min(trained, length)) break;
        sizes.push_back(size);
        at += size;
    }
    for (Index boundary : {trained - 2, trained, trained + 3, length}) {
        if (boundary <= at || boundary > length) continue;
        sizes.push_back(boundary - at);
        at = boundary;
    }
    return sizes;
}

// Single tokens; of long texts those around the trained length and at the end of a first chunk.
std::vector<Index> single_tokens(Index trained, Index length) {
    constexpr Index max = 256;
    std::vector<Index> sizes;
    if (length > max) sizes.push_back(std::min(trained, length) - max / 2);
    const Index begin = sizes.empty() ? 0 : sizes.front();
    sizes.insert(sizes.end(), static_cast<std::size_t>(std::min(length - begin, max)), 1);
    if (begin + max < length) sizes.push_back(length - begin - max);
    return sizes;
}

Tensor chunked(const Transformer& model, const Batch& whole, const CacheOptions& options,
               const std::vector<Index>& sizes) {
    KvCache cache = model.make_cache(whole.sequences, options);
    const Index vocabulary = model.options().vocabulary;
    const MutableTensor out = Tensor::empty({whole.sequences, whole.length, vocabulary});
    Index first = 0;
    for (Index size : sizes) {
        const Tensor part = logits_of(model, whole.run(first, size), {.cache = &cache});
        for (Index b = 0; b < whole.sequences; ++b) {
            std::copy_n(part.data() + b * size * vocabulary, size * vocabulary,
                        out.data() + (b * whole.length + first) * vocabulary);
        }
        first += size;
    }
    return out;
}

// Rows of [B, T, V] whose largest logit lies elsewhere. A tie within the limit has no order.
double other_choices(const Tensor& a, const Tensor& b) {
    const Index vocabulary = a.size(2);
    Index differ = 0;
    for (Index row = 0; row < a.count() / vocabulary; ++row) {
        const Scalar *x = a.data() + row * vocabulary, *y = b.data() + row * vocabulary;
        const Index chosen = std::max_element(x, x + vocabulary) - x;
        const double best = static_cast<double>(*std::max_element(y, y + vocabulary));
        differ += best - static_cast<double>(y[chosen]) > 2 * logit_limit;
    }
    return static_cast<double>(differ);
}

// The last `rows` rows of sequence b of [B, T, V].
Tensor last_rows(const Tensor& logits, Index b, Index rows) {
    const Index length = logits.size(1), vocabulary = logits.size(2);
    return logits.reshaped({logits.size(0) * length, vocabulary}).rows((b + 1) * length - rows, rows);
}

Tensor alone(const VerifySubject& s, std::span<const Token> text, const LengthMode& mode) {
    const Batch batch = text_batch(s.model, s.recipe, {text.begin(), text.end()});
    const Tensor logits = logits_of(s.model, batch, mode.pass());
    return logits.reshaped({logits.size(1), logits.size(2)});
}

void check_padded(const VerifySubject& s, const TakeCheck& take) {
    const std::vector<std::vector<Token>> texts{
        drawn_tokens(s.model, s.length, 1), drawn_tokens(s.model, 1 + s.length / 3, 2), {}};
    Batch padded = left_padded(texts);
    padded.positions = placed_text(s.model, s.recipe, padded.positions);
    for (const LengthMode& mode : length_modes(s)) {
        if (mode.length == 0 && s.model.site() != Site::self_causal) continue;
        const Tensor whole = logits_of(s.model, padded, mode.pass());
        double difference = 0;
        for (Index b : {0, 1}) {
            const std::vector<Token>& text = texts[static_cast<std::size_t>(b)];
            const auto rows = static_cast<Index>(text.size());
            difference =
                std::max(difference, largest_difference(last_rows(whole, b, rows), alone(s, text, mode)));
        }
        take({fmt::format("alone = left-padded, {}, {}", s.mask, mode.name), difference, logit_limit});
        take({fmt::format("padding alone gives zeros, {}, {}", s.mask, mode.name),
              largest(last_rows(whole, 2, s.length)), 0});
    }
}

void check_packed(const VerifySubject& s, const TakeCheck& take) {
    const LengthMode mode{"", s.length};
    const Index first = 1 + s.length / 3, second = s.length / 2;
    std::vector<Token> tokens = drawn_tokens(s.model, first + second, 3);
    std::vector<std::int32_t> segments(static_cast<std::size_t>(first), 0);
    segments.insert(segments.end(), static_cast<std::size_t>(second), 1);
    std::vector<std::int64_t> positions;
    for (Index t = 0; t < first + second; ++t) positions.push_back(t < first ? t : t - first);
    const auto packed = [&] {
        Batch batch = text_batch(s.model, s.recipe, tokens);
        batch.positions = placed_text(s.model, s.recipe, Positions(1, first + second, 1, positions));
        batch.segments = BatchArray<std::int32_t>(1, segments);
        return logits_of(s.model, batch, mode.pass());
    };
    const Tensor both = packed();
    const auto text = std::span(tokens).subspan(static_cast<std::size_t>(first));
    take({fmt::format("alone = packed behind another text, {}", s.mask),
          largest_difference(last_rows(both, 0, second), alone(s, text, mode)), logit_limit});
    tokens[0] = (tokens[0] + 1) % static_cast<Token>(s.model.options().vocabulary);
    take({fmt::format("a packed text does not read the one before, {}", s.mask),
          largest_difference(last_rows(packed(), 0, second), last_rows(both, 0, second)), 0});
}

// The checks of caches can fail: tokens behind a first chunk that stand one too far are noticed by every
// encoding that reads positions at all.
void check_notices_positions(const VerifySubject& s, const TakeCheck& take) {
    const LengthMode mode{"", s.length};
    const Batch right = text_batch(s.model, s.recipe, drawn_tokens(s.model, s.length - 1, 0));
    const Tensor expected = logits_of(s.model, right, mode.pass());
    const Index begin = std::min(s.trained, s.length) / 2;
    const auto placed = [&](const auto& place) {
        std::vector<std::int64_t> values;
        for (Index t = 0; t < right.length; ++t) values.push_back(place(t));
        Batch batch = right;
        batch.positions = placed_text(s.model, s.recipe, Positions(1, right.length, 1, std::move(values)));
        return batch;
    };
    const Batch still = placed([](Index) { return 0; });
    if (largest_difference(logits_of(s.model, still, mode.pass()), expected) <= logit_limit) return;
    const Batch moved = placed([&](Index t) { return t < begin ? t : t + 1; });
    const Tensor wrong = chunked(s.model, moved, mode.cache(), {begin, right.length - begin});
    take({fmt::format("positions that are one too far are noticed, {}", s.mask),
          largest_difference(wrong, expected), 1e-3, true});
}

}  // namespace

void check_cache(const VerifySubject& s, const TakeCheck& take) {
    const Batch whole = text_batch(s.model, s.recipe, drawn_tokens(s.model, s.length, 0));
    for (const LengthMode& mode : length_modes(s)) {
        const Tensor full = logits_of(s.model, whole, mode.pass());
        for (const auto& [name, sizes] : {std::pair{"in chunks", uneven_chunks(s.trained, s.length)},
                                          std::pair{"token by token", single_tokens(s.trained, s.length)}}) {
            const Tensor parts = chunked(s.model, whole, mode.cache(), sizes);
            const std::string what = fmt::format("one pass = {}, {}, {}", name, s.mask, mode.name);
            take({what, largest_difference(parts, full), logit_limit});
            take({what + ": rows with another choice", other_choices(parts, full), 0});
        }
    }
    if (s.drawn) check_notices_positions(s, take);
}

void check_together(const VerifySubject& s, const TakeCheck& take) {
    check_padded(s, take);
    check_packed(s, take);
}

}  // namespace locus
