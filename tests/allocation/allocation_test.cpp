// Training takes its memory in the first two steps and none afterwards.
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "data/batches.h"
#include "framework/train/fit.h"
#include "models/transformer.h"
#include "tests/allocation/counting_allocator.h"
#include "tests/data/support.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

constexpr std::size_t limit = 4096;

TEST(Watch, SeesEveryWayToTakeMemory) {
    const auto sizes_of = [](const std::function<void*()>& take, const std::function<void(void*)>& give) {
        const Watch watch(limit);
        give(take());
        return watch.first_sizes();
    };
    const std::vector<std::size_t> one{5000};
    void* block = std::malloc(16);
    EXPECT_EQ(sizes_of([] { return std::malloc(5000); }, std::free), one);
    EXPECT_EQ(sizes_of([] { return std::calloc(50, 100); }, std::free), one);
    EXPECT_EQ(sizes_of([&] { return std::realloc(block, 5000); }, std::free), one);
    EXPECT_EQ(sizes_of([] { return std::aligned_alloc(8, 5000); }, std::free), one);
    EXPECT_EQ(sizes_of([] { return ::operator new(5000); }, [](void* p) { ::operator delete(p); }), one);
    const auto map = [] { return mmap(nullptr, 5000, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); };
    EXPECT_EQ(sizes_of(map, [](void* p) { munmap(p, 5000); }), one);
    EXPECT_TRUE(sizes_of([] { return std::malloc(4096); }, std::free).empty());
}

long page_faults() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

struct Training {
    std::string encoding;
    Index length;
    bool rich;
    bool packed = false;  // sequences of segments under windows by layer
    bool global = false;  // global tokens with projections of their own
};

void PrintTo(const Training& run, std::ostream* out) {
    *out << run.encoding << " at " << run.length;
}

ModelOptions model_of(const Training& run) {
    ModelOptions model{.layers = 2, .width = 32, .heads = 4, .kv_heads = 4, .vocabulary = 256};
    if (!run.rich) return model;
    model.kv_heads = 2;
    model.norm = NormKind::rms;
    model.activation = Activation::swiglu;
    model.bias = true;
    model.dropout = 0.1;
    model.tie_embeddings = false;
    return model;
}

std::vector<Training> trainings() {
    std::vector<Training> all;
    for (const std::string& name : EncodingRegistry::instance().names()) {
        all.push_back({name, 64, false});
        all.push_back({name, 600, true});  // a vector of one number per token exceeds the limit
    }
    all.push_back({"rope", 610, true, true});
    all.push_back({"rope", 620, true, false, true});
    return all;
}

// Those of the text, or a grid of 25 columns for an encoding that reads no text.
Positions positions_for(const Training& run) {
    if (EncodingRegistry::instance().at(run.encoding).reads(1)) return Positions::consecutive(run.length);
    std::vector<std::int64_t> values;
    const Index columns = run.length == 64 ? 8 : 25;
    for (Index p = 0; p < run.length; ++p) values.insert(values.end(), {p / columns, p % columns});
    return Positions(1, run.length, 2, values);
}

MaskOptions mask_of(const Training& run) {
    if (!run.packed && !run.global) return {};
    MaskOptions mask{.window = {100, 9}, .dilation = {1, 3}};
    if (run.global) mask.global = 2;
    mask.global_projections = run.global;
    return mask;
}

// Text in its order, at the positions and in the segments of a run.
class PlacedText : public BatchSource {
  public:
    PlacedText(const Training& run, const Split& train, Index sequences)
        : order_(train, run.length, run.length, sequences, 0), positions_(positions_for(run)) {
        std::vector<std::int32_t> segments;
        for (Index i = 0; i < sequences * run.length; ++i)
            segments.push_back(static_cast<std::int32_t>(i % run.length / 200));
        if (run.packed) segments_ = BatchArray<std::int32_t>(sequences, std::move(segments));
    }
    void fill(Index step, Batch& batch) const override {
        if (batch.positions.length() == 0) batch.positions = Positions::consecutive(length());
        batch.segments = {};
        order_.fill(step, batch);
        batch.positions = positions_;
        batch.segments = segments_;
    }
    Index sequences() const override { return order_.sequences(); }
    Index length() const override { return order_.length(); }
    double epochs(Index steps) const override { return order_.epochs(steps); }
    std::string hash(Index steps) const override { return order_.hash(steps); }
    std::string summary() const override { return order_.summary(); }

  private:
    TrainingOrder order_;
    Positions positions_;
    BatchArray<std::int32_t> segments_;
};

class Allocation : public testing::TestWithParam<Training> {};
INSTANTIATE_TEST_SUITE_P(Encodings, Allocation, testing::ValuesIn(trainings()), [](const auto& run) {
    return run.param.encoding + "_" + std::to_string(run.param.length);
});

TEST_P(Allocation, NothingAboveFourKibAfterTheSecondStep) {
    const Training& run = GetParam();
    const Corpus corpus = test::corpus_of({40 * run.length});
    DataOptions data;
    data.valid_fraction = 0;
    const Split train = split(corpus, data).train;
    TrainOptions options;
    options.length = run.length;
    options.batch_tokens = 3 * run.length;  // shards of one and of two sequences
    options.tokens = 6 * options.batch_tokens;
    options.shards = 2;
    const PlacedText source(run, train, options.sequences());

    const EncodingOptions encoding{run.encoding,
                                   Options(EncodingRegistry::instance().at(run.encoding).options)};
    Transformer model(model_of(run), encoding, mask_of(run), run.length, 0);
    Workers workers(2);
    Trainer trainer(model.parameters(), options, workers);

    std::unique_ptr<Watch> watch;
    std::vector<long> faults;
    FitHooks hooks;
    hooks.source = &source;
    hooks.loss = [&](const Batch& part, Index step) {
        return model.loss(part, {.training = true, .step = static_cast<std::uint64_t>(step)});
    };
    hooks.log = [&](const StepRecord& record) {
        faults.push_back(page_faults());
        if (record.step == 2) watch = std::make_unique<Watch>(limit);
    };
    hooks.save = [](Index) {};
    hooks.stop = [] { return false; };
    ASSERT_EQ(fit(trainer, options, 0, hooks), 6);

    EXPECT_EQ(watch->count(), 0) << "sizes: " << testing::PrintToString(watch->first_sizes());
    long fewest = faults[3] - faults[2];  // a step may share the machine with others: one without is enough
    for (std::size_t step = 3; step < faults.size(); ++step) {
        fewest = std::min(fewest, faults[step] - faults[step - 1]);
    }
    EXPECT_EQ(fewest, 0) << "page faults in every step: " << testing::PrintToString(faults);
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus

int main(int argc, char** argv) {
    if (!locus::counting_works()) {
        std::puts("not run: a sanitizer owns the allocator");
        return 77;
    }
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
