// Damaged evaluations and manifests, read by `table`, `table --verify`, `eval` and a training that goes on.
#include "recipes/engine/report/table.h"
#include "recipes/engine/report/verify_records.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/support.h"

namespace locus::test {
namespace {

/// An experiment of two arms, of which one has a damaged file.
class Experiment {
  public:
    Experiment() {
        const auto cells = cells_of(
            small_recipe + "vary: {arm: [{name: a}, {name: b, encoding: {kind: t5}}], train.seed: [0]}\n");
        cell_ = cells.front();
        Quiet quiet;
        run_experiment(cells, folder_ / "out", {}, quiet);
        arm_ = folder_ / "out" / cell_.name;
    }

    void expect_sound_without(const std::string& file, bool is_text, bool of_run) {
        const std::string intact = bytes_of(arm_ / file);
        const Files whole = files_in(arm_);
        ASSERT_FALSE(intact.empty());
        const auto use = [&](const std::string& bytes) -> Outcome {
            put_bytes(arm_ / file, bytes);
            Outcome outcome = table();
            if (!of_run) return outcome;
            const Evaluated found = evaluated(arm_);
            outcome.results += found.numbers;
            if (!found.warnings.empty()) outcome.told = found.warnings.front();
            outcome.results += trained(cell_, arm_);  // there is nothing left to train
            lay(arm_, whole);
            return outcome;
        };
        // A manifest says on which text its run was trained: another one is refused as data.
        expect_sound({file, intact, use, {Failure::storage, Failure::data}, cell_.name, is_text});
        lay(arm_, whole);
    }

  private:
    Outcome table() const {
        const VerifiedRecords found = verify_records(folder_ / "out");
        const Table table = make_table(folder_ / "out");
        require(found.wrong.empty(), Failure::storage, "{}", found.wrong.empty() ? "" : found.wrong.front());
        Outcome outcome{text_of(table, "json") + text_of(table, "md"), table.warning};
        return outcome;
    }

    Folder folder_;
    fs::path arm_;
    Cell cell_;
};

TEST(Fuzz, Manifests) {
    Experiment().expect_sound_without("manifest.json", true, true);
}

TEST(Fuzz, Summaries) {
    Experiment().expect_sound_without("evaluations/summary.json", true, false);
}

TEST(Fuzz, LossesOfItems) {
    Experiment().expect_sound_without("evaluations/non_overlapping.h5", false, false);
}

}  // namespace
}  // namespace locus::test
