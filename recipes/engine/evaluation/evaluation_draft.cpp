#include "recipes/engine/evaluation/evaluation_draft.h"

#include <fmt/core.h>

#include "framework/core/error.h"
#include "framework/io/checksum.h"
#include "framework/io/hdf5.h"

namespace fs = std::filesystem;

namespace locus {

namespace {

fs::path path_in(const fs::path& run_folder) {
    return run_folder / "evaluations" / "unfinished.h5";
}

EvaluationDraft read_draft(const fs::path& path, const std::string& identity) {
    EvaluationDraft draft{identity};
    std::error_code error;
    if (!fs::exists(path, error)) return draft;
    try {
        const Hdf5File file = Hdf5File::open(path, Failure::storage);
        if (file.text_attribute("/", "identity") != identity) return draft;
        for (const Hdf5Dataset& dataset : file.datasets())
            draft.losses[dataset.name] = file.read<double>(dataset.name);
    } catch (const Error&) {  // it saves time and decides nothing: what cannot be read is measured again
        draft.losses.clear();
    }
    return draft;
}

}  // namespace

std::string draft_key(const ProtocolRun& run, std::span<const Window> windows) {
    Checksum sum;
    sum.add(run.protocol);
    sum.add(run.split);
    for (const Window& window : windows)
        for (const Index number : {window.document, window.start, window.inputs, window.first, window.slot})
            sum.add(number);
    return sum.hex();
}

EvaluationDraft load_draft(const fs::path& run_folder, const std::string& identity,
                           const Communicator& group) {
    EvaluationDraft draft{identity};
    if (group.is_root()) draft = read_draft(path_in(run_folder), identity);
    if (group.alone()) return draft;
    std::string names;
    for (const auto& [name, nats] : draft.losses) names += fmt::format("{} {}\n", name, nats.size());
    names = group.broadcast(names);
    for (std::size_t begin = 0, end; (end = names.find('\n', begin)) != std::string::npos; begin = end + 1) {
        const std::size_t space = names.find(' ', begin);
        std::vector<double>& nats = draft.losses[names.substr(begin, space - begin)];
        nats.resize(std::stoul(names.substr(space + 1, end - space - 1)));
        group.broadcast(std::span(nats));
    }
    return draft;
}

void save(const EvaluationDraft& draft, const fs::path& run_folder) {
    const fs::path path = path_in(run_folder);
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    require(!error, Failure::storage, "{}: cannot be made: {}", path.parent_path().string(), error.message());
    Hdf5File file = Hdf5File::create(path, Failure::storage);
    file.set_attribute("/", "identity", draft.identity);
    for (const auto& [name, nats] : draft.losses) file.write(name, nats);
    file.commit();
}

void remove_draft(const fs::path& run_folder) {
    std::error_code ignored;
    fs::remove(path_in(run_folder), ignored);
}

}  // namespace locus
