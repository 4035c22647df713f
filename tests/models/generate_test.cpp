// Generation: with and without a cache, in any chunks, by its seed only, and within what a table holds.
#include "models/generate.h"

#include "tests/models/cache_support.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

class Generation : public EachEncoding {};
INSTANTIATE_TEST_SUITE_P(Encodings, Generation, every_encoding(), encoding_name);

struct Generated {
    std::vector<std::vector<Token>> texts;
    std::vector<std::vector<double>> nats;
};

Generated generated(const Transformer& model, const std::vector<std::vector<Token>>& prompts,
                    const GenerateOptions& options) {
    Generated out{std::vector<std::vector<Token>>(prompts.size()),
                  std::vector<std::vector<double>>(prompts.size())};
    Index step = 0;
    generate(model, prompts, options, [&](const GeneratedStep& made) {
        EXPECT_EQ(made.step, step++);
        for (std::size_t b = 0; b < prompts.size(); ++b) {
            out.texts[b].push_back(made.tokens[b]);
            out.nats[b].push_back(made.nats[b]);
        }
    });
    EXPECT_EQ(step, options.tokens);
    return out;
}

TEST_P(Generation, IsTheSameWithAndWithoutACache) {
    const auto model = cache_model(GetParam(), {});
    const std::vector<std::vector<Token>> prompts{random_tokens(11, 1), random_tokens(4, 2)};
    if (model->axes() == 2) {  // grids are no texts
        EXPECT_THROW(generated(*model, prompts, {.tokens = 0}), Error);
        return;
    }
    for (bool growing : {false, true}) {
        GenerateOptions options{.tokens = 20, .seed = 7, .growing = growing};
        const Generated cached = generated(*model, prompts, options);
        options.chunk = 3;
        const Generated chunked = generated(*model, prompts, options);
        options.chunk = 0;
        options.cache = false;
        const Generated whole = generated(*model, prompts, options);
        EXPECT_EQ(cached.texts, whole.texts);
        EXPECT_EQ(chunked.texts, whole.texts);
        for (std::size_t b = 0; b < 2; ++b) {
            for (std::size_t i = 0; i < 20; ++i) {
                EXPECT_NEAR(cached.nats[b][i], whole.nats[b][i], 2 * cache_limit);
                EXPECT_NEAR(chunked.nats[b][i], whole.nats[b][i], 2 * cache_limit);
            }
        }
        // the loss of the text that was made, by another way
        const std::vector<Token> text = [&] {
            std::vector<Token> all = prompts[0];
            all.insert(all.end(), cached.texts[0].begin(), cached.texts[0].end());
            return all;
        }();
        std::vector<Token> targets(text.begin() + 1, text.end());
        targets.push_back(Batch::no_target);
        Batch input = batch_of(text, positions_for(*model, 31));
        input.targets = BatchArray<Token>(1, targets);
        const Loss loss = model->loss(input, {.growing = growing, .keep_each = true});
        for (std::size_t i = 0; i < 20; ++i)
            EXPECT_NEAR(loss.each[10 + i], cached.nats[0][i], 2 * cache_limit);
    }
}

TEST(Generation, DependsOnItsSeedOnly) {
    const auto model = cache_model("rope", {});
    const std::vector<std::vector<Token>> prompts{random_tokens(5, 1), random_tokens(5, 1)};
    const auto texts = [&](std::uint64_t seed) {
        return generated(*model, prompts, {.tokens = 24, .seed = seed}).texts;
    };
    EXPECT_EQ(texts(3), texts(3));
    EXPECT_NE(texts(3)[0], texts(3)[1]);  // the number of the sequence counts
    EXPECT_NE(texts(3), texts(4));
    const auto shorter = generated(*model, prompts, {.tokens = 9, .seed = 3}).texts[0], longer = texts(3)[0];
    EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), longer.begin()));
}

std::string refusal(const Transformer& model, const std::vector<std::vector<Token>>& prompts,
                    const GenerateOptions& options) {
    try {
        generate(model, prompts, options, [](const GeneratedStep&) { ADD_FAILURE() << "work was done"; });
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::usage);
        return error.what();
    }
    ADD_FAILURE() << "not refused";
    return "";
}

TEST(Generation, RefusesWhatATableCannotHold) {
    const auto model = cache_model("learned", {});  // 64 rows
    for (bool cache : {true, false}) {
        const std::string beyond = refusal(*model, {random_tokens(60, 1)}, {.tokens = 10, .cache = cache});
        EXPECT_NE(beyond.find("60"), std::string::npos) << beyond;
        EXPECT_NE(beyond.find("70"), std::string::npos) << beyond;
        EXPECT_NE(beyond.find("64"), std::string::npos) << beyond;
        const std::string prompt = refusal(*model, {random_tokens(65, 1)}, {.tokens = 0, .cache = cache});
        EXPECT_NE(prompt.find("65"), std::string::npos) << prompt;
        EXPECT_NE(prompt.find("64"), std::string::npos) << prompt;
        refusal(*model, {random_tokens(3, 1), random_tokens(60, 1)}, {.tokens = 5, .cache = cache});
        EXPECT_EQ(generated(*model, {random_tokens(60, 1)}, {.tokens = 4, .cache = cache}).texts[0].size(),
                  4U);
    }
    EXPECT_EQ(
        generated(*cache_model("sinusoidal", {}), {random_tokens(60, 1)}, {.tokens = 10}).texts[0].size(),
        10U);
}

TEST(Generation, RefusesOptionsThatMakeNoSense) {
    const auto model = cache_model("rope", {});
    const std::vector<std::vector<Token>> prompts{random_tokens(5, 1)};
    refusal(*model, {}, {.tokens = 1});
    refusal(*model, {{}}, {.tokens = 1});
    refusal(*model, {random_tokens(3, 1), {}}, {.tokens = 1});
    refusal(*model, prompts, {.tokens = -1});
    refusal(*model, prompts, {.tokens = 1, .sampling = {.top_k = 12}});
    refusal(*model, prompts, {.tokens = 1, .length = 8, .growing = true});
    refusal(*model, prompts, {.tokens = 1, .cache = false, .chunk = 2});
    refusal(*cache_model("rope", {.causal = false}), prompts, {.tokens = 1});
    std::vector<Token> outside = prompts[0];
    outside[2] = 11;
    refusal(*model, {outside}, {.tokens = 1});
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
