#include "models/transformer.h"

#include "framework/ops/loss.h"
#include "tests/models/support.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

std::string refusal(const ModelOptions& model, const std::string& kind = "nope") {
    try {
        Transformer(model, encoding_options(kind), {}, 64, 1);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::usage);
        return error.what();
    }
    return "";
}

TEST(Transformer, RefusesSizesThatDoNotFitNamingBoth) {
    const std::string odd = refusal({.width = 520, .heads = 8, .kv_heads = 8}, "rope");
    EXPECT_NE(odd.find("65"), std::string::npos) << odd;
    const std::string heads = refusal({.width = 64, .heads = 3, .kv_heads = 3});
    EXPECT_NE(heads.find("64"), std::string::npos) << heads;
    EXPECT_NE(heads.find("3"), std::string::npos) << heads;
    const std::string groups = refusal({.width = 64, .heads = 4, .kv_heads = 3});
    EXPECT_NE(groups.find("3 kv_heads"), std::string::npos) << groups;
    EXPECT_NE(refusal({.layers = 0}), "");
    EXPECT_NE(refusal({.heads = 0}), "");
    EXPECT_NE(refusal({.vocabulary = 0}), "");
    EXPECT_EQ(refusal({.width = 64, .heads = 4, .kv_heads = 2}), "");
    EXPECT_THROW(Transformer({}, EncodingOptions{"ropes", {}}, {}, 64, 1), Error);
}

TEST(Transformer, CountsItsParameters) {
    const auto count = [](const ModelOptions& model) {
        return Transformer(model, encoding_options("nope"), {}, 64, 1).parameters().count();
    };
    // tokens 11 x 16; a block: qkv 48 x 16, output 16 x 16, MLP 2 x 32 x 16, two norms; a final norm
    EXPECT_EQ(count(small_model()), 11 * 16 + 2 * (48 * 16 + 16 * 16 + 2 * 32 * 16 + 2 * 16) + 16);
    ModelOptions rich = small_model(true);
    rich.kv_heads = 2;
    // qkv of 4 + 2 x 2 heads of 4, three MLP matrices, their biases, RMS norms without one, an output matrix
    EXPECT_EQ(count(rich), 2 * 11 * 16 + 2 * (32 * 17 + 16 * 17 + 2 * 32 * 17 + 16 * 33 + 2 * 16) + 16);
}

// 6 operations a weight of a product, and 6 layers width length in causal attention.
TEST(Transformer, CountsTheProductsOfATokenAndNothingThatIsLookedUp) {
    const auto flops = [](const ModelOptions& model) {
        return Transformer(model, encoding_options("nope"), {}, 64, 1).flops_per_token(20);
    };
    // The tied output matrix 11 x 16; a block: qkv 48 x 16, output 16 x 16, MLP 2 x 32 x 16: 4272 weights.
    EXPECT_EQ(flops(small_model()), 6 * 4272 + 6 * 2 * 16 * 20);
    ModelOptions untied = small_model();
    untied.tie_embeddings = false;  // a table to look tokens up in, and an output matrix
    EXPECT_EQ(flops(untied), flops(small_model()));
    ModelOptions rich = small_model(true);
    rich.kv_heads = 2;
    // 11 x 16; a block: qkv 32 x 16, output 16 x 16, SwiGLU 3 x 32 x 16: 4784 weights; biases and norms add.
    EXPECT_EQ(flops(rich), 6 * 4784 + 6 * 2 * 16 * 20);
}

TEST(Transformer, LossIsThatOfTheLogits) {
    const auto model = make_model(encoding_options("rope"), small_model(true));
    const Sample sample(2, 20);
    const Tensor logits = model->logits(sample.input()).value();
    ASSERT_EQ(logits.shape(), (Shape{2, 20, 11}));
    double total = 0;
    Index targets = 0;
    for (Index i = 0; i < 40; ++i) {
        const Token target = sample.targets[static_cast<std::size_t>(i)];
        if (target == Batch::no_target) continue;
        double sum = 0;
        for (Index k = 0; k < 11; ++k) sum += std::exp(static_cast<double>(logits.data()[i * 11 + k]));
        total += std::log(sum) - static_cast<double>(logits.data()[i * 11 + target]);
        ++targets;
    }
    const Loss loss = model->loss(sample.input(), {.keep_each = true});
    EXPECT_EQ(loss.weight, static_cast<double>(targets));
    EXPECT_NEAR(loss.total, total, (is_double ? 1e-12 : 1e-5) * total);
    EXPECT_EQ(loss.each.size(), 40U);
}

// By fan-in, logits are N(0, 1): the loss begins at ln V + 1/2, half of their variance above the uniform one.
TEST(Transformer, BeginsNearTheUniformLoss) {
    ModelOptions options{.layers = 2, .width = 64, .heads = 4, .kv_heads = 4, .vocabulary = 256};
    for (const auto& [init, above] : {std::pair{0.02, 0.5 * 64 * 0.02 * 0.02}, {0.0, 0.5}}) {
        options.init = init;
        const Transformer model(options, encoding_options("rope"), {}, 64, 1);
        Sample sample(2, 64, 256);
        const Loss loss = model.loss(sample.input());
        EXPECT_NEAR(loss.total / loss.weight, std::log(256.0) + above, 0.1) << init;
    }
}

// Matrices, embeddings and position tables of any width: 1 / sqrt(width), or the given deviation; what writes
// to the residual stream is smaller by sqrt(2 layers).
TEST(Transformer, InitialValuesFollowTheWidth) {
    const auto deviation = [](const Transformer& model, const std::string& name) {
        for (const ParameterInfo& info : model.parameters().parameters()) {
            if (info.name != name) continue;
            double squares = 0;
            for (Index i = 0; i < info.shape.count(); ++i) {
                const double value = static_cast<double>(model.parameters().values().data()[info.offset + i]);
                squares += value * value;
            }
            return std::sqrt(squares / static_cast<double>(info.shape.count()));
        }
        ADD_FAILURE() << name;
        return 0.0;
    };
    for (const Index width : {64, 256}) {
        for (const double init : {0.0, 0.05}) {
            const ModelOptions options{
                .layers = 2, .width = width, .heads = 4, .kv_heads = 4, .init = init, .vocabulary = 256};
            const Transformer model(options, encoding_options("learned"), {}, 64, 1);
            const double expected = init > 0 ? init : width == 64 ? 0.125 : 0.0625;
            for (const char* name : {"tokens.weight", "encoding.table", "blocks.0.attention.qkv.weight",
                                     "blocks.1.mlp.up.weight"})
                EXPECT_NEAR(deviation(model, name), expected, 0.03 * expected) << name << " " << width;
            for (const char* name : {"blocks.0.attention.output.weight", "blocks.1.mlp.down.weight"})
                EXPECT_NEAR(deviation(model, name), expected / 2, 0.03 * expected) << name << " " << width;
        }
    }
}

TEST(Transformer, DropoutActsInTrainingOnlyAndByItsKey) {
    ModelOptions options = small_model();
    options.dropout = 0.3;
    const auto model = make_model(encoding_options("rope"), options);
    const auto plain = make_model(encoding_options("rope"), small_model());
    const Sample sample(2, 20);
    const Batch input = sample.input();
    const Tensor still = model->logits(input).value();
    EXPECT_EQ(largest_difference(still, plain->logits(input).value()), 0);
    Pass pass{.training = true, .seed = 1, .step = 1};
    const Tensor first = model->logits(input, pass).value();
    EXPECT_GT(largest_difference(first, still), 0.1);
    EXPECT_EQ(largest_difference(model->logits(input, pass).value(), first), 0);
    const Tensor second = model->logits(input.slice(1, 1), pass).value();  // keyed by its place in the batch
    EXPECT_EQ(largest_difference(second, first.rows(1, 1)), 0);
    pass.step = 2;
    EXPECT_GT(largest_difference(model->logits(input, pass).value(), first), 0.1);
}

TEST(Transformer, ScalesTokensWhereTheEncodingAsksForIt) {
    const auto logits = [](bool scaled, Scalar factor) {
        const auto model =
            make_model(encoding_options("sinusoidal", {{"scale_tokens", scaled}}), small_model(true));
        ParameterStore& store = model->parameters();
        EXPECT_EQ(store.parameters()[0].name, "tokens.weight");
        store.change([&](const MutableTensor& values) {
            for (Scalar& value : store.view(values, 0).values()) value *= factor;
        });
        return model->logits(Sample(2, 20).input()).value();
    };
    EXPECT_EQ(largest_difference(logits(true, 1), logits(false, 4)), 0);  // 4 is the root of the width
    EXPECT_GT(largest_difference(logits(true, 1), logits(false, 1)), 0.1);
}

TEST(Transformer, RefusesInputThatDoesNotFit) {
    const auto model = make_model(encoding_options("rope"), small_model());
    Sample sample(1, 8);
    sample.positions = Positions::consecutive(7);
    EXPECT_THROW(model->logits(sample.input()), Error);
    sample.positions = Positions::consecutive(8);
    sample.tokens[3] = 11;
    EXPECT_THROW(model->logits(sample.input()), Error);
    sample.tokens[3] = 0;
    sample.tokens.pop_back();
    EXPECT_THROW(model->logits(sample.input()), Error);
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
