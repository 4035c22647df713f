#include "recipes/engine/report/table_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "recipes/engine/measure/policy.h"

namespace locus {

std::string joined_words(const std::vector<std::string>& words, const std::string& between) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
    return text;
}

std::vector<std::string> own_axes() {
    std::vector<std::string> axes = {"length"};
    for (const std::string& name : ProtocolRegistry::instance().names())
        add_once(axes, policy_of(name).axis());
    return axes;
}

bool contains(const std::vector<std::string>& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

void add_once(std::vector<std::string>& texts, const std::string& text) {
    if (!contains(texts, text)) texts.push_back(text);
}

std::string coordinate_text(const std::string& axis, const std::string& value) {
    const std::string shown = value.empty() ? "none" : value;
    const std::vector<std::string> own = own_axes();
    return axis == "arm" || axis == "encoding.kind" || axis == "protocol" || contains(own, axis)
               ? shown
               : axis.substr(axis.rfind('.') + 1) + "=" + shown;
}

std::string grouped(double count) {
    std::string text = fmt::format("{:.0f}", count);
    const std::size_t sign = count < 0 ? 1 : 0;
    for (std::size_t at = text.size(); at > sign + 3;) text.insert(at -= 3, ",");
    return text;
}

std::string shown(double value, const Metric& metric) {
    if (std::abs(value) >= 1e6) return fmt::format("{:.3e}", value);
    std::string text = fmt::format("{:.{}f}", value, metric.decimals);
    const bool zero = text.find_first_of("123456789") == std::string::npos;
    return zero && text.front() == '-' ? text.substr(1) : text;
}

std::string signed_text(double value, const Metric& metric) {
    const std::string text = shown(value, metric);
    return value > 0 && text.find_first_of("123456789") != std::string::npos ? "+" + text : text;
}

}  // namespace locus
