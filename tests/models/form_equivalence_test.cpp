// A whole model with tiled attention is the model with composed attention, for every encoding and mask.
#include "tests/models/support.h"

namespace locus::inline LOCUS_SCALAR {
namespace {

INSTANTIATE_TEST_SUITE_P(Encodings, EachEncoding, every_encoding(), encoding_name);

void expect_same_model(const Transformer& model, const Sample& sample) {
    const Tensor one = Tensor::full({1}, 1);
    double losses[2];
    Tensor gradients[2];
    for (int form : {0, 1}) {
        const ForwardInput input = sample.input(form == 0 ? AttentionForm::composed : AttentionForm::tiled);
        gradients[form] = flat_gradient(model, one, [&] {
            const CrossEntropy loss = model.loss(input, sample.targets);
            losses[form] = loss.total;
            return loss.sum;
        });
    }
    EXPECT_NEAR(losses[1], losses[0], equivalence_limit * losses[0]);
    EXPECT_GT(losses[0], 0);
    const double most = largest(gradients[0]);
    for (std::size_t i = 0; i < model.parameters().parameters().size(); ++i) {
        const auto part = [&](int form) {
            return model.parameters().view(gradients[form], static_cast<Index>(i));
        };
        EXPECT_LE(largest_difference(part(1), part(0)), equivalence_limit * most)
            << model.parameters().parameters()[i].name;
    }
}

TEST_P(EachEncoding, TiledModelIsComposedModel) {
    const MaskOptions masks[] = {
        {},
        {.window = 4},
        {.window = 5, .global = 2},
        {.causal = false},
        {.causal = false, .window = 4, .global = 1},
        {.window = {3, 0}, .dilation = {3, 1}, .global = 2, .global_projections = true},
        {.causal = false, .window = {2, 5}, .global = 2, .global_projections = true}};
    for (const MaskOptions& mask : masks) {
        for (bool rich : {false, true}) {
            ModelOptions options = small_model(rich);
            if (rich) options.kv_heads = 2;
            const auto model = make_model(encoding_options(GetParam()), options, mask);
            for (Index length : {1, 33, 50}) {
                SCOPED_TRACE(fmt::format("causal {} window {} dilation {} global {} rich {} length {}",
                                         mask.causal, mask.window.at(0), mask.dilation.at(0), mask.global,
                                         rich, length));
                Sample sample(2, length);
                sample.targets[0] = 0;
                expect_same_model(*model, sample);
                sample.positions = restarted(2, length, 9);
                expect_same_model(*model, sample);
            }
        }
    }
}

}  // namespace
}  // namespace locus::inline LOCUS_SCALAR
