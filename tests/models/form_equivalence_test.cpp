// A whole model with tiled attention is the model with composed attention, for every encoding and mask.
#include "tests/models/support.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

INSTANTIATE_TEST_SUITE_P(Encodings, EachEncoding, every_encoding(), encoding_name);

void expect_same_model(const Transformer& model, const Sample& sample) {
    const MutableTensor one = Tensor::full({1}, 1);
    double losses[2];
    Tensor gradients[2];
    for (int form : {0, 1}) {
        const Pass pass{.attention = form == 0 ? AttentionForm::composed : AttentionForm::tiled};
        gradients[form] = flat_gradient(model, one, [&] {
            const Loss loss = model.loss(sample.input(), pass);
            losses[form] = loss.total;
            return loss.sum;
        });
    }
    EXPECT_NEAR(losses[1], losses[0], equivalence_limit * losses[0]);
    EXPECT_GT(losses[0], 0);
    const auto& parameters = model.parameters().parameters();
    const auto part = [&](int form, std::size_t i) {
        return model.parameters().view(gradients[form], static_cast<Index>(i));
    };
    double max = 0;  // of the parameters: the padding between them is not set
    for (std::size_t i = 0; i < parameters.size(); ++i) max = std::max(max, largest(part(0, i)));
    for (std::size_t i = 0; i < parameters.size(); ++i)
        EXPECT_LE(largest_difference(part(1, i), part(0, i)), equivalence_limit * max) << parameters[i].name;
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
    const EncodingEntry& entry = EncodingRegistry::instance().at(GetParam());
    for (const MaskOptions& mask : masks) {
        if (entry.causal_only && !mask.causal)
            continue;  // refused: see OnlyNoPositionWithoutAMaskIsEquivariant
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
                for (Index axes : EncodingRegistry::instance().at(GetParam()).axes) {
                    sample.positions = arranged(Positions::consecutive(length), axes);
                    expect_same_model(*model, sample);
                    sample.positions = arranged(restarted(2, length, 9), axes);
                    expect_same_model(*model, sample);
                }
            }
        }
    }
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
