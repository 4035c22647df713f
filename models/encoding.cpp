#include "models/encoding.h"

#include <fmt/ranges.h>

#include "models/scaling.h"

namespace locus::inline LOCUS_SCALAR {

std::vector<std::string> scaling_rules(const EncodingEntry& entry) {
    if (entry.scaling == ScalingSupport::none) return {};
    if (entry.scaling == ScalingSupport::linear) return {"plain", "linear"};
    return FrequencyRegistry::instance().names();
}

std::vector<Option> options_under(const EncodingEntry& entry, const std::string& rule) {
    std::vector<Option> all = entry.options;
    const std::vector<std::string> rules = scaling_rules(entry);
    require(rule == "plain" || std::find(rules.begin(), rules.end(), rule) != rules.end(),
            "scaling {}: this encoding cannot be scaled so", rule);
    if (rules.empty()) return all;
    for (Option& option : scaling_options(rule)) all.push_back(std::move(option));
    return all;
}

void require_axes(const std::string& kind, Index axes) {
    const EncodingEntry& entry = EncodingRegistry::instance().at(kind);
    constexpr const char* names[] = {"text", "row and column", "time, row and column"};
    require(entry.reads(axes), "encoding {}: expected positions with {} {} ({}), found {} ({})", kind,
            fmt::join(entry.axes, " or "),
            entry.axes.front() == 1 && entry.axes.size() == 1 ? "axis" : "axes",
            names[entry.axes.front() - 1], axes, names[axes - 1]);
}

}  // namespace locus::inline LOCUS_SCALAR
