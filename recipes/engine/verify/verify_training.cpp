// The checks of training: threads, ranks, and a run that was stopped and resumed.

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "recipes/engine/run/drawn_training.h"
#include "recipes/engine/verify/verify_checks.h"

namespace locus {

namespace {

constexpr Index training_sequences = 8;

DrawnTraining training(const VerifySubject& s, int threads, const Communicator& group = {}) {
    return DrawnTraining(model_like(s.model, s.recipe, s.recipe.mask, s.recipe.encoding), s.recipe,
                         training_sequences, std::min<Index>(s.trained, 64), threads, group);
}

// A folder that goes with its owner.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "locus-verify-XXXXXX").string();
        require(mkdtemp(name.data()) != nullptr, Failure::storage, "{}: no folder could be made", name);
        path_ = name;
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

}  // namespace

void check_threads(const VerifySubject& s, int threads, const TakeCheck& take) {
    DrawnTraining one = training(s, 1), many = training(s, threads);
    one.step(1);
    many.step(1);
    take({fmt::format("a training step on {} threads = on one thread", threads),
          largest_difference(many.values(), one.values()), 0});
    take({"a training step changes parameters",
          largest_difference(one.values(), s.model.parameters().values()), 0, true});
}

void check_ranks(const VerifySubject& s, const Communicator& group, const TakeCheck& take) {
    if (group.alone()) return;
    DrawnTraining one = training(s, 1), many = training(s, 1, group);
    one.step(1);
    many.step(1);
    std::vector<double> gradients(static_cast<std::size_t>(group.size())), values = gradients;
    std::vector<Index> begins;
    for (int rank = 0; rank <= group.size(); ++rank) begins.push_back(rank);
    const auto me = static_cast<std::size_t>(group.rank());
    gradients[me] = largest_difference(many.first_moment(), one.first_moment());
    values[me] = largest_difference(many.values(), one.values());
    group.gather(std::span(gradients), begins);
    group.gather(std::span(values), begins);
    const auto worst = [](const std::vector<double>& differences) {
        double largest = 0;
        for (const double difference : differences)
            if (!(difference <= largest)) largest = difference;  // NaN counts as the largest
        return largest;
    };
    take({fmt::format("the gradient of {} ranks = of one rank", group.size()), worst(gradients), 0});
    take({fmt::format("a training step on {} ranks = on one rank", group.size()), worst(values), 0});
}

void check_resume(const VerifySubject& s, const TakeCheck& take) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "step.h5";
    DrawnTraining whole = training(s, 1), resumed = training(s, 1);
    whole.step(1);
    whole.save(path, 1);
    whole.step(2);
    resumed.load(path);
    resumed.step(2);
    take({"two training steps, saved and resumed between = uninterrupted",
          largest_difference(resumed.values(), whole.values()), 0});
}

}  // namespace locus
