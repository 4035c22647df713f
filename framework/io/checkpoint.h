// The state of a training run in one file: what is needed to go on as if nothing had happened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/io/hdf5.h"

namespace locus {

/// A named tensor of float32 or float64, row-major: a view of the caller's data when it is saved, its own
/// when loaded.
struct CheckpointTensor {
    std::string name;
    std::vector<Index> shape;
    ElementType type = ElementType::other;
    std::span<const std::byte> bytes;
    std::shared_ptr<const std::vector<std::byte>> owned = nullptr;  // what `bytes` shows, if it was loaded

    template <typename T>
    static CheckpointTensor view(std::string name, std::vector<Index> shape, std::span<const T> data) {
        return {std::move(name), std::move(shape), element_type<T>(), std::as_bytes(data)};
    }

    /// The elements. Throws a storage Error when they are not of type T: nothing is converted silently.
    template <typename T>
    std::span<const T> data() const {
        require(type == element_type<T>(), Failure::storage, "checkpoint: {} is of {}, expected {}", name,
                to_string(type), to_string(element_type<T>()));
        return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
    }
};

/// The state after `step` updates. Nothing here depends on time, place, ranks, threads or the number of
/// resumes.
struct Checkpoint {
    std::int64_t step = 0;    // updates done
    std::int64_t cursor = 0;  // sequences drawn from the data, over all epochs
    std::uint64_t seed = 0;   // the random key: every draw follows from it and from step and cursor
    std::string recipe;       // YAML, fully resolved
    std::string tokenizer;    // name
    std::string vocabulary;   // the tokenizer's own bytes, where it has any
    Index vocabulary_size = 0;
    std::string corpus = {};  // hash of the text that was trained on; "" in files that do not say
    std::vector<CheckpointTensor> parameters;
    std::vector<CheckpointTensor> first_moments;   // of the same names and shapes as the parameters, or none
    std::vector<CheckpointTensor> second_moments;  // likewise
};

/// Puts `checkpoint` at `path`, whole or not at all; the same state gives the same bytes. Throws a storage
/// Error.
void save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);

/// Reads a checkpoint and verifies every checksum. Throws a storage Error with path, size and reason.
Checkpoint load_checkpoint(const std::filesystem::path& path);

/// A tensor that a model wants.
struct TensorSpec {
    std::string name;
    std::vector<Index> shape;
    ElementType type = ElementType::float32;
};

/// Throws a storage Error unless `tensors` are exactly `wanted`; it lists each name that differs with both
/// shapes, and the names that are missing and that nobody wants. `source` stands in front of the message.
void match(std::span<const CheckpointTensor> tensors, std::span<const TensorSpec> wanted,
           std::string_view source);

/// The tensor called `name`. Throws a storage Error when there is none.
const CheckpointTensor& find_tensor(std::span<const CheckpointTensor> tensors, std::string_view name);

/// XXH3-128 over names, types, shapes and bytes of the parameters, in order of name.
std::string parameters_hash(const Checkpoint& checkpoint);

/// XXH3-128 over parameters, moments, step, cursor and seed.
std::string state_hash(const Checkpoint& checkpoint);

/// What `locus inspect` shows: kind, version, step, datasets[{name, shape, checksum}], the hashes and more.
/// Reads and verifies the whole file; throws as load_checkpoint does.
nlohmann::json inspect_checkpoint(const std::filesystem::path& path);

}  // namespace locus
