// Records against the results of the items beside them.
#include "recipes/engine/report/verify_records.h"

#include "framework/io/hdf5.h"
#include "framework/io/json_file.h"
#include "recipes/engine/measure/plan.h"
#include "tests/recipes/engine/report/support.h"

namespace locus {
namespace {

/// A run folder of two windows of four tokens, each in two bins, and of two contexts of the same eight
/// tokens.
struct MeasuredRun {
    explicit MeasuredRun(const std::filesystem::path& path) : folder(path / "rope,seed=0") {
        FakeRun run = run_of("rope", 0, {});
        run.evaluated = false;
        run.write(folder);
        TokenLosses losses;
        for (Index i = 0; i < 8; ++i) {
            losses.document.push_back(0);
            losses.index.push_back(i + 1);
            losses.target.push_back(65);
        }
        losses.lengths = {4};
        losses.nats = {{1, 2, 3, 4, 5, 6, 7, 8}};
        write_losses("per_position.h5", losses);
        bins = head("per_position", "bin", losses);
        bins.facts["length"] = 4;
        add(bins, "bin", std::array<Index, 2>{0, 1}, 3, 2);  // 1 and 5
        add(bins, "bin", std::array<Index, 2>{1, 4}, 5, 6);  // the rest
        losses.lengths = {4, 8};
        losses.nats.push_back({1, 1, 1, 1, 1, 1, 1, 2});
        write_losses("same_target.h5", losses);
        contexts = head("same_target", "context", losses);
        add(contexts, "context", Index{4}, 4.5, 8);
        add(contexts, "context", Index{8}, 9.0 / 8, 8);
        save();
    }

    static Evaluation head(const std::string& protocol, const std::string& axis, const TokenLosses& losses) {
        Evaluation evaluation;
        evaluation.protocol = protocol;
        evaluation.axis = axis;
        evaluation.split = "valid";
        evaluation.file = protocol + ".h5";
        evaluation.items_hash = items_hash(losses);
        return evaluation;
    }
    static void add(Evaluation& evaluation, const std::string& axis, AxisPlace place, double nats,
                    Index count) {
        Record& record = evaluation.records.emplace_back();
        record.coordinates[axis] = std::move(place);
        record.metrics["nats_per_token"].value = nats;
        record.count = count;
    }
    void write_losses(const std::string& name, const TokenLosses& losses) const {
        std::filesystem::create_directories(folder / "evaluations");
        Hdf5File file = Hdf5File::create(folder / "evaluations" / name, Failure::storage);
        file.write("document", losses.document);
        file.write("index", losses.index);
        file.write("target", losses.target);
        file.write("lengths", losses.lengths);
        std::vector<float> nats;
        for (const auto& row : losses.nats) nats.insert(nats.end(), row.begin(), row.end());
        const Index shape[] = {static_cast<Index>(losses.nats.size()),
                               static_cast<Index>(losses.index.size())};
        file.write("nats", std::span<const Index>(shape), std::span<const float>(nats));
        file.commit();
    }
    // Sealed again: what is tested is not the checksum.
    void save() const {
        nlohmann::json summary = {{"runs", {to_json(bins), to_json(contexts)}}};
        for (auto& run : summary["runs"]) run["checksum"] = content_checksum(run);
        write_json(folder / "evaluations" / "summary.json", summary);
    }

    std::filesystem::path folder;
    Evaluation bins, contexts;
};

TEST(VerifyRecords, SoundOnesAreRecomputed) {
    Scratch scratch;
    const MeasuredRun run(scratch.path());
    const VerifiedRecords found = verify_records(scratch.path());
    EXPECT_TRUE(found.wrong.empty()) << found.wrong.front();
    EXPECT_EQ(found.evaluations, 2u);
    EXPECT_EQ(found.records, 4u);
}

TEST(VerifyRecords, EveryChangeIsNamed) {
    const auto expect_wrong = [](const std::string& said, auto change) {
        Scratch scratch;
        MeasuredRun run(scratch.path());
        change(run);
        run.save();
        EXPECT_TRUE(says(verify_records(scratch.path()).wrong, {"rope,seed=0/evaluations", said})) << said;
    };
    expect_wrong("per_position at bin [1, 4): nats_per_token",
                 [](MeasuredRun& run) { run.bins.records[1].metrics["nats_per_token"].value = 5.0001; });
    expect_wrong("same_target at context 8",
                 [](MeasuredRun& run) { run.contexts.records[1].metrics["nats_per_token"].value = 1.126; });
    expect_wrong("7 tokens, but 8 items", [](MeasuredRun& run) { run.contexts.records[0].count = 7; });
    expect_wrong("others than those that were scored",
                 [](MeasuredRun& run) { run.contexts.items_hash = "00"; });
    expect_wrong("no file of its items", [](MeasuredRun& run) { run.contexts.file = "../same_target.h5"; });
    expect_wrong("per_position.h5", [](MeasuredRun& run) {
        std::filesystem::remove(run.folder / "evaluations" / "per_position.h5");
    });
    expect_wrong("does not know", [](MeasuredRun& run) { run.bins.protocol = "needle"; });
    expect_wrong("no loss, but all items have one", [](MeasuredRun& run) {
        run.bins.records[0].metrics["nats_per_token"].value.reset();
        run.bins.records[0].state = RecordState::diverged;
    });
}

}  // namespace
}  // namespace locus
