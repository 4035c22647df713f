#include "data/batch_sources.h"

#include "data/batches.h"
#include "framework/core/random.h"
#include "tests/data/support.h"

namespace locus {
namespace {

using test::corpus_of;
using test::expect_error;
using test::targets_of;
using test::tokens_of;

// A task of its own: repeat the first token. No corpus is read.
class Repeat : public BatchSource {
  public:
    explicit Repeat(const BatchShape& shape) : shape_(shape) {}
    void fill(Index step, Batch& batch) const override {
        std::vector<Token> tokens;
        for (Index s = 0; s < shape_.sequences; ++s) {
            RandomStream stream(shape_.seed, Purpose::test,
                                {static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(s)});
            tokens.insert(tokens.end(), static_cast<std::size_t>(shape_.length),
                          static_cast<Token>(stream.below(256)));
        }
        batch = Batch::of_text(shape_.sequences, tokens, tokens);
    }
    Index sequences() const override { return shape_.sequences; }
    Index length() const override { return shape_.length; }
    double epochs(Index) const override { return 0; }
    std::string hash(Index) const override { return "repeat"; }
    std::string summary() const override { return "drawn"; }

  private:
    BatchShape shape_;
};

const bool repeat_registered = BatchSourceRegistry::instance().add(
    "test_repeat", {.doc = "", .make = [](const Split&, const DataOptions&, const BatchShape& shape) {
                        return std::make_unique<Repeat>(shape);
                    }});

TEST(BatchSources, TextIsTheTrainingOrder) {
    const Corpus corpus = corpus_of({300, 200});
    DataOptions options;
    options.valid_fraction = 0;
    options.block = 64;
    const Split train = split(corpus, options).train;
    const auto source = make_batch_source(train, options, {4, 32, 7});
    const TrainingOrder order(train, 64, 32, 4, 7);
    EXPECT_EQ(source->sequences(), 4);
    EXPECT_EQ(source->length(), 32);
    EXPECT_EQ(source->hash(5), order.hash(5));
    EXPECT_EQ(source->summary(), order.summary());
    for (const Index step : {3, 0, 3}) {  // in any order
        EXPECT_EQ(tokens_of(source->at(step)), tokens_of(order.at(step)));
        EXPECT_EQ(targets_of(source->at(step)), targets_of(order.at(step)));
    }
}

TEST(BatchSources, AnotherKindNeedsNoOtherChange) {
    DataOptions options;
    options.source = "test_repeat";
    const auto source = make_batch_source({}, options, {2, 5, 1});
    EXPECT_EQ(tokens_of(source->at(3)), tokens_of(source->at(3)));
    EXPECT_NE(tokens_of(source->at(3)), tokens_of(source->at(4)));
    options.source = "texts";
    expect_error([&] { make_batch_source({}, options, {2, 5, 1}); }, Failure::usage, {"texts", "text"});
}

}  // namespace
}  // namespace locus
