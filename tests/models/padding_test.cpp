// A text alone, padded in a batch, and packed behind another: the same logits, for every encoding and mask.
#include "models/generate.h"
#include "tests/models/cache_support.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

class Together : public EachCache {};
INSTANTIATE_TEST_SUITE_P(Masks, Together, testing::ValuesIn(cache_cases()), cache_name);

using Texts = std::vector<std::vector<Token>>;

// The last rows of sequence b of [B, T, 11].
Tensor last_rows(const Tensor& logits, Index b, Index rows) {
    const Index length = logits.size(1);
    return logits.reshaped({logits.size(0) * length, 11}).rows((b + 1) * length - rows, rows);
}

TEST_P(Together, PaddedIsAlone) {
    const auto model = cache_model(GetParam().kind, GetParam().mask, true);
    const Texts texts{random_tokens(5, 1), random_tokens(29, 2), random_tokens(9, 3)};
    const Batch padded = padded_for(*model, texts);
    for (const LengthMode& mode : modes()) {
        const Tensor whole = model->logits(padded, mode.pass()).value();
        KvCache cache = model->make_cache(3, mode.cache());
        const Tensor chunked = in_chunks(*model, padded, cache, {3, 1, 7});
        for (Index b : {0, 1, 2}) {
            SCOPED_TRACE(fmt::format("{} text {}", mode.name, b));
            const std::vector<Token>& text = texts[static_cast<std::size_t>(b)];
            const auto length = static_cast<Index>(text.size());
            const Tensor alone =
                model->logits(batch_of(text, positions_for(*model, length)), mode.pass()).value();
            EXPECT_LE(largest_difference(last_rows(whole, b, length), alone.reshaped({length, 11})),
                      cache_limit);
            EXPECT_LE(largest_difference(last_rows(chunked, b, length), alone.reshaped({length, 11})),
                      cache_limit);
            EXPECT_EQ(cache.length(b), length);
        }
    }
}

TEST_P(Together, PaddedTextsGoOnAsAlone) {
    const auto model = cache_model(GetParam().kind, GetParam().mask);
    if (model->axes() == 2) return;  // grids are no texts
    const Texts prompts{random_tokens(5, 1), random_tokens(9, 3)};
    for (const LengthMode& mode : modes()) {
        for (bool cached : {true, false}) {
            GenerateOptions options{.tokens = 20,
                                    .sampling = {.greedy = true},
                                    .length = mode.length,
                                    .growing = mode.length == 0,
                                    .cache = cached};
            const auto continued = [&](const Texts& texts) {
                Texts out(texts.size());
                generate(*model, texts, options, [&](const GeneratedStep& step) {
                    for (std::size_t b = 0; b < texts.size(); ++b) out[b].push_back(step.tokens[b]);
                });
                return out;
            };
            const Texts both = continued(prompts);
            EXPECT_EQ(both[0], continued({prompts[0]})[0]);
            EXPECT_EQ(both[1], continued({prompts[1]})[0]);
        }
    }
}

TEST_P(Together, NothingButPaddingGivesZeros) {
    const auto model = cache_model(GetParam().kind, GetParam().mask, true);
    const Batch padded = padded_for(*model, {{}, random_tokens(9, 2)});
    for (const LengthMode& mode : modes()) {
        KvCache cache = model->make_cache(2, mode.cache());
        for (const Tensor& logits :
             {model->logits(padded, mode.pass()).value(), in_chunks(*model, padded, cache, {4})}) {
            EXPECT_EQ(largest(last_rows(logits, 0, 9)), 0);
            EXPECT_GT(largest(last_rows(logits, 1, 9)), 0.1);
        }
        EXPECT_EQ(cache.length(0), 0);
    }
}

// Global tokens of every text, though their projections stand in places that differ.
TEST(Padding, GlobalTokensMayHaveProjectionsOfTheirOwn) {
    const auto model = cache_model("rope", {.window = 3, .global = 2, .global_projections = true}, true);
    const Texts texts{random_tokens(5, 1), random_tokens(29, 2)};
    const Batch padded = padded_for(*model, texts);
    const Tensor whole = model->logits(padded).value();
    for (Index b : {0, 1}) {
        const std::vector<Token>& text = texts[static_cast<std::size_t>(b)];
        const auto length = static_cast<Index>(text.size());
        const Tensor alone = model->logits(batch_of(text, positions_for(*model, length))).value();
        EXPECT_LE(largest_difference(last_rows(whole, b, length), alone.reshaped({length, 11})), cache_limit);
    }
    KvCache cache = model->make_cache(2, {.length = 29});
    EXPECT_THROW(model->logits(padded, {.cache = &cache}), Error);
}

// Two documents in a row: [7 tokens | 5 tokens], and padding behind them.
struct Packed {
    explicit Packed(const Transformer& model) : axes(model.axes()) {
        for (std::size_t i = 0; i < 14; ++i) {
            segments.push_back(i < 7 ? 0 : i < 12 ? 1 : -1);
            positions.push_back(i < 7    ? static_cast<std::int64_t>(i)
                                : i < 12 ? static_cast<std::int64_t>(i) - 7
                                         : Positions::none);
        }
    }
    Batch input(std::vector<Token> targets = {}) const {
        Batch input = Batch::of_text(1, tokens, std::move(targets));
        input.positions = placed_text(Positions(1, 14, 1, positions), axes);
        input.segments = BatchArray<std::int32_t>(1, segments);
        return input;
    }
    Index axes;
    std::vector<Token> tokens = random_tokens(14, 4);
    std::vector<std::int32_t> segments;
    std::vector<std::int64_t> positions;
};

TEST_P(Together, PackedIsAlone) {
    const auto model = cache_model(GetParam().kind, GetParam().mask, true);
    Packed packed(*model);
    const Tensor both = model->logits(packed.input(), modes()[0].pass()).value().reshaped({14, 11});
    for (const auto& [first, rows] : {std::pair<Index, Index>{0, 7}, {7, 5}}) {
        const std::vector<Token> text(packed.tokens.begin() + first, packed.tokens.begin() + first + rows);
        const Tensor alone =
            model->logits(batch_of(text, positions_for(*model, rows)), modes()[0].pass()).value();
        EXPECT_LE(largest_difference(both.rows(first, rows), alone.reshaped({rows, 11})), cache_limit);
    }
    EXPECT_EQ(largest(both.rows(12, 2)), 0);
    packed.tokens[3] = (packed.tokens[3] + 1) % 11;
    const Tensor changed = model->logits(packed.input(), modes()[0].pass()).value().reshaped({14, 11});
    EXPECT_EQ(largest_difference(changed.rows(7, 5), both.rows(7, 5)), 0);
    EXPECT_GT(largest_difference(changed.rows(0, 7), both.rows(0, 7)), 1e-2);
}

TEST_P(Together, GradientOfThePackIsTheSumOfBoth) {
    if (GetParam().mask.global > 0) {
        const auto model = cache_model(GetParam().kind, GetParam().mask);
        Tape tape;
        const Recording recording(&tape);
        EXPECT_THROW(model->logits(Packed(*model).input(), modes()[0].pass()), Error);  // not while training
        return;
    }
    const auto model = cache_model(GetParam().kind, GetParam().mask, true);
    const Packed packed(*model);
    std::vector<Token> targets = random_tokens(14, 5);
    targets[12] = targets[13] = Batch::no_target;
    const MutableTensor one = Tensor::full({1}, 1);
    const auto gradient = [&](const Batch& input) {
        return flat_gradient(*model, one, [&] { return model->loss(input, modes()[0].pass()).sum; });
    };
    const Tensor both = gradient(packed.input(targets));
    std::vector<MutableTensor> sums(model->parameters().parameters().size());
    for (const auto& [first, rows] : {std::pair<Index, Index>{0, 7}, {7, 5}}) {
        const auto at = static_cast<std::size_t>(first), count = static_cast<std::size_t>(rows);
        Batch text = batch_of(std::span(packed.tokens).subspan(at, count), positions_for(*model, rows));
        const auto wanted = std::span(targets).subspan(at, count);
        text.targets = BatchArray<Token>(1, {wanted.begin(), wanted.end()});
        const Tensor alone = gradient(text);
        for (std::size_t i = 0; i < sums.size(); ++i) {
            const Tensor part = model->parameters().view(alone, static_cast<Index>(i));
            if (!sums[i]) sums[i] = Tensor::zeros(part.shape());
            for (Index k = 0; k < part.count(); ++k) sums[i].data()[k] += part.data()[k];
        }
    }
    double max = 0;
    for (const Tensor& sum : sums) max = std::max(max, largest(sum));
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const Tensor part = model->parameters().view(both, static_cast<Index>(i));
        EXPECT_LE(largest_difference(part, sums[i]), equivalence_limit * max);
    }
    EXPECT_GT(max, 0.1);
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
