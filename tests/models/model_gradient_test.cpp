// The gradient of a whole model against central differences, for every encoding.
#include "tests/models/support.h"
#include "tests/support/gradient_check.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

class ModelGradient : public EachEncoding {};
INSTANTIATE_TEST_SUITE_P(Encodings, ModelGradient, every_encoding(), encoding_name);

#ifdef __SANITIZE_ADDRESS__
constexpr int entries_beside_the_steepest = 1;  // memory is what is watched there, and every pass takes long
#else
constexpr int entries_beside_the_steepest = 7;
#endif

// Compares some entries of every parameter: all of them would only take longer.
template <typename Output>
void check_model(Transformer& model, const Output& output) {
    const Tensor cotangent = random_tensor(output().shape(), 9);
    const Tensor gradient = flat_gradient(model, cotangent, output);
    RandomStream stream(4, Purpose::test, {});
    ParameterStore& store = model.parameters();
    for (std::size_t i = 0; i < store.parameters().size(); ++i) {
        const ParameterInfo& info = store.parameters()[i];
        std::vector<double> analytic, numeric;
        const auto compare = [&](Index at) {
            analytic.push_back(static_cast<double>(gradient.data()[at]));
            numeric.push_back(central_difference(store, at, analytic.back(),
                                                 [&] { return dot(output().value(), cotangent); }));
        };
        const Tensor own = store.view(gradient, static_cast<Index>(i));
        const auto steepest = std::max_element(own.values().begin(), own.values().end(),
                                               [](Scalar a, Scalar b) { return std::abs(a) < std::abs(b); });
        compare(info.offset + (steepest - own.values().begin()));
        for (int k = 0; k < entries_beside_the_steepest; ++k) {
            compare(info.offset +
                    static_cast<Index>(stream.below(static_cast<std::uint64_t>(info.shape.count()))));
        }
        if (largest(own) > (is_double ? 1e-12 : 1e-5) * largest(gradient)) {
            expect_gradient_close(analytic, numeric, info.name);
            continue;
        }
        // zero by symmetry, such as that of a constant added to all logits: differences show their rounding
        const double rounding = (is_double ? 1e-9 : 1e-3) * largest(gradient);
        for (double difference : numeric) EXPECT_LE(std::abs(difference), rounding) << info.name;
    }
}

void check(const std::string& kind, const ModelOptions& options, const MaskOptions& mask,
           AttentionForm form) {
    const auto model = make_model(encoding_options(kind), options, mask, 12);
    Sample sample(2, 11);
    for (Index axes : EncodingRegistry::instance().at(kind).axes) {
        sample.positions = arranged(restarted(2, 11, 8), axes, 3);
        const Batch input = sample.input();
        check_model(*model, [&] { return model->logits(input, {.attention = form}); });
        check_model(*model, [&] { return model->loss(input, {.attention = form}).sum; });
    }
}

TEST_P(ModelGradient, CausalTied) {
    check(GetParam(), small_model(), {}, AttentionForm::tiled);
}

TEST_P(ModelGradient, RichGroupedHeads) {
    ModelOptions options = small_model(true);
    options.kv_heads = 2;
    check(GetParam(), options, {.window = 5, .global = 1}, AttentionForm::tiled);
}

// The parts of a mask do not depend on the encoding: one that rotates and one with a bias stand for all.
TEST(MaskGradient, DilatedLayersAndGlobalProjections) {
    ModelOptions options = small_model();
    options.bias = true;
    for (const char* kind : {"rope", "t5"}) {
        check(kind, options, {.window = {3, 2}, .dilation = {1, 3}, .global = 2, .global_projections = true},
              AttentionForm::tiled);
    }
}

TEST_P(ModelGradient, OpenComposed) {
    ModelOptions options = small_model();
    options.bias = true;
    options.kv_heads = 1;
    const bool causal = EncodingRegistry::instance().at(GetParam()).causal_only;
    check(GetParam(), options, {.causal = causal}, AttentionForm::composed);
}

TEST_P(ModelGradient, WithDropout) {
    ModelOptions options = small_model();
    options.dropout = 0.2;
    const auto model = make_model(encoding_options(GetParam()), options, {}, 12);
    Sample sample(2, 11);
    sample.positions = arranged_for(GetParam(), sample.positions, 3);
    Batch input = sample.input();
    input.first = 3;
    check_model(*model, [&] { return model->logits(input, {.training = true, .seed = 1, .step = 2}); });
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
