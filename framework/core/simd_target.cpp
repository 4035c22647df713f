#include "framework/core/simd_target.h"

#include <fmt/ranges.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <vector>

#include "framework/core/error.h"

namespace locus {

namespace {

std::string name_of(std::int64_t target) {
    std::string name = hwy::TargetName(target);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    return name;
}

// Single targets of a set, the best first: Highway numbers them so.
std::vector<std::int64_t> each(std::int64_t targets) {
    std::vector<std::int64_t> single;
    for (; targets != 0; targets &= targets - 1) single.push_back(targets & ~(targets - 1));
    return single;
}

std::vector<std::string> names_of(std::int64_t targets) {
    std::vector<std::string> names;
    for (const std::int64_t target : each(targets)) names.push_back(name_of(target));
    return names;
}

std::int64_t usable() {
    return hwy::SupportedTargets() & HWY_TARGETS;
}

// Highway asks for AES where it looks for SSE4, which no kernel uses: processors of x86-64-v2 that lack it
// seem to have nothing that this program was built for.
void admit_the_lowest_target() {
    if (usable() != 0) return;
    hwy::SetSupportedTargetsForTest(HWY_STATIC_TARGET);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace

void limit_simd_target(const std::string& name) {
    const std::vector<std::int64_t> built = each(HWY_TARGETS);
    const auto found = std::find_if(built.begin(), built.end(),
                                    [&](std::int64_t target) { return name_of(target) == name; });
    require(found != built.end(),
            "LOCUS_TARGET: expected one of those that this program was built for, {}; found '{}'",
            fmt::join(names_of(HWY_TARGETS), ", "), name);
    const std::int64_t target = *found, before = usable();
    require((before & target) != 0, "LOCUS_TARGET: this processor lacks {}; it has {}", name,
            fmt::join(names_of(before), ", "));
    hwy::SetSupportedTargetsForTest(before & ~(target - 1));
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

void limit_simd_target_by_environment() {
    admit_the_lowest_target();
    const char* wanted = std::getenv("LOCUS_TARGET");
    if (wanted != nullptr && *wanted != '\0') limit_simd_target(wanted);
}

std::string simd_target() {
    const std::vector<std::int64_t> targets = each(usable());
    return targets.empty() ? "none" : name_of(targets.front());
}

}  // namespace locus
