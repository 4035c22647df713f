#include "framework/io/checkpoint.h"

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

#include "framework/io/checksum.h"

namespace locus {

namespace {

constexpr const char* kind = "locus checkpoint";
constexpr std::int64_t version = 1;

using Tensors = std::vector<CheckpointTensor>;

/// Where each list of tensors stands in the file.
struct Section {
    const char* group;
    Tensors Checkpoint::*tensors;
};
constexpr Section sections[] = {{"parameters", &Checkpoint::parameters},
                                {"moments/first", &Checkpoint::first_moments},
                                {"moments/second", &Checkpoint::second_moments}};

std::vector<const CheckpointTensor*> by_name(const Tensors& tensors) {
    std::vector<const CheckpointTensor*> order;
    for (const CheckpointTensor& tensor : tensors) order.push_back(&tensor);
    std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
    return order;
}

bool is_real(ElementType type) {
    return type == ElementType::float32 || type == ElementType::float64;
}

void write_checked(Hdf5File& file, const Hdf5Dataset& as, std::span<const std::byte> bytes) {
    file.write_bytes(as, bytes);
    file.set_attribute(as.name, "checksum", checksum(bytes));
}

void write_checked(Hdf5File& file, const std::string& name, const std::string& text) {
    const auto size = static_cast<Index>(text.size());
    write_checked(file, {name, {size}, ElementType::uint8}, std::as_bytes(std::span(text)));
}

std::vector<std::byte> read_checked(const Hdf5File& file, const std::string& name) {
    std::vector<std::byte> bytes = file.read_bytes(name);
    const std::string expected = file.text_attribute(name, "checksum");
    const std::string found = checksum(bytes);
    if (found != expected) {
        file.refuse(
            fmt::format("dataset {} is damaged: its checksum is {}, expected {}", name, found, expected));
    }
    return bytes;
}

std::string read_checked_text(const Hdf5File& file, const std::string& name) {
    const std::vector<std::byte> bytes = read_checked(file, name);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Tensors read_section(const Hdf5File& file, const std::string& group) {
    Tensors tensors;
    for (const Hdf5Dataset& dataset : file.datasets(group)) {
        if (!is_real(dataset.type)) {
            file.refuse(fmt::format("dataset {} is of {}, expected float32 or float64", dataset.name,
                                    to_string(dataset.type)));
        }
        auto owned = std::make_shared<const std::vector<std::byte>>(read_checked(file, dataset.name));
        tensors.push_back(
            {dataset.name.substr(group.size() + 1), dataset.shape, dataset.type, *owned, std::move(owned)});
    }
    return tensors;
}

/// Moments belong to the parameters one by one, or are not there.
bool belongs(const Tensors& moments, const Tensors& parameters) {
    if (moments.empty()) return true;
    const auto same = [](const CheckpointTensor* a, const CheckpointTensor* b) {
        return a->name == b->name && a->shape == b->shape;
    };
    const auto left = by_name(moments);
    const auto right = by_name(parameters);
    return std::equal(left.begin(), left.end(), right.begin(), right.end(), same);
}

bool is_complete(const Checkpoint& checkpoint) {
    return !checkpoint.parameters.empty() && belongs(checkpoint.first_moments, checkpoint.parameters) &&
           belongs(checkpoint.second_moments, checkpoint.parameters) &&
           checkpoint.first_moments.size() == checkpoint.second_moments.size();
}

void require_checkpoint(const Hdf5File& file) {
    if (!file.has_attribute("/", "kind") || file.text_attribute("/", "kind") != kind) {
        file.refuse("is an HDF5 file, but not a checkpoint of Locus");
    }
    const std::int64_t found = file.integer_attribute("/", "version");
    if (found != version) {
        file.refuse(fmt::format("is of version {} of the checkpoint format, expected {}", found, version));
    }
}

void add(Checksum& sum, const Tensors& tensors) {
    sum.add(static_cast<std::int64_t>(tensors.size()));
    for (const CheckpointTensor* tensor : by_name(tensors)) {
        sum.add(std::string_view(tensor->name));
        sum.add(std::string_view(to_string(tensor->type)));
        sum.add(std::span<const std::int64_t>(tensor->shape));
        sum.add(tensor->bytes);
    }
}

}  // namespace

void save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint) {
    require(is_complete(checkpoint), "checkpoint: parameters and their moments do not belong together");
    Hdf5File file = Hdf5File::create(path, Failure::storage);
    file.set_attribute("/", "kind", kind);
    file.set_attribute("/", "version", version);
    file.set_attribute("/", "step", checkpoint.step);
    file.set_attribute("/", "cursor", checkpoint.cursor);
    file.set_attribute("/", "seed", std::bit_cast<std::int64_t>(checkpoint.seed));
    file.set_attribute("/", "tokenizer", checkpoint.tokenizer);
    file.set_attribute("/", "vocabulary_size", checkpoint.vocabulary_size);
    if (!checkpoint.corpus.empty()) file.set_attribute("/", "corpus", checkpoint.corpus);
    write_checked(file, "recipe", checkpoint.recipe);
    write_checked(file, "vocabulary", checkpoint.vocabulary);
    for (const Section& section : sections) {
        file.make_group(section.group);
        for (const CheckpointTensor* tensor : by_name(checkpoint.*section.tensors)) {
            require(is_real(tensor->type), "checkpoint: {} is of {}, expected float32 or float64",
                    tensor->name, to_string(tensor->type));
            const std::string name = fmt::format("{}/{}", section.group, tensor->name);
            write_checked(file, {name, tensor->shape, tensor->type}, tensor->bytes);
        }
    }
    file.commit();
}

Checkpoint load_checkpoint(const std::filesystem::path& path) {
    const Hdf5File file = Hdf5File::open(path, Failure::storage);
    require_checkpoint(file);
    Checkpoint checkpoint;
    checkpoint.step = file.integer_attribute("/", "step");
    checkpoint.cursor = file.integer_attribute("/", "cursor");
    checkpoint.seed = std::bit_cast<std::uint64_t>(file.integer_attribute("/", "seed"));
    checkpoint.tokenizer = file.text_attribute("/", "tokenizer");
    checkpoint.vocabulary_size = file.integer_attribute("/", "vocabulary_size");
    if (file.has_attribute("/", "corpus")) checkpoint.corpus = file.text_attribute("/", "corpus");
    checkpoint.recipe = read_checked_text(file, "recipe");
    checkpoint.vocabulary = read_checked_text(file, "vocabulary");
    for (const Section& section : sections) checkpoint.*section.tensors = read_section(file, section.group);
    if (!is_complete(checkpoint)) file.refuse("is damaged: parameters and moments do not belong together");
    return checkpoint;
}

std::string parameters_hash(const Checkpoint& checkpoint) {
    Checksum sum;
    add(sum, checkpoint.parameters);
    return sum.hex();
}

std::string state_hash(const Checkpoint& checkpoint) {
    Checksum sum;
    for (const Section& section : sections) add(sum, checkpoint.*section.tensors);
    sum.add(checkpoint.step);
    sum.add(checkpoint.cursor);
    sum.add(std::bit_cast<std::int64_t>(checkpoint.seed));
    return sum.hex();
}

nlohmann::json inspect_checkpoint(const std::filesystem::path& path) {
    const Checkpoint checkpoint = load_checkpoint(path);
    nlohmann::json datasets = nlohmann::json::array();
    for (const Section& section : sections) {
        for (const CheckpointTensor& tensor : checkpoint.*section.tensors) {
            datasets.push_back({{"name", fmt::format("{}/{}", section.group, tensor.name)},
                                {"shape", tensor.shape},
                                {"type", to_string(tensor.type)},
                                {"checksum", checksum(tensor.bytes)}});
        }
    }
    return {{"kind", "checkpoint"},
            {"version", version},
            {"step", checkpoint.step},
            {"cursor", checkpoint.cursor},
            {"seed", checkpoint.seed},
            {"tokenizer", checkpoint.tokenizer},
            {"vocabulary_size", checkpoint.vocabulary_size},
            {"corpus", checkpoint.corpus},
            {"recipe", checkpoint.recipe},
            {"datasets", std::move(datasets)},
            {"parameters_hash", parameters_hash(checkpoint)},
            {"state_hash", state_hash(checkpoint)}};
}

}  // namespace locus
