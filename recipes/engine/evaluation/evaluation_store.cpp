#include "recipes/engine/evaluation/evaluation_store.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "framework/io/hdf5.h"
#include "framework/io/json_file.h"
#include "recipes/engine/identity/measured.h"

namespace locus {

namespace {

// Below `group`, "" or "NAME/".
void write_losses(Hdf5File& file, const std::string& group, const ProtocolRun& run) {
    const TokenLosses& losses = run.losses;
    std::vector<float> nats;  // as exact as the model's own arithmetic
    nats.reserve(losses.lengths.size() * losses.index.size());
    for (const std::vector<double>& of_length : losses.nats) {
        for (const double value : of_length) nats.push_back(static_cast<float>(value));
    }
    const Index shape[] = {static_cast<Index>(losses.nats.size()), static_cast<Index>(losses.index.size())};

    file.write(group + "document", losses.document);
    file.write(group + "index", losses.index);
    file.write(group + "target", losses.target);
    file.write(group + "lengths", losses.lengths);
    file.write(group + "nats", std::span<const Index>(shape), std::span<const float>(nats));
    const std::string object = group.empty() ? "/" : group.substr(0, group.size() - 1);
    file.set_attribute(object, "protocol", run.protocol);
    file.set_attribute(object, "split", run.split);
    file.set_attribute(object, "unit", run.unit);
}

void write_losses(const ProtocolRun& run, const std::filesystem::path& path) {
    Hdf5File file = Hdf5File::create(path, Failure::storage);
    write_losses(file, "", run);
    file.commit();
}

std::filesystem::path make_folder(const std::filesystem::path& run_folder) {
    const std::filesystem::path folder = run_folder / "evaluations";
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    require(!error, Failure::storage, "{}: cannot be made: {}", folder.string(), error.message());
    return folder;
}

}  // namespace

std::string losses_file(const ProtocolRun& run) {
    std::string name = run.protocol;
    std::replace(name.begin(), name.end(), ':', '-');
    return name + (run.split == "valid" ? "" : "." + run.split) + ".h5";
}

void write_losses(const EvaluationReport& report, const std::filesystem::path& path) {
    if (report.runs.size() == 1) return write_losses(report.runs.front(), path);
    Hdf5File file = Hdf5File::create(path, Failure::storage);
    for (const ProtocolRun& run : report.runs) {
        file.make_group(run.protocol);
        write_losses(file, run.protocol + "/", run);
    }
    file.commit();
}

bool has_evaluations(const std::filesystem::path& run_folder) {
    std::error_code unknown;
    return std::filesystem::exists(run_folder / "evaluations" / "summary.json", unknown);
}

std::vector<std::string> save_beside(const EvaluationReport& report, const std::filesystem::path& run_folder,
                                     const Identity& measured) {
    const std::filesystem::path folder = make_folder(run_folder);
    std::vector<std::string> names;
    for (const ProtocolRun& run : report.runs) {
        const std::string file = losses_file(run);
        const std::string name =
            fmt::format("{}.lengths-{}", file.substr(0, file.size() - 3), fmt::join(run.losses.lengths, ","));
        write_losses(run, folder / (name + ".h5"));
        nlohmann::json results = to_json(EvaluationReport{{run}});
        results["runs"][0]["file"] = name + ".h5";
        sign(results, measured);
        write_json(folder / (name + ".json"), results);
        names.push_back(name);
    }
    return names;
}

void save(const EvaluationReport& report, const std::filesystem::path& run_folder, const Identity& measured) {
    const std::filesystem::path folder = make_folder(run_folder);
    nlohmann::json summary = to_json(report);
    for (std::size_t i = 0; i < report.runs.size(); ++i) {
        const std::string file = losses_file(report.runs[i]);
        write_losses(report.runs[i], folder / file);
        summary["runs"][i]["file"] = file;
        summary["runs"][i]["checksum"] = content_checksum(summary["runs"][i]);
    }
    if (!measured.empty()) sign(summary, measured);
    write_json(folder / "summary.json", summary);
}

}  // namespace locus
