// What the tape tells a profile: the names of ops, and forward apart from backward.
#include "framework/core/profile.h"

#include "framework/ops/elementwise.h"
#include "framework/ops/reduce.h"
#include "tests/support/gradient_check.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

using Counts = std::pair<std::int64_t, std::int64_t>;  // calls forward and backward

std::map<std::string, Counts> counts_of(const Profile& profile) {
    std::map<std::string, Counts> counts;
    for (const ProfileRow& row : profile.report().rows) {
        if (row.is_op) counts[row.name] = {row.calls, row.backward_calls};
    }
    return counts;
}

// An op whose pullback is made of other ops on a tape of its own.
Variable doubled(const Variable& x) {
    return record(scale(Variable(x.value()), 2).value(), {x},
                  [x](const Tensor& cotangent, const Gradients& gradients) {
                      Tape inner;
                      Recording recording(&inner);
                      MutableTensor gradient = Tensor::zeros(x.shape());
                      inner.backward(exponential(inner.leaf(x.value(), gradient)), cotangent);
                      gradients.add(0, scale(Variable(cotangent), 2).value().clone());
                  });
}

TEST(TapeProfile, CountsEveryOpUnderItsName) {
    Profile profile(1);
    Tape tape;
    Recording recording(&tape);
    MutableTensor gradient = Tensor::zeros({2});
    const Variable x = tape.leaf(tensor_of({2}, {3, 4}), gradient);
    {
        const Profile::Step step(&profile);
        const Variable y = multiply(multiply(x, x), relu(x));
        const Variable constant = multiply(Variable(x.value()), Variable(x.value()));  // on no tape
        tape.backward(sum_all(add(y, constant)), Tensor::full({1}, 1));
    }
    const std::map<std::string, Counts> expected = {
        {"multiply", {3, 2}}, {"relu", {1, 1}}, {"add", {1, 1}}, {"sum_all", {1, 1}}};
    EXPECT_EQ(counts_of(profile), expected);
}

TEST(TapeProfile, OpsOfAPullbackAreItsOwn) {
    Profile profile(1);
    Tape tape;
    Recording recording(&tape);
    MutableTensor gradient = Tensor::zeros({2});
    const Variable x = tape.leaf(tensor_of({2}, {3, 4}), gradient);
    {
        const Profile::Step step(&profile);
        tape.backward(doubled(x), tensor_of({2}, {1, 1}));
    }
    const std::map<std::string, Counts> expected = {{"doubled", {1, 1}}, {"scale", {1, 0}}};
    EXPECT_EQ(counts_of(profile), expected);
    EXPECT_EQ(gradient.data()[0], 2);
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
