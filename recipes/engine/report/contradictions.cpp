#include "recipes/engine/report/contradictions.h"

#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>

#include "framework/io/json_file.h"

namespace locus {

namespace {

using nlohmann::json;

constexpr double rounding = 1e-9;  // of numbers that were worked out in another order

std::optional<double> number(const json& object, const char* name) {
    const auto place = object.find(name);
    if (place == object.end() || !place->is_number()) return std::nullopt;
    return place->get<double>();
}

std::string place_of(const json& result) {
    for (const char* axis : {"length", "context", "bin"})
        if (result.contains(axis)) return fmt::format("{} {}", axis, result[axis].dump());
    return "a result";
}

class Check {
  public:
    explicit Check(const json& run) : run_(run) {
        const auto protocol = run.find("protocol");
        name_ =
            protocol != run.end() && protocol->is_string() ? protocol->get<std::string>() : "an evaluation";
    }

    std::vector<std::string> lines() {
        const auto sealed = run_.find("checksum");
        if (sealed != run_.end() && *sealed != content_checksum(run_))
            lines_.push_back(
                fmt::format("{}: was changed after it was written: its checksum is {}, that of its "
                            "content {}",
                            name_, sealed->dump(), content_checksum(run_)));
        const auto results = run_.find("results");
        if (results == run_.end() || !results->is_array()) return lines_;
        for (const json& result : *results)
            if (result.is_object()) check(result, *results);
        return lines_;
    }

  private:
    void check(const json& result, const json& all) {
        const auto nats = number(result, "nats_per_token");
        const auto state = result.find("state");
        if (state != result.end() && state->is_string() && *state != "ok" && *state != "done" && nats)
            lines_.push_back(fmt::format("{} at {}: state {} has a number", name_, place_of(result),
                                         state->get<std::string>()));
        if (!nats) return;
        expect(result, "perplexity", std::exp(*nats), "exp(nats_per_token)");
        if (run_.value("unit", json()) == "byte")
            expect(result, "bits_per_byte", *nats / std::numbers::ln2, "nats_per_token / ln 2");
        for (const json& other : all) {
            const auto from = number(other, "nats_per_token");
            const auto baseline = run_.find("baseline_context");
            if (from && baseline != run_.end() && !baseline->is_null() &&
                other.value("context", json()) == *baseline)
                expect(result, "gain", *from - *nats, "the loss at the baseline context - that here");
        }
    }

    void expect(const json& result, const char* name, double value, const char* formula) {
        const auto found = number(result, name);
        if (!found || !std::isfinite(value)) return;
        const double scale = std::max({1.0, std::abs(value), std::abs(*found)});
        if (std::abs(*found - value) <= rounding * scale) return;
        lines_.push_back(fmt::format("{} at {}: {} is {}, but {} is {}", name_, place_of(result), name,
                                     *found, formula, value));
    }

    const json& run_;
    std::string name_;
    std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> contradictions(const json& run) {
    return run.is_object() ? Check(run).lines() : std::vector<std::string>{};
}

}  // namespace locus
