// The seam of heads: who trains another loss registers a head and changes no model.
#include "models/head.h"

#include "framework/ops/elementwise.h"
#include "framework/ops/matmul.h"
#include "framework/ops/reduce.h"
#include "tests/models/support.h"
#include "tests/support/gradient_check.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

// Half the square of the distance between an output and its target, which is a number.
class SquareHead : public Head {
  public:
    SquareHead(const ParameterScope& scope, const ModelOptions& options)
        : output_(scope.add_matrix("square.weight", {1, options.width}, Initial::normal(0.3))) {}

    Variable outputs(const Variable& states) const override { return linear(states, output_); }

    Loss loss(const Variable& states, const Targets& targets, bool) const override {
        const Variable found = outputs(states);
        const MutableTensor wanted = Tensor::zeros(found.shape()), weights = Tensor::zeros(found.shape());
        Loss loss;
        for (std::size_t i = 0; i < targets.tokens.size(); ++i) {
            if (targets.tokens[i] == no_target) continue;
            const double weight = targets.weights.empty() ? 1 : static_cast<double>(targets.weights[i]);
            wanted.data()[i] = static_cast<Scalar>(-targets.tokens[i]);
            weights.data()[i] = static_cast<Scalar>(weight / 2);
            loss.weight += weight;
        }
        const Variable apart = add(found, Variable(wanted));
        loss.sum = sum_all(multiply(multiply(apart, apart), Variable(weights)));
        loss.total = static_cast<double>(loss.sum.value().data()[0]);
        return loss;
    }

  private:
    Parameter output_;
};

const bool square_registered = HeadRegistry::instance().add(
    "test_square",
    {.doc = "", .make = [](const ParameterScope& scope, const ModelOptions& options, const Parameter&) {
         return std::make_unique<SquareHead>(scope, options);
     }});

TEST(Heads, AModelTrainsTheLossOfItsHead) {
    ModelOptions options = small_model();
    options.head = "test_square";
    const auto model = make_model(encoding_options("rope"), options);
    Sample sample(2, 9);
    Batch input = sample.input();
    EXPECT_EQ(model->logits(input).shape(), (Shape{2, 9, 1}));
    std::vector<float> weights;
    for (int i = 0; i < 18; ++i) weights.push_back(static_cast<float>(i % 4) / 2);
    input.weights = BatchArray<float>(2, weights);
    EXPECT_EQ(model->loss(input).weight, input.weight());
    const auto loss = [&] { return model->loss(input).sum; };
    const Tensor one = Tensor::full({1}, 1), flat = flat_gradient(*model, one, loss);
    ParameterStore& store = model->parameters();
    for (std::size_t p = 0; p < store.parameters().size(); ++p) {
        const ParameterInfo& info = store.parameters()[p];
        std::vector<double> analytic, numeric;
        for (Index i = 0; i < info.shape.count(); i += 11) {
            analytic.push_back(static_cast<double>(flat.data()[info.offset + i]));
            numeric.push_back(central_difference(store, info.offset + i, analytic.back(),
                                                 [&] { return dot(loss().value(), one); }));
        }
        if (is_double) expect_gradient_close(analytic, numeric, info.name);
    }
}

TEST(Heads, AreKnownByName) {
    EXPECT_TRUE(HeadRegistry::instance().contains("next_token"));
    ModelOptions options = small_model();
    options.head = "last_token";
    try {
        Transformer(options, encoding_options("nope"), {}, 64, 1);
        ADD_FAILURE() << "an unknown head passed";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("next_token"), std::string::npos) << error.what();
    }
}

// Places that are not asked cost nothing, and weigh nothing: the same bits either way.
TEST(Heads, WeightsHoldWhereFewPlacesAreAsked) {
    const auto model = make_model(encoding_options("rope"), small_model());
    Sample sample(2, 12);
    Batch input = sample.input();
    std::vector<float> weights;
    for (int i = 0; i < 24; ++i) weights.push_back(static_cast<float>(i % 3));
    input.weights = BatchArray<float>(2, weights);
    const Loss few = model->loss(input, {.keep_each = true});
    EXPECT_EQ(few.weight, input.weight());
    double expected = 0;
    for (std::size_t i = 0; i < 24; ++i) expected += static_cast<double>(weights[i]) * few.each[i];
    EXPECT_DOUBLE_EQ(few.total, expected);
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
