#include "recipes/engine/report/verify_records.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/stop.h"
#include "framework/io/hdf5.h"
#include "framework/io/json_file.h"
#include "recipes/engine/measure/contradictions.h"
#include "recipes/engine/measure/metric.h"
#include "recipes/engine/measure/policy.h"
#include "recipes/engine/measure/summary.h"
#include "recipes/engine/report/run_folder.h"

namespace locus {

namespace {

namespace fs = std::filesystem;

constexpr double stored = 1e-6;  // relative: losses of items are stored in single precision

TokenLosses read_losses(const fs::path& path) {
    const Hdf5File file = Hdf5File::open(path, Failure::storage);
    TokenLosses losses;
    losses.document = file.read<Index>("document");
    losses.index = file.read<Index>("index");
    losses.target = file.read<Token>("target");
    losses.lengths = file.read<Index>("lengths");
    const auto nats = file.read<float>("nats");
    const std::size_t tokens = losses.index.size();
    require(losses.document.size() == tokens && losses.target.size() == tokens &&
                nats.size() == tokens * losses.lengths.size(),
            Failure::storage, "{}: its datasets are not of the same items", path.string());
    for (std::size_t k = 0; k < losses.lengths.size(); ++k)
        losses.nats.emplace_back(nats.begin() + static_cast<std::ptrdiff_t>(k * tokens),
                                 nats.begin() + static_cast<std::ptrdiff_t>((k + 1) * tokens));
    return losses;
}

// What the items give for a record; "" where it says the same.
std::string difference(const Evaluation& evaluation, std::size_t r, const TokenLosses& losses) {
    const Record& record = evaluation.records[r];
    const std::size_t row = policy_of(evaluation.protocol).losses_of(r);
    if (record.state == RecordState::beyond_table || record.state == RecordState::too_short) return "";
    if (row >= losses.nats.size()) return "its items have no such length";
    const TokenSum sum = sum_of(evaluation, record, losses.index, losses.nats[row]);
    if (record.count != sum.tokens)
        return fmt::format("{} tokens, but {} items", record.count.value_or(0), sum.tokens);
    const auto nats = record.value(loss_metric);
    if (!nats) return std::isfinite(sum.nats) ? "no loss, but all items have one" : "";
    if (std::abs(*nats - sum.mean()) <= stored * std::max(1.0, std::abs(*nats))) return "";
    return fmt::format("{} is {}, but its {} items have a mean of {}", loss_metric, *nats, sum.tokens,
                       sum.mean());
}

void verify(const fs::path& folder, const nlohmann::json& object, VerifiedRecords& found) {
    const std::string place = (folder / "summary.json").string();
    const Evaluation evaluation = evaluation_of(object, place);
    const auto complain = [&](const std::string& line) { found.wrong.push_back(place + ": " + line); };
    ++found.evaluations;
    for (const std::string& line : contradictions(object, evaluation)) complain(line);
    if (find_policy(evaluation.protocol) == nullptr)
        return complain(evaluation.protocol + ": a protocol that this program does not know");
    if (evaluation.file.empty() || fs::path(evaluation.file).filename() != evaluation.file)
        return complain(evaluation.protocol + ": names no file of its items beside it");
    const TokenLosses losses = read_losses(folder / evaluation.file);
    if (!evaluation.items_hash.empty() && evaluation.items_hash != items_hash(losses))
        complain(fmt::format("{}: the items of {} are others than those that were scored",
                             evaluation.protocol, evaluation.file));
    for (std::size_t r = 0; r < evaluation.records.size(); ++r) {
        ++found.records;
        const std::string line = difference(evaluation, r, losses);
        if (line.empty()) continue;
        const auto at = evaluation.place(evaluation.records[r], "length");
        complain(fmt::format("{} at {} {}: {}", evaluation.protocol, evaluation.axis, at ? text_of(*at) : "?",
                             line));
    }
}

}  // namespace

VerifiedRecords verify_records(const fs::path& folder) {
    VerifiedRecords found;
    for (const fs::path& run : run_folders_in(folder)) {
        const fs::path path = run / "evaluations" / "summary.json";
        if (!fs::is_regular_file(path)) continue;
        try {
            const nlohmann::json summary = read_json(path);
            for (const nlohmann::json& object : summary.at("runs")) {
                throw_if_stopped();
                verify(path.parent_path(), object, found);
            }
        } catch (const Error& error) {
            if (error.kind() != Failure::storage) throw;
            found.wrong.push_back(error.what());
        } catch (const nlohmann::json::exception& error) {
            found.wrong.push_back(path.string() + ": " + reason_of(error));
        }
    }
    return found;
}

}  // namespace locus
