// Does a checkpoint hold the tensors that a model wants?
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "framework/io/checkpoint.h"

namespace locus {

namespace {

/// "[2, 3]", and the type where it is not the usual one.
std::string describe(const std::vector<Index>& shape, ElementType type, bool with_type) {
    const std::string text = fmt::format("[{}]", fmt::join(shape, ", "));
    return with_type ? fmt::format("{} of {}", text, to_string(type)) : text;
}

}  // namespace

void match(std::span<const CheckpointTensor> tensors, std::span<const TensorSpec> wanted,
           std::string_view source) {
    std::map<std::string_view, const CheckpointTensor*> left;
    for (const CheckpointTensor& tensor : tensors) left[tensor.name] = &tensor;
    std::vector<std::string> different, missing, extra;
    for (const TensorSpec& spec : wanted) {
        const auto place = left.find(spec.name);
        if (place == left.end()) {
            missing.push_back(spec.name);
            continue;
        }
        const CheckpointTensor& found = *place->second;
        if (found.shape != spec.shape || found.type != spec.type) {
            const bool types = found.type != spec.type;
            different.push_back(fmt::format("{} is {}, expected {}", spec.name,
                                            describe(found.shape, found.type, types),
                                            describe(spec.shape, spec.type, types)));
        }
        left.erase(place);
    }
    for (const auto& [name, tensor] : left) extra.emplace_back(name);

    std::vector<std::string> faults = std::move(different);
    if (!missing.empty()) faults.push_back(fmt::format("missing: {}", fmt::join(missing, ", ")));
    if (!extra.empty()) faults.push_back(fmt::format("not in the model: {}", fmt::join(extra, ", ")));
    require(faults.empty(), Failure::storage, "{}: the checkpoint does not fit the model: {}", source,
            fmt::join(faults, "; "));
}

const CheckpointTensor& find_tensor(std::span<const CheckpointTensor> tensors, std::string_view name) {
    const auto place =
        std::find_if(tensors.begin(), tensors.end(), [&](const auto& t) { return t.name == name; });
    require(place != tensors.end(), Failure::storage, "checkpoint: there is no tensor {}", name);
    return *place;
}

}  // namespace locus
