// Attention of states to those of another sequence, against ordinary ops, and its gradients against
// differences.
#include "framework/ops/matmul.h"
#include "framework/ops/shape.h"
#include "framework/ops/softmax.h"
#include "tests/models/support.h"
#include "tests/support/gradient_check.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

constexpr Index batch = 2, queries = 5, keys = 7, heads = 4, kv_heads = 2, head_dim = 4;

ModelOptions options() {
    ModelOptions model = small_model();
    model.heads = heads;
    model.kv_heads = kv_heads;
    model.bias = true;
    return model;
}

struct Crossing {
    Crossing() : attention(ParameterScope(store, "attention"), options(), Site::cross) {
        store.allocate(1);
        draw_all(store);
        AttentionCall whole{.sequences = batch,
                            .asking = {0, queries},
                            .seen = {0, keys},
                            .query = Positions::consecutive(queries),
                            .key = Positions::consecutive(keys)};
        whole.mask.causal = false;
        for (Index h = 0; h < heads; ++h)
            for (Index row = 0; row < queries + keys - 1; ++row)
                table.data()[h * (queries + keys - 1) + row] = static_cast<Scalar>(0.1 * double(h * row % 5));
        whole.terms.bias.table = table;
        whole.terms.bias.first = 1 - keys;
        for (std::int32_t row = 0; row < queries + keys - 1; ++row) whole.terms.bias.rows.push_back(row);
        parts.push_back(std::move(whole));
    }
    Variable operator()(const Variable& x, const Variable& source,
                        AttentionForm form = AttentionForm::tiled) const {
        return attention(x, source, {.parts = parts, .attention = form});
    }
    Variable named(const std::string& name) const {
        for (std::size_t i = 0; i < store.parameters().size(); ++i)
            if (store.parameters()[i].name == "attention." + name)
                return store.view(store.values(), static_cast<Index>(i));
        ADD_FAILURE() << "no parameter " << name;
        return {};
    }

    ParameterStore store;
    locus::Attention attention;
    std::vector<AttentionCall> parts;
    MutableTensor table = Tensor::zeros({heads, queries + keys - 1});
};

// softmax(Q K^T / sqrt(D) + bias) V W, head by head, in double.
Tensor by_hand(const Crossing& cross, const Tensor& x, const Tensor& source) {
    const auto product = [&](const Tensor& states, const char* name, Index row) {
        const Tensor weight = cross.named(std::string(name) + ".weight").value();
        const Tensor bias = cross.named(std::string(name) + ".bias").value();
        std::vector<double> out(static_cast<std::size_t>(weight.size(0)));
        for (Index o = 0; o < weight.size(0); ++o) {
            double sum = static_cast<double>(bias.data()[o]);
            for (Index i = 0; i < weight.size(1); ++i)
                sum += static_cast<double>(states.data()[row * weight.size(1) + i]) *
                       static_cast<double>(weight.data()[o * weight.size(1) + i]);
            out[static_cast<std::size_t>(o)] = sum;
        }
        return out;
    };
    const MutableTensor seen = Tensor::zeros({batch, queries, heads * head_dim});
    for (Index b = 0; b < batch; ++b) {
        for (Index i = 0; i < queries; ++i) {
            const auto q = product(x, "q", b * queries + i);
            for (Index h = 0; h < heads; ++h) {
                double weights_sum = 0;
                std::vector<double> sums(head_dim);
                for (Index j = 0; j < keys; ++j) {
                    const auto kv = product(source, "kv", b * keys + j);
                    const auto key = static_cast<std::size_t>(h / 2 * head_dim),
                               value = key + kv_heads * head_dim;
                    double logit = 0;
                    for (std::size_t d = 0; d < head_dim; ++d)
                        logit += q[static_cast<std::size_t>(h * head_dim) + d] * kv[key + d] / 2;
                    const Index row = i - j + keys - 1;
                    const double weight = std::exp(
                        logit + static_cast<double>(cross.table.data()[h * (queries + keys - 1) + row]));
                    weights_sum += weight;
                    for (std::size_t d = 0; d < head_dim; ++d) sums[d] += weight * kv[value + d];
                }
                for (std::size_t d = 0; d < head_dim; ++d)
                    seen.data()[(b * queries + i) * heads * head_dim + h * head_dim + static_cast<Index>(d)] =
                        static_cast<Scalar>(sums[d] / weights_sum);
            }
        }
    }
    MutableTensor out = Tensor::zeros(seen.shape());
    for (Index row = 0; row < batch * queries; ++row) {
        const auto outputs = product(seen, "output", row);
        for (std::size_t o = 0; o < outputs.size(); ++o)
            out.data()[row * 16 + static_cast<Index>(o)] = static_cast<Scalar>(outputs[o]);
    }
    return out;
}

TEST(CrossAttention, SeesTheOtherSequence) {
    const Crossing cross;
    const Tensor x = random_tensor({batch, queries, 16}, 1), source = random_tensor({batch, keys, 16}, 2);
    const Tensor expected = by_hand(cross, x, source);
    for (const AttentionForm form : {AttentionForm::tiled, AttentionForm::composed})
        expect_close(cross(x, source, form).value(), expected, equivalence_limit, "cross attention");
}

TEST(CrossAttention, GradientsOfBothSources) {
    const Crossing cross;
    for (const AttentionForm form : {AttentionForm::tiled, AttentionForm::composed})
        check_gradient([&](Inputs v) { return cross(v[0], v[1], form); },
                       {random_tensor({batch, queries, 16}, 1), random_tensor({batch, keys, 16}, 2)});
}

TEST(CrossAttention, GradientsOfItsParameters) {
    Crossing cross;
    const Tensor x = random_tensor({batch, queries, 16}, 1), source = random_tensor({batch, keys, 16}, 2);
    const Tensor cotangent = random_tensor({batch, queries, 16}, 3);
    const Tensor flat = flat_gradient(cross.store, cotangent, [&] { return cross(x, source); });
    for (std::size_t p = 0; p < cross.store.parameters().size(); ++p) {
        const ParameterInfo& info = cross.store.parameters()[p];
        std::vector<double> analytic, numeric;
        for (Index i = info.offset; i < info.offset + info.shape.count(); i += 7) {
            analytic.push_back(static_cast<double>(flat.data()[i]));
            numeric.push_back(central_difference(cross.store, i, analytic.back(),
                                                 [&] { return dot(cross(x, source).value(), cotangent); }));
        }
        expect_gradient_close(analytic, numeric, info.name);
    }
}

TEST(CrossAttention, ASiteOfOneSourceTakesOne) {
    ParameterStore store;
    const locus::Attention self(ParameterScope(store, "attention"), options(), Site::self_bidirectional);
    store.allocate(1);
    const Tensor x = random_tensor({batch, queries, 16}, 1), other = random_tensor({batch, queries, 16}, 2);
    EXPECT_THROW(self(x, other, {}), Error);
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
