// A text in one pass, in chunks and token by token: the same logits, for every encoding, mask and length
// mode.
#include "framework/core/grid_positions.h"
#include "models/generate.h"
#include "tests/models/cache_support.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

INSTANTIATE_TEST_SUITE_P(Caches, EachCache, testing::ValuesIn(cache_cases()), cache_name);

constexpr Index prompt_tokens = 11, decoded_tokens = 21, total = prompt_tokens + decoded_tokens;

struct Decoded {
    std::vector<Token> text;
    MutableTensor logits;  // [1, total, vocabulary]: of the prompt's pass, then of every token
};

// Greedy, with a cache; tokens behind the prompt stand `shift` places further on.
Decoded decode(const Transformer& model, const LengthMode& mode, std::int64_t shift = 0) {
    const Index vocabulary = model.options().vocabulary;
    Decoded out{random_tokens(prompt_tokens, 1), Tensor::zeros({1, total, vocabulary})};
    const Positions positions = positions_for(model, total + shift);
    KvCache cache = model.make_cache(1, mode.cache());
    for (Index first = 0, last = prompt_tokens; first < total; first = last++) {
        const Index moved = first == 0 ? 0 : first + shift;
        const std::vector<Token> fresh(out.text.begin() + first, out.text.begin() + last);
        const Batch batch = batch_of(fresh, positions.slice(0, 1, moved, last - first));
        const Tensor part = model.logits(batch, {.cache = &cache}).value();
        std::copy_n(part.data(), part.count(), out.logits.data() + first * vocabulary);
        if (last < total) out.text.push_back(argmax(out.logits.data() + (last - 1) * vocabulary, vocabulary));
    }
    return out;
}

TEST_P(EachCache, DecodesAsOneFullPass) {
    for (bool rich : {false, true}) {
        const auto model = cache_model(GetParam().kind, GetParam().mask, rich);
        for (const LengthMode& mode : modes()) {
            SCOPED_TRACE(fmt::format("{} rich {}", mode.name, rich));
            const Decoded cached = decode(*model, mode);
            const Tensor full =
                model->logits(batch_of(cached.text, positions_for(*model, total)), mode.pass()).value();
            EXPECT_GE(standard_deviation(full), 1);
            EXPECT_LE(largest_difference(cached.logits, full), cache_limit);
            for (Index t = 0; t < total; ++t)
                EXPECT_EQ(argmax(cached.logits.data() + t * 11, 11), argmax(full.data() + t * 11, 11)) << t;
        }
    }
}

// The check above can fail: wrong positions behind the prompt are noticed.
TEST_P(EachCache, NoticesTokensThatStandOneTooFar) {
    const auto model = cache_model(GetParam().kind, GetParam().mask);
    for (const LengthMode& mode : modes()) {
        const Decoded cached = decode(*model, mode, 1);
        const Tensor full =
            model->logits(batch_of(cached.text, positions_for(*model, total)), mode.pass()).value();
        const double difference = largest_difference(cached.logits, full);
        if (reads_positions(GetParam().kind))
            EXPECT_GT(difference, 3e-3) << mode.name;
        else
            EXPECT_LE(difference, cache_limit) << mode.name;
    }
}

TEST_P(EachCache, RunsAPromptInChunks) {
    const auto model = cache_model(GetParam().kind, GetParam().mask, true);
    const std::vector<Token> tokens = random_tokens(2 * 37, 2);  // two sequences
    const Batch whole = batch_of(tokens, positions_for(*model, 37), 2);
    for (const LengthMode& mode : modes()) {
        const Tensor full = model->logits(whole, mode.pass()).value();
        for (const std::vector<Index>& sizes :
             std::vector<std::vector<Index>>{{1}, {7}, {16}, {36}, {37}, {3, 1, 14, 2, 9}}) {
            SCOPED_TRACE(fmt::format("{}, first chunk {}", mode.name, sizes.front()));
            KvCache cache = model->make_cache(2, mode.cache());
            EXPECT_LE(largest_difference(in_chunks(*model, whole, cache, sizes), full), cache_limit);
            EXPECT_EQ(cache.length(0), 37);
        }
    }
}

TEST_P(EachCache, RunsComposedAttentionAsWell) {
    const auto model = cache_model(GetParam().kind, GetParam().mask);
    const std::vector<Token> tokens = random_tokens(30, 3);
    const Batch whole = batch_of(tokens, positions_for(*model, 30));
    constexpr AttentionForm form = AttentionForm::composed;
    for (const LengthMode& mode : modes()) {
        const Tensor full = model->logits(whole, mode.pass(form)).value();
        KvCache cache = model->make_cache(1, mode.cache());
        EXPECT_LE(largest_difference(in_chunks(*model, whole, cache, {4, 1, 9}, form), full), cache_limit);
    }
}

TEST(Growing, GivesEachRowTheFrequenciesOfItsLength) {
    ModelOptions shallow = small_model();
    shallow.layers = 1;  // deeper rows would read states of other lengths
    const auto model = make_model(encoding_options("test_squeezed"), shallow, {}, cache_train_length);
    const std::vector<Token> tokens = random_tokens(30, 4);
    const Batch input = batch_of(tokens, text_positions(30, 1));
    const Tensor growing = model->logits(input, {.growing = true}).value();
    double across = 0;
    for (Index i : {0, 10, 15, 16, 20, 29}) {
        const Tensor fixed = model->logits(input, {.frequency_length = i + 1}).value().reshaped({30, 11});
        EXPECT_LE(largest_difference(growing.reshaped({30, 11}).rows(i, 1), fixed.rows(i, 1)), cache_limit)
            << i;
        across = std::max(across, largest_difference(growing.reshaped({30, 11}), fixed));
    }
    EXPECT_GT(across, 1e-2);
}

TEST(Growing, DiffersFromAFixedLengthWhereFrequenciesFollowIt) {
    for (const std::string& kind : EncodingRegistry::instance().names()) {
        const auto model = cache_model(kind, {});
        const std::vector<Token> tokens = random_tokens(40, 5);
        const Batch whole = batch_of(tokens, positions_for(*model, 40));
        const double difference = largest_difference(model->logits(whole, modes()[0].pass()).value(),
                                                     model->logits(whole, modes()[1].pass()).value());
        EXPECT_EQ(difference > 1e-3, model->encoding().varies_by_length()) << kind << " " << difference;
    }
}

// The known-bad variant: keys that were rotated by the frequencies of an earlier length.
TEST(Growing, NeedsRawKeys) {
    const auto model = cache_model("test_squeezed", {});
    const std::vector<Token> tokens = random_tokens(32, 6);
    const Batch whole = batch_of(tokens, text_positions(32, 1));
    const Tensor full = model->logits(whole, modes()[1].pass()).value();
    const CacheShape shape = model->make_cache(1, modes()[1].cache()).shape();
    KvCache raw(shape, modes()[1].cache(), {2, model->mask(0)}, true),
        stale(shape, modes()[1].cache(), {2, model->mask(0)}, false);
    EXPECT_LE(largest_difference(in_chunks(*model, whole, raw, {1}), full), cache_limit);
    EXPECT_GT(largest_difference(in_chunks(*model, whole, stale, {1}), full), 1e-2);
}

TEST(Rolling, HoldsNoMoreThanTheWindowAndTheFirstTokens) {
    const auto model = cache_model("rope", {.window = 5, .global = 3});
    const std::vector<Token> tokens = random_tokens(60, 7);
    const Batch whole = batch_of(tokens, text_positions(60, 1));
    KvCache cache = model->make_cache(1, {.length = 60});
    const Tensor chunked = in_chunks(*model, whole, cache, {1});
    EXPECT_EQ(cache.length(0), 60);
    EXPECT_EQ(cache.held(0), 3 + 4);
    EXPECT_EQ(cache.capacity(), 2 * 2 * 2 * 7 * 8);  // keys and values, layers, heads, slots, width
    const Positions held = cache.positions(0, 1, text_positions(1, 1, 60));
    EXPECT_EQ(held, Positions(1, 8, 1, {0, 1, 2, 56, 57, 58, 59, 60}));  // positions went on growing
    EXPECT_LE(largest_difference(chunked, model->logits(whole).value()), cache_limit);
}

TEST(Rolling, SinksOfAnOpenMaskAreAWindowWithGlobalTokens) {
    for (const char* kind : {"rope", "alibi", "t5", "sinusoidal"}) {
        const auto open = cache_model(kind, {}), windowed = cache_model(kind, {.window = 6, .global = 2});
        const std::vector<Token> tokens = random_tokens(40, 8);
        const Batch whole = batch_of(tokens, text_positions(40, 1));
        const Tensor expected = windowed->logits(whole).value();
        for (const std::vector<Index>& sizes : std::vector<std::vector<Index>>{{1}, {4, 1, 13}}) {
            KvCache cache = open->make_cache(1, {.length = 40, .window = 6, .sinks = 2});
            EXPECT_LE(largest_difference(in_chunks(*open, whole, cache, sizes), expected), cache_limit)
                << kind;
        }
        EXPECT_GT(largest_difference(open->logits(whole).value(), expected), 1e-2);
    }
}

TEST(Rolling, ADilatedWindowReachesAsFarAsItsFarthestKey) {
    const auto model = cache_model("rope", {.window = 4, .dilation = 3, .global = 2});
    const auto narrower = cache_model("rope", {.window = 2, .dilation = 3, .global = 2});
    const std::vector<Token> tokens = random_tokens(40, 7);
    const Batch whole = batch_of(tokens, text_positions(40, 1));
    for (const std::vector<Index>& sizes : std::vector<std::vector<Index>>{{1}, {4, 1, 13}}) {
        KvCache cache = model->make_cache(1, {.length = 40}),
                less = model->make_cache(1, {.length = 40, .window = 2});
        EXPECT_LE(largest_difference(in_chunks(*model, whole, cache, sizes), model->logits(whole).value()),
                  cache_limit);
        EXPECT_EQ(cache.held(0), 2 + 3 * 3);
        EXPECT_LE(largest_difference(in_chunks(*model, whole, less, sizes), narrower->logits(whole).value()),
                  cache_limit);
        EXPECT_EQ(less.held(0), 2 + 3);
    }
}

// A layer with a window beside one without: the cache holds what the wider one sees.
TEST(Rolling, LayersMayDifferInTheirWindows) {
    const CacheShape shape{2, 1, 1, 4};
    const auto held_after = [&](const std::vector<Index>& windows, Index tokens) {
        std::vector<Mask> masks;
        for (Index window : windows) masks.push_back({.window = window, .global = 2});
        KvCache cache(shape, {.length = 64}, masks, false);
        for (Index t = 0; t < tokens; ++t) {
            for (Index layer : {0, 1}) {
                const MutableTensor fresh = Tensor::full({1, 1, 1, 4}, static_cast<Scalar>(10 * t + layer));
                const Tensor keys = cache.extend(layer, 0, fresh, fresh).first;
                EXPECT_EQ(keys.data()[0], static_cast<Scalar>(layer));  // token 0 stays
                EXPECT_EQ(keys.data()[keys.count() - 1], static_cast<Scalar>(10 * t + layer));
                EXPECT_EQ(cache.mask(layer, 0).window, windows[static_cast<std::size_t>(layer)]);
            }
            cache.advance(0, 1, text_positions(1, 1, t));
        }
        return cache.held(0);
    };
    EXPECT_EQ(held_after({3, 7}, 30), 2 + 6);
    EXPECT_EQ(held_after({3, 0}, 30), 30);
}

TEST(Rolling, AWindowOfOneHoldsNothing) {
    const auto model = cache_model("rope", {.window = 1});
    const std::vector<Token> tokens = random_tokens(20, 9);
    const Batch whole = batch_of(tokens, text_positions(20, 1));
    KvCache cache = model->make_cache(1, {.length = 20});
    EXPECT_LE(largest_difference(in_chunks(*model, whole, cache, {1, 6}), model->logits(whole).value()),
              cache_limit);
    EXPECT_EQ(cache.held(0), 0);
}

// Text, a picture and more text: numbers on three axes behind a cache.
TEST(Cache, HoldsPositionsOfTheAxesThatItMeets) {
    const Positions video = VisualPositions().text(7).block(2, 3, 3).text(9).positions();
    const Index length = video.length();
    const std::vector<Token> tokens = random_tokens(length, 2);
    for (const MaskOptions& mask : {MaskOptions{}, MaskOptions{.window = 4, .dilation = 2, .global = 1}}) {
        const auto model = cache_model("mrope", mask);
        const Batch whole = batch_of(tokens, video);
        for (const LengthMode& mode : modes()) {
            const Tensor full = model->logits(whole, mode.pass()).value();
            for (const std::vector<Index>& sizes : std::vector<std::vector<Index>>{{1}, {10, 3, 12}}) {
                KvCache cache = model->make_cache(1, mode.cache());
                EXPECT_LE(largest_difference(in_chunks(*model, whole, cache, sizes), full), cache_limit);
                EXPECT_EQ(cache.axes(), 3);
                const Batch other = batch_of(std::span(tokens).first(1), text_positions(1, 1, length));
                EXPECT_THROW(model->logits(other, {.cache = &cache}), Error);  // one axis behind three
            }
        }
        const Tensor text = model->logits(batch_of(tokens, text_positions(length, 1))).value();
        EXPECT_GT(largest_difference(model->logits(whole).value(), text), 1e-2);
    }
}

TEST(Cache, RefusesWhatDoesNotFit) {
    const auto model = cache_model("rope", {.window = 5});
    EXPECT_THROW(model->make_cache(1, {}), Error);
    EXPECT_THROW(model->make_cache(1, {.length = 8, .growing = true}), Error);
    EXPECT_THROW(model->make_cache(0, {.length = 8}), Error);
    EXPECT_THROW(model->make_cache(1, {.length = 8, .window = 6}), Error);
    EXPECT_THROW(model->make_cache(1, {.length = 8, .sinks = -1}), Error);
    EXPECT_THROW(cache_model("rope", {})->make_cache(1, {.length = 8, .sinks = 2}), Error);
    EXPECT_THROW(cache_model("rope", {.causal = false})->make_cache(1, {.length = 8}), Error);

    KvCache cache = model->make_cache(1, {.length = 8});
    const std::vector<Token> tokens = random_tokens(4, 1);
    Batch input = batch_of(tokens, text_positions(4, 1));
    EXPECT_THROW(model->logits(input, {.frequency_length = 8, .cache = &cache}), Error);
    for (const std::vector<std::int32_t>& segments : {std::vector<std::int32_t>{0, 0, 1, 1}, {0, 1, 0, 0}}) {
        input.segments = BatchArray<std::int32_t>(1, segments);
        EXPECT_THROW(model->logits(input, {.cache = &cache}), Error);
    }
    EXPECT_THROW(model->logits(batch_of(tokens, text_positions(2, 1), 2), {.cache = &cache}), Error);
    EXPECT_EQ(cache.length(0), 0);
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
