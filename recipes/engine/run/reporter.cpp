#include "recipes/engine/run/reporter.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace locus {

std::string clock_text(double seconds) {
    const auto whole = static_cast<long>(std::lround(std::max(0.0, seconds)));
    if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
    return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string short_count(double value) {
    const char* unit = "";
    for (const char* next : {" k", " M", " G"}) {
        if (value < 1000) break;
        value /= 1000;
        unit = next;
    }
    return fmt::format("{:.{}f}{}", value, value < 10 && *unit != '\0' ? 1 : 0, unit);
}

}  // namespace locus
