#include "recipes/engine/evaluation/evaluation_store.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "framework/io/hdf5.h"
#include "framework/io/json_file.h"

namespace locus {

namespace {

void write_losses(const ProtocolRun& run, const std::filesystem::path& path) {
    const TokenLosses& losses = run.losses;
    std::vector<float> nats;  // as exact as the model's own arithmetic
    nats.reserve(losses.lengths.size() * losses.index.size());
    for (const std::vector<double>& of_length : losses.nats) {
        for (const double value : of_length) nats.push_back(static_cast<float>(value));
    }
    const Index shape[] = {static_cast<Index>(losses.nats.size()), static_cast<Index>(losses.index.size())};

    Hdf5File file = Hdf5File::create(path, Failure::storage);
    file.write("document", losses.document);
    file.write("index", losses.index);
    file.write("target", losses.target);
    file.write("lengths", losses.lengths);
    file.write("nats", std::span<const Index>(shape), std::span<const float>(nats));
    file.set_attribute("/", "protocol", text_of(run.protocol));
    file.set_attribute("/", "split", run.split);
    file.set_attribute("/", "unit", run.unit);
    file.commit();
}

}  // namespace

std::string losses_file(const ProtocolRun& run) {
    std::string name = text_of(run.protocol);
    std::replace(name.begin(), name.end(), ':', '-');
    return name + (run.split == "valid" ? "" : "." + run.split) + ".h5";
}

void save(const EvaluationReport& report, const std::filesystem::path& run_folder) {
    const std::filesystem::path folder = run_folder / "evaluations";
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    require(!error, Failure::storage, "{}: cannot be made: {}", folder.string(), error.message());
    nlohmann::json summary = to_json(report);
    for (std::size_t i = 0; i < report.runs.size(); ++i) {
        const std::string file = losses_file(report.runs[i]);
        write_losses(report.runs[i], folder / file);
        summary["runs"][i]["file"] = file;
        summary["runs"][i]["checksum"] = content_checksum(summary["runs"][i]);
    }
    write_json(folder / "summary.json", summary);
}

}  // namespace locus
