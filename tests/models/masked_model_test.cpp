// Masks in a model: windows by layer, global tokens with projections of their own.
#include "models/layer_mask.h"
#include "tests/models/support.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

class MaskedModel : public EachEncoding {};
INSTANTIATE_TEST_SUITE_P(Encodings, MaskedModel, every_encoding(), encoding_name);

Tensor parameter(const Transformer& model, const std::string& name) {
    const ParameterStore& store = model.parameters();
    for (std::size_t i = 0; i < store.parameters().size(); ++i)
        if (store.parameters()[i].name == name) return store.view(store.values(), static_cast<Index>(i));
    ADD_FAILURE() << "no parameter " << name;
    return Tensor::zeros({1});
}

void make_projections_equal(Transformer& model, Index layers) {
    for (Index layer = 0; layer < layers; ++layer) {
        const std::string block = "blocks." + std::to_string(layer) + ".attention.";
        for (const char* part : {"weight", "bias"})
            set_parameter(model.parameters(), block + "global_qkv." + part,
                          parameter(model, block + "qkv." + part).values());
    }
}

// Both directions, or the causal one where an encoding knows no other.
std::vector<bool> directions(const std::string& kind) {
    if (EncodingRegistry::instance().at(kind).causal_only) return {true};
    return {true, false};
}

double largest_change(const Transformer& a, const Transformer& b, const Sample& sample) {
    const Tensor logits = b.logits(sample.input()).value();
    return largest_difference(a.logits(sample.input()).value(), logits) / largest(logits);
}

TEST(Masks, ByLayerAreThoseOfTheOptions) {
    const MaskOptions options{.window = {4, 0, 2}, .dilation = 3, .global = 1};
    ModelOptions model = small_model();
    model.layers = 3;
    const Transformer transformer(model, encoding_options("nope"), options, 64, 1);
    for (Index layer : {0, 1, 2}) {
        const Mask mask = transformer.mask(layer);
        EXPECT_EQ(mask.window, (std::vector<Index>{4, 0, 2})[static_cast<std::size_t>(layer)]);
        EXPECT_EQ(mask.dilation, layer == 1 ? 1 : 3);  // of the layers that have a window
        EXPECT_EQ(mask.global, 1);
        EXPECT_TRUE(mask.causal);
    }
}

TEST(Masks, RefuseWhatHasNoEffectOrDoesNotFit) {
    const auto refused = [](const MaskOptions& mask) {
        try {
            Transformer(small_model(), encoding_options("nope"), mask, 64, 1);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Failure::usage);
            return true;
        }
        return false;
    };
    EXPECT_FALSE(refused({.window = {4, 0}, .dilation = {2, 1}, .global = 2, .global_projections = true}));
    EXPECT_TRUE(refused({.window = {4, 0, 4}}));
    EXPECT_TRUE(refused({.window = {4}}));
    EXPECT_TRUE(refused({.window = {4, -1}}));
    EXPECT_TRUE(refused({.window = 4, .dilation = {2, 2, 2}}));
    EXPECT_TRUE(refused({.window = 4, .dilation = 0}));
    EXPECT_TRUE(refused({.window = {4, 0}, .dilation = {2, 2}}));
    EXPECT_TRUE(refused({.dilation = 2}));
    EXPECT_TRUE(refused({.window = {0, 0}, .global = 1}));
    EXPECT_TRUE(refused({.window = 4, .global_projections = true}));
}

TEST(GlobalProjections, BeginAsTheOthersInLayersWithAWindow) {
    ModelOptions options = small_model(true);
    const MaskOptions mask{.window = {4, 0}, .global = 2, .global_projections = true};
    const Transformer model(options, encoding_options("nope"), mask, 64, 1);
    const Transformer plain(options, encoding_options("nope"), {.window = {4, 0}, .global = 2}, 64, 1);
    const Tensor own = parameter(model, "blocks.0.attention.global_qkv.weight");
    EXPECT_EQ(largest_difference(own, parameter(model, "blocks.0.attention.qkv.weight")), 0);
    EXPECT_GT(largest(own), 0.01);
    EXPECT_EQ(model.parameters().count(), plain.parameters().count() + (4 + 2 * 2) * 4 * 17);
    EXPECT_EQ(largest_change(model, plain, Sample(2, 20)), 0);  // and then they change nothing
}

TEST_P(MaskedModel, EqualGlobalProjectionsChangeNothing) {
    const ModelOptions options = small_model(true);
    for (const bool causal : directions(GetParam())) {
        const MaskOptions shared{.causal = causal, .window = 3, .global = 4};
        MaskOptions own = shared;
        own.global_projections = true;
        const auto model = make_model(encoding_options(GetParam()), options, own);
        const auto plain = make_model(encoding_options(GetParam()), options, shared);
        const Sample sample = sample_for(GetParam(), 2, 20);
        EXPECT_GT(largest_change(*model, *plain, sample), 1e-3);
        make_projections_equal(*model, 2);
        EXPECT_LE(largest_change(*model, *plain, sample), equivalence_limit);
    }
}

TEST_P(MaskedModel, AllGlobalWithEqualProjectionsIsFullAttention) {
    const ModelOptions options = small_model(true);
    for (const bool causal : directions(GetParam())) {
        const MaskOptions all{.causal = causal, .window = 1, .global = 20, .global_projections = true};
        const auto global = make_model(encoding_options(GetParam()), options, all);
        const auto full = make_model(encoding_options(GetParam()), options, {.causal = causal});
        make_projections_equal(*global, 2);
        EXPECT_LE(largest_change(*global, *full, sample_for(GetParam(), 2, 20)), equivalence_limit);
        const auto shared =
            make_model(encoding_options(GetParam()), options, {.causal = causal, .window = 1, .global = 20});
        EXPECT_EQ(largest_change(*shared, *full, sample_for(GetParam(), 2, 20)), 0);
    }
}

// Global queries read the global projections only, all others the common ones only.
TEST(GlobalProjections, BelongToTheRowsOfGlobalTokens) {
    ModelOptions options = small_model(true);
    options.layers = 1;
    const auto model = make_model(encoding_options("rope"), options,
                                  {.causal = false, .window = 3, .global = 2, .global_projections = true});
    const auto rows_changed_by = [&](const std::string& name) {
        const Tensor before = model->logits(Sample(1, 12).input()).value().clone();
        const MutableTensor values = parameter(*model, "blocks.0.attention." + name).clone();
        for (Scalar& value : values.values()) value *= Scalar(1.5);
        set_parameter(model->parameters(), "blocks.0.attention." + name, values.values());
        const Tensor after = model->logits(Sample(1, 12).input()).value();
        std::vector<int> changed;
        for (Index i = 0; i < 12; ++i)
            changed.push_back(largest_difference(after.reshaped({12, 11}).rows(i, 1),
                                                 before.reshaped({12, 11}).rows(i, 1)) > 1e-3);
        return changed;
    };
    EXPECT_EQ(rows_changed_by("global_qkv.weight"), (std::vector<int>{1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(rows_changed_by("qkv.weight"), (std::vector<int>{0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
}

TEST_P(MaskedModel, WindowPastTheEndIsFullAttentionBitForBit) {
    for (const bool causal : directions(GetParam())) {
        const auto full = make_model(encoding_options(GetParam()), small_model(), {.causal = causal});
        for (const PerLayer& window : {PerLayer(20), PerLayer{500, 0}}) {
            const auto windowed =
                make_model(encoding_options(GetParam()), small_model(), {.causal = causal, .window = window});
            EXPECT_EQ(largest_change(*windowed, *full, sample_for(GetParam(), 2, 20)), 0);
        }
        const auto narrow =
            make_model(encoding_options(GetParam()), small_model(), {.causal = causal, .window = {0, 5}});
        EXPECT_GT(largest_change(*narrow, *full, sample_for(GetParam(), 2, 20)), 1e-4);
    }
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
