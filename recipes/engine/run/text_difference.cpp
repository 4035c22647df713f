#include "recipes/engine/run/text_difference.h"

#include <fmt/core.h>

#include <sstream>

namespace locus {

std::string first_difference(const std::string& here, const std::string& there) {
    std::istringstream a(here), b(there);
    std::string line_a, line_b;
    for (int number = 1;; ++number) {
        const bool more_a = static_cast<bool>(std::getline(a, line_a)),
                   more_b = static_cast<bool>(std::getline(b, line_b));
        if (more_a != more_b || line_a != line_b) {
            return fmt::format("line {} is '{}' there, '{}' here", number, more_b ? line_b : "",
                               more_a ? line_a : "");
        }
        if (!more_a) return "no line differs";
    }
}

}  // namespace locus
