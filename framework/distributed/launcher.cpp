#include "framework/distributed/launcher.h"

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

}  // namespace

Launch launch_of_environment() {
    const auto rank = number_in({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"});
    if (!rank) return {};
    return {true, *rank, number_in({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}).value_or(0)};
}

}  // namespace locus
