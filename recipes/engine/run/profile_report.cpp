#include "recipes/engine/run/profile_report.h"

#include <fmt/core.h>

#include <algorithm>

namespace locus {

namespace {

using nlohmann::json;

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::string mebibytes(double bytes) {
    return fmt::format("{:.1f} MiB", bytes / (1 << 20));
}

std::string milliseconds(double seconds) {
    return fmt::format("{:.3f}", seconds * 1e3);
}

std::string percent(double share) {
    return fmt::format("{:.1f} %", share * 100);
}

std::string line(const std::string& name, const std::string& calls, const std::string& forward,
                 const std::string& backward, const std::string& all, const std::string& share) {
    return fmt::format("{:<24} {:>9} {:>12} {:>12} {:>12} {:>9}\n", name, calls, forward, backward, all,
                       share);
}

std::string part_line(const std::string& name, const json& part) {
    return line(name, "", "", "", milliseconds(part["seconds"]), percent(part["share"]));
}

}  // namespace

json to_json(const ProfileReport& report, const ProfiledRun& run) {
    const auto steps = static_cast<double>(report.step_seconds.size());
    const auto workers = static_cast<double>(report.idle.size());
    const double mean = report.seconds / steps;
    const auto share = [&](double seconds) { return seconds / (workers * report.seconds); };
    json ops = json::array(), parts = json::array(), idle = json::array();
    for (const ProfileRow& row : report.rows) {
        if (row.is_op) {
            ops.push_back({{"name", row.name},
                           {"forward_seconds", row.forward / steps},
                           {"backward_seconds", row.backward / steps},
                           {"calls", static_cast<double>(row.calls) / steps},
                           {"backward_calls", static_cast<double>(row.backward_calls) / steps},
                           {"share", share(row.seconds())}});
        } else {
            parts.push_back(
                {{"name", row.name}, {"seconds", row.seconds() / steps}, {"share", share(row.seconds())}});
        }
    }
    for (std::size_t worker = 0; worker < report.idle.size(); ++worker) {
        const double seconds = report.idle[worker];
        idle.push_back({{"worker", worker}, {"seconds", seconds / steps}, {"share", share(seconds)}});
    }
    const double rate = static_cast<double>(run.tokens) / mean;
    return {{"steps", report.step_seconds.size()},
            {"warm_up_steps", report.warm_up},
            {"workers", report.idle.size()},
            {"step_seconds",
             {{"mean", mean},
              {"median", median(report.step_seconds)},
              {"min", *std::min_element(report.step_seconds.begin(), report.step_seconds.end())}}},
            {"tokens_per_second", rate},
            {"flops_per_second", rate * run.flops_per_token},
            {"ops", std::move(ops)},
            {"parts", std::move(parts)},
            {"idle", std::move(idle)},
            {"memory", {{"process_peak", run.process_peak}, {"arena_peaks", run.arena_peaks}}}};
}

std::string profile_table(const json& profile) {
    const json& step = profile["step_seconds"];
    std::string text = fmt::format("time by op, of a step: mean of {} steps after {} to warm up; {} {}\n\n",
                                   profile["steps"].dump(), profile["warm_up_steps"].dump(),
                                   profile["workers"].dump(), profile["workers"] == 1 ? "worker" : "workers");
    text += line("op", "calls", "forward ms", "backward ms", "ms", "share");
    double total = 0;
    for (const json& op : profile["ops"]) {
        const double forward = op["forward_seconds"], backward = op["backward_seconds"];
        total += forward + backward;
        text += line(op["name"], fmt::format("{:g}", op["calls"].get<double>()), milliseconds(forward),
                     milliseconds(backward), milliseconds(forward + backward), percent(op["share"]));
    }
    for (const json& part : profile["parts"]) {
        total += part["seconds"].get<double>();
        text += part_line("[" + part["name"].get<std::string>() + "]", part);
    }
    for (const json& worker : profile["idle"]) {
        total += worker["seconds"].get<double>();
        text += part_line(fmt::format("[worker {} idle]", worker["worker"].get<int>()), worker);
    }
    text += line("all workers", "", "", "", milliseconds(total), percent(1));
    text += fmt::format("\nstep: {} ms mean, {} median, {} min; {:.0f} tokens/s, {:.1f} GFLOP/s\n",
                        milliseconds(step["mean"]), milliseconds(step["median"]), milliseconds(step["min"]),
                        profile["tokens_per_second"].get<double>(),
                        profile["flops_per_second"].get<double>() / 1e9);
    text += fmt::format("memory: {} of the process", mebibytes(profile["memory"]["process_peak"]));
    for (const json& peak : profile["memory"]["arena_peaks"]) text += ", " + mebibytes(peak);
    return text + " of each worker's arena, at most\n";
}

}  // namespace locus
