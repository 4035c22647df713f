#include "framework/distributed/launcher.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "framework/core/error.h"

namespace locus {

namespace {

// The first of the variables that is set.
std::optional<int> number_in(std::initializer_list<const char*> names) {
    for (const char* name : names) {
        const char* text = std::getenv(name);
        if (text == nullptr) continue;
        const std::string_view view(text);
        int value = 0;
        const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), value);
        require(error == std::errc() && end == view.data() + view.size() && value >= 0,
                "{}: expected a number, found '{}'", name, text);
        return value;
    }
    return std::nullopt;
}

// A batch script is task 0 of as many as the job may start; a step's tasks say how many they are.
Launch tasks_of_slurm() {
    const int task = number_in({"SLURM_PROCID"}).value_or(0);
    const int of_step = number_in({"SLURM_STEP_NUM_TASKS"}).value_or(1);
    if (task == 0 && of_step <= 1) return {};
    return {false, task, std::max({of_step, number_in({"SLURM_NTASKS"}).value_or(1), task + 1}), true};
}

}  // namespace

Launch launch_of_environment() {
    const auto rank = number_in({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"});
    if (!rank) return tasks_of_slurm();
    return {true, *rank, number_in({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}).value_or(0)};
}

}  // namespace locus
