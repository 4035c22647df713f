// Where positions come from is the data's business: every encoding takes packed, skipped and randomized ones.
#include "tests/models/support.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

class AnyPositions : public EachEncoding {};
INSTANTIATE_TEST_SUITE_P(Encodings, AnyPositions, every_encoding(), encoding_name);

constexpr Index first_length = 7, second_length = 5, words = 11;
constexpr double alone_limit = is_double ? 1e-11 : 1e-5;

const Pass one_length{.frequency_length =
                          first_length + second_length};  // one length for a document and a pack

/// A document of 7 tokens and one of 5 in a window, and each by itself.
struct TwoDocuments {
    explicit TwoDocuments(std::string of) : kind(std::move(of)), together(1, first_length + second_length) {
        together.positions = arranged_for(kind, Positions(1, 12, 1, {0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4}));
        together.targets = {3, 1, 4, 1, 5, 9, Batch::no_target, 2, 6, 5, 3, 5};
    }
    Batch input() const {
        Batch input = together.input();
        input.segments = BatchArray<std::int32_t>(1, segments);
        return input;
    }
    Sample alone(Index begin, Index length) const {
        Sample sample = sample_for(kind, 1, length);
        sample.tokens.assign(together.tokens.begin() + begin, together.tokens.begin() + begin + length);
        sample.targets.assign(together.targets.begin() + begin, together.targets.begin() + begin + length);
        return sample;
    }

    std::string kind;
    Sample together;
    std::vector<std::int32_t> segments = {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1};
};

Tensor rows_of(const Tensor& logits, Index begin, Index count) {
    return logits.reshaped({logits.count() / words, words}).rows(begin, count);
}

void expect_apart(const std::string& kind, const MaskOptions& mask) {
    SCOPED_TRACE(
        fmt::format("causal {} window {} dilation {}", mask.causal, mask.window.at(0), mask.dilation.at(0)));
    const auto model = make_model(encoding_options(kind), small_model(), mask);
    TwoDocuments packed(kind);
    const Tensor together = model->logits(packed.input(), one_length).value().clone();
    const Sample first = packed.alone(0, first_length), second = packed.alone(first_length, second_length);
    EXPECT_LE(largest_difference(rows_of(together, 0, first_length),
                                 rows_of(model->logits(first.input(), one_length).value(), 0, first_length)),
              alone_limit);
    EXPECT_LE(
        largest_difference(rows_of(together, first_length, second_length),
                           rows_of(model->logits(second.input(), one_length).value(), 0, second_length)),
        alone_limit);
    packed.together.tokens[3] = (packed.together.tokens[3] + 1) % words;
    const Tensor changed = model->logits(packed.input(), one_length).value();
    EXPECT_EQ(largest_difference(rows_of(changed, first_length, second_length),
                                 rows_of(together, first_length, second_length)),
              0);
    EXPECT_GT(largest_difference(rows_of(changed, 0, first_length), rows_of(together, 0, first_length)),
              1e-2);
    Batch open = packed.input();
    open.segments = {};  // only the positions begin again: the second document sees the first
    EXPECT_GT(
        largest_difference(rows_of(model->logits(open, one_length).value(), first_length, second_length),
                           rows_of(changed, first_length, second_length)),
        1e-2);
}

TEST_P(AnyPositions, PackedDocumentsDoNotMeet) {
    expect_apart(GetParam(), {});
    expect_apart(GetParam(), {.window = 3, .dilation = 2});
    if (!EncodingRegistry::instance().at(GetParam()).causal_only) expect_apart(GetParam(), {.causal = false});
}

TEST_P(AnyPositions, PackedGradientIsTheSumOfItsDocuments) {
    const auto model = make_model(encoding_options(GetParam()), small_model());
    const TwoDocuments packed(GetParam());
    const MutableTensor one = Tensor::full({1}, 1);
    const auto gradient = [&](const Batch& input) {
        return flat_gradient(*model, one, [&] { return model->loss(input, one_length).sum; });
    };
    const Sample first = packed.alone(0, first_length), second = packed.alone(first_length, second_length);
    const Tensor together = gradient(packed.input());
    const MutableTensor sum = gradient(first.input()).clone();
    const Tensor other = gradient(second.input());
    for (Index i = 0; i < sum.count(); ++i) sum.data()[i] += other.data()[i];
    EXPECT_LE(largest_difference(together, sum), (is_double ? 1e-12 : 1e-6) * largest(sum));
}

// Sequences with positions of their own in one pass are each what they are alone.
TEST_P(AnyPositions, EverySequenceMayHaveItsOwn) {
    const Choices longer = GetParam() == "learned" ? Choices{{"max_length", Index{100}}} : Choices{};
    const auto model = make_model(encoding_options(GetParam(), longer), small_model());
    Sample both(2, 6);
    both.positions =
        arranged_for(GetParam(), Positions(2, 6, 1, {0, 1, 40, 41, 42, 43, 3, 17, 18, 60, 61, 63}));
    const Tensor together = model->logits(both.input()).value().clone();
    for (Index b : {0, 1}) {
        Sample one(1, 6);
        one.tokens.assign(both.tokens.begin() + 6 * b, both.tokens.begin() + 6 * (b + 1));
        one.positions = both.positions.rows(b, 1);
        EXPECT_LE(largest_difference(model->logits(one.input()).value().reshaped({6, words}),
                                     rows_of(together, 6 * b, 6)),
                  alone_limit);
    }
}

// The terms at drawn positions are those of the plain table at these places.
TEST(RandomizedPositions, PickRowsOfThePlainTable) {
    const nlohmann::json example = oracle("randomized_positions.json")["example"];
    const std::vector<std::int64_t> drawn = example["positions"];
    const Index max = example["M"], count = example["N"];
    const Positions all = Positions::consecutive(max), some(1, count, 1, drawn);
    const auto check = [&](const Tensor& picked, const Tensor& table) {
        const Index width = table.count() / max;
        const Tensor rows = table.reshaped({max, width}), found = picked.reshaped({count, width});
        for (Index t = 0; t < count; ++t)
            EXPECT_EQ(largest_difference(found.rows(t, 1), rows.rows(drawn[static_cast<std::size_t>(t)], 1)),
                      0);
    };
    const LoneEncoding rope("rope"), sinusoidal("sinusoidal"), learned("learned", {{"max_length", max}});
    check(rope.terms(some).query.cos.value(), rope.terms(all).query.cos.value());
    check(rope.terms(some).key.sin.value(), rope.terms(all).key.sin.value());
    for (const LoneEncoding* absolute : {&sinusoidal, &learned})
        check(absolute->terms(some).embedding.value(), absolute->terms(all).embedding.value());
    EXPECT_THROW(LoneEncoding("learned").terms(some), Error);
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
