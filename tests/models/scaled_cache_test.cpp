// Rules that follow the length, behind a cache: one pass, chunks and single tokens agree within a mode of
// length across the trained length, and only there.
#include "tests/models/cache_support.h"
#include "tests/models/scaling_support.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

struct FollowingRule {
    std::string name;
    Choices choices;
};

// Heads of 8: four pairs.
std::vector<FollowingRule> following_rules() {
    const std::vector<double> far = {1, 1.5, 3, 4}, near = {1, 1, 1.1, 1.2};
    const Index trained = cache_train_length;
    return {{"dynamic", scaled("dynamic", {{"factor", 4.0}}, trained)},
            {"longrope", scaled("longrope", {{"factor", 4.0}, {"long_factor", far}}, trained)},
            {"longrope, short factors",
             scaled("longrope", {{"factor", 4.0}, {"long_factor", far}, {"short_factor", near}}, trained)},
            {"longrope, first positions kept",
             scaled("longrope", {{"factor", 4.0}, {"long_factor", far}, {"start_token_idx", Index{3}}},
                    trained)}};
}

std::unique_ptr<Transformer> following_model(const FollowingRule& rule, const MaskOptions& mask,
                                             Index layers = 2) {
    ModelOptions options = small_model();
    options.layers = layers;
    return make_model(encoding_options("rope", rule.choices), options, mask, cache_train_length);
}

TEST(ScaledCaches, OnePassIsChunksIsTokenByToken) {
    const std::vector<MaskOptions> masks = {
        {}, {.window = 5}, {.window = 5, .global = 3}, {.window = {2, 3}, .dilation = {6, 1}}};
    for (const FollowingRule& rule : following_rules()) {
        for (const MaskOptions& mask : masks) {
            const auto model = following_model(rule, mask);
            const std::vector<Token> tokens = random_tokens(2 * 40, 7);  // two sequences
            const Batch whole = batch_of(tokens, positions_for(*model, 40), 2);
            for (const LengthMode& mode : modes()) {
                const Tensor full = model->logits(whole, mode.pass()).value();
                EXPECT_GE(standard_deviation(full), 1);
                for (const std::vector<Index>& sizes :
                     std::vector<std::vector<Index>>{{1}, {16, 1}, {15, 1, 1, 23}, {17, 23}, {7, 20, 13}}) {
                    SCOPED_TRACE(fmt::format("{}, {}, first chunk {}", rule.name, mode.name, sizes.front()));
                    KvCache cache = model->make_cache(2, mode.cache());
                    EXPECT_LE(largest_difference(in_chunks(*model, whole, cache, sizes), full), cache_limit);
                }
            }
        }
    }
}

// A short text among longer ones would get the frequencies of the longest: whose, must be said.
TEST(ScaledCaches, PaddedAndPackedTextsStateTheirLength) {
    for (const FollowingRule& rule : following_rules()) {
        const auto model = following_model(rule, {});
        const Batch padded = padded_for(*model, {random_tokens(40, 1), random_tokens(9, 2)});
        EXPECT_THROW(model->logits(padded), Error) << rule.name;
        std::vector<std::int32_t> documents(40, 0);
        std::fill(documents.begin() + 30, documents.end(), 1);
        const std::vector<Token> tokens = random_tokens(40, 3);
        Batch packed = batch_of(tokens, positions_for(*model, 40));
        packed.targets = packed.ids();
        packed.segments = BatchArray<std::int32_t>(1, documents);
        EXPECT_THROW(model->logits(packed), Error) << rule.name;
        EXPECT_THROW(model->loss(packed), Error) << rule.name;
        for (const LengthMode& mode : modes()) EXPECT_NO_THROW(model->logits(padded, mode.pass()));
        EXPECT_NO_THROW(model->logits(packed, modes()[0].pass()));
        std::fill(documents.begin(), documents.end(), 7);  // one document: its length is the pass's
        packed.segments = BatchArray<std::int32_t>(1, documents);
        EXPECT_NO_THROW(model->logits(packed)) << rule.name;
    }
    const auto plain = cache_model("rope", {});
    EXPECT_NO_THROW(plain->logits(padded_for(*plain, {random_tokens(40, 1), random_tokens(9, 2)})));
}

// Up to the trained length a step has the frequencies of that length, whatever the text becomes.
TEST(ScaledCaches, GrowingStepsChangeAtTheTrainedLength) {
    for (const FollowingRule& rule : following_rules()) {
        SCOPED_TRACE(rule.name);
        const auto model = following_model(rule, {}, 1);  // deeper rows would read states of other lengths
        const std::vector<Token> tokens = random_tokens(30, 8);
        const Batch input = batch_of(tokens, positions_for(*model, 30));
        const Tensor growing = model->logits(input, {.growing = true}).value().reshaped({30, 11});
        const auto row_of = [&](Index row, Index length) {
            const Tensor fixed =
                model->logits(input, {.frequency_length = length}).value().reshaped({30, 11});
            return largest_difference(growing.rows(row, 1), fixed.rows(row, 1));
        };
        EXPECT_LE(row_of(15, 16), cache_limit);
        EXPECT_LE(row_of(15, 3), cache_limit);
        EXPECT_GT(row_of(15, 17), 1e-3);
        EXPECT_LE(row_of(16, 17), cache_limit);
        EXPECT_GT(row_of(16, 16), 1e-3);
    }
}

// The known faults: keys that stay as an earlier length rotated them, and steps compared with a pass whose
// length was known from the start.
TEST(ScaledCaches, StaleKeysAndOtherModesDiffer) {
    for (const FollowingRule& rule : following_rules()) {
        SCOPED_TRACE(rule.name);
        const auto model = following_model(rule, {});
        const std::vector<Token> tokens = random_tokens(32, 9);
        const Batch whole = batch_of(tokens, positions_for(*model, 32));
        const CacheOptions options = modes()[1].cache();
        const Tensor growing = model->logits(whole, modes()[1].pass()).value();
        const CacheShape shape = model->make_cache(1, options).shape();
        const std::vector<Mask> masks = {model->mask(0), model->mask(1)};
        KvCache raw(shape, options, masks, true), stale(shape, options, masks, false);
        EXPECT_LE(largest_difference(in_chunks(*model, whole, raw, {1}), growing), cache_limit);
        EXPECT_GT(largest_difference(in_chunks(*model, whole, stale, {1}), growing), 1e-2);
        EXPECT_GT(largest_difference(model->logits(whole, modes()[0].pass()).value(), growing), 1e-2);
    }
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
