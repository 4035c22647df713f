// A damaged checkpoint: evaluated alone, gone on from with an older one beside it, and begun from.
#include "tests/fuzz/harness.h"
#include "tests/fuzz/support.h"

namespace locus::test {
namespace {

TEST(Fuzz, Checkpoints) {
    const Folder folder;
    const Cell cell =
        cells_of(small_recipe, {"train.steps=4", "train.checkpoint_every=1", "train.keep=2"}).front();
    trained(cell, folder / "run", 2);  // steps 1 and 2
    const Files stopped = files_in(folder / "run");
    Files alone = stopped;
    ASSERT_EQ(alone.erase("checkpoints/step_00000001.h5"), 1U);
    const std::string damaged = "checkpoints/step_00000002.h5";

    lay(folder / "run", stopped);
    const std::string whole = trained(cell, folder / "run");
    const auto with = [&](Files files, const std::string& bytes) {
        files[damaged] = bytes;
        lay(folder / "run", files);
    };
    const auto use = [&](const std::string& bytes) -> Outcome {
        with(stopped, bytes);
        if (const std::string hash = trained(cell, folder / "run"); hash != whole)
            return {"went on to " + hash + ", not to " + whole};
        with(alone, bytes);
        const std::string numbers = evaluated(folder / "run").numbers;
        const Cell child =
            cells_of("from: {run: " + (folder / "run").string() + "}\ntrain: {steps: 1}").front();
        return {numbers + trained(child, folder / "child")};
    };
    expect_sound({"checkpoint", stopped.at(damaged), use, {Failure::storage}, "checkpoints"});
}

}  // namespace
}  // namespace locus::test
