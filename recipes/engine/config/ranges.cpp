#include "recipes/engine/config/ranges.h"

#include <algorithm>
#include <cmath>

#include "framework/core/error.h"
#include "recipes/engine/config/keys.h"

namespace locus {

namespace {

constexpr double max_values = 10'000;

/// A range as it is written.
struct WrittenRange {
    std::string path;
    const Value *from = nullptr, *to = nullptr, *step = nullptr, *factor = nullptr, *count = nullptr,
                *log = nullptr;
};

double number_at(const Value* value, const std::string& path, const Range<double>& range = {}) {
    return read_number(*value, path, range);
}

WrittenRange read_range(const Value& value, const std::string& path) {
    WrittenRange range{path};
    for (const Entry& entry : value.entries) {
        const std::map<std::string, const Value**> places = {
            {"from", &range.from},     {"to", &range.to},       {"step", &range.step},
            {"factor", &range.factor}, {"count", &range.count}, {"log", &range.log}};
        const auto place = places.find(entry.key);
        require(place != places.end(),
                "{}: {}: a range has from, to and step, factor or count (log), not '{}'", entry.source.text(),
                path, entry.key);
        *place->second = &entry.value;
    }
    const int ways = (range.step != nullptr) + (range.factor != nullptr) + (range.count != nullptr);
    require(range.from != nullptr && range.to != nullptr && ways <= 1,
            "{}: {}: expected a range of from, to and at most one of step, factor and count",
            value.source.text(), path);
    require(range.log == nullptr || range.count != nullptr, "{}: {}: log goes with count",
            value.source.text(), path);
    return range;
}

// Sums of binary fractions without their last digits: 0.3, not 0.30000000000000004.
double tidy(double number) {
    return number_from(fmt::format("{:.12g}", number)).value();
}

double tidy_power(double number) {
    const double whole = std::round(number);
    if (whole != 0 && std::abs(number - whole) <= 1e-9 * std::abs(whole)) return whole;
    return number_from(fmt::format("{:.4g}", number)).value();
}

std::vector<double> counted(const WrittenRange& range, double from, double to) {
    const auto count = read_integer(*range.count, range.path + ".count", {2, static_cast<Index>(max_values)});
    const bool log = range.log != nullptr && read_flag(*range.log, range.path + ".log");
    require(!log || (from > 0 && to > 0), "{}: {}: a logarithmic range has ends above 0, found {} and {}",
            range.log == nullptr ? "" : range.log->source.text(), range.path, text_of(from), text_of(to));
    std::vector<double> numbers = {from};
    for (Index i = 1; i + 1 < count; ++i) {
        const double part = static_cast<double>(i) / static_cast<double>(count - 1);
        numbers.push_back(log ? tidy_power(from * std::pow(to / from, part))
                              : tidy(from + part * (to - from)));
    }
    numbers.push_back(to);
    return numbers;
}

// Steps of an equal width, or factor, that meet the end.
std::vector<double> stepped(const WrittenRange& range, double from, double to) {
    const bool by_factor = range.factor != nullptr;
    double step = 1;
    if (range.step != nullptr) step = number_at(range.step, range.path + ".step");
    if (by_factor) step = number_at(range.factor, range.path + ".factor", {0, 1e300, true, false});
    const double exact = by_factor ? std::log(to / from) / std::log(step) : (to - from) / step;
    const double steps = std::round(exact);
    const bool meets = std::isfinite(exact) && exact >= 0 && std::abs(exact - steps) <= 1e-9 * (1 + steps);
    require(meets, "{}: {}: the range from {} does not meet {} by {} {}", range.to->source.text(), range.path,
            text_of(from), text_of(to), by_factor ? "factors of" : "steps of", text_of(step));
    require(steps < max_values, "{}: {}: the range has more than {} values", range.to->source.text(),
            range.path, max_values);
    std::vector<double> numbers;
    for (double i = 0; i < steps; ++i)
        numbers.push_back(by_factor ? tidy(from * std::pow(step, i)) : tidy(from + i * step));
    numbers.push_back(to);
    return numbers;
}

}  // namespace

std::vector<Value> axis_values(const Value& value, const std::string& path, const std::string& example) {
    if (value.type != Value::Type::map) return read_list(value, path, example);
    const WrittenRange range = read_range(value, path);
    const double from = number_at(range.from, path + ".from"), to = number_at(range.to, path + ".to");
    std::vector<Value> values;
    for (const double number : range.count != nullptr ? counted(range, from, to) : stepped(range, from, to)) {
        const auto whole = integer_from(text_of(number));
        values.push_back(Value::scalar(whole ? text_of(*whole) : text_of(number), value.source));
    }
    return values;
}

}  // namespace locus
