#include "framework/train/state.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

std::vector<Index> sizes_of(const Shape& shape) {
    return {shape.sizes().begin(), shape.sizes().end()};
}

std::vector<CheckpointTensor> views(const ParameterStore& store, const Tensor& flat) {
    std::vector<CheckpointTensor> tensors;
    for (const ParameterInfo& parameter : store.parameters()) {
        const std::span<const Scalar> values(flat.data() + parameter.offset,
                                             static_cast<std::size_t>(parameter.shape.count()));
        tensors.push_back(CheckpointTensor::view(parameter.name, sizes_of(parameter.shape), values));
    }
    return tensors;
}

void copy_into(const std::vector<CheckpointTensor>& tensors, const ParameterStore& store,
               const MutableTensor& flat, const std::string& source) {
    std::vector<TensorSpec> wanted;
    for (const ParameterInfo& parameter : store.parameters()) {
        wanted.push_back({parameter.name, sizes_of(parameter.shape), element_type<Scalar>()});
    }
    match(tensors, wanted, source);
    for (const ParameterInfo& parameter : store.parameters()) {
        const auto values = find_tensor(tensors, parameter.name).data<Scalar>();
        std::copy(values.begin(), values.end(), flat.data() + parameter.offset);
    }
}

}  // namespace

void require_finite_state(const ParameterStore& store, const Adamw& optimizer, Index step) {
    const std::array<std::pair<const char*, const Tensor*>, 3> kinds = {
        {{"a value", &store.values()},
         {"a first moment", &optimizer.first_moment()},
         {"a second moment", &optimizer.second_moment()}}};
    for (const auto& [kind, flat] : kinds) {
        for (const ParameterInfo& parameter : store.parameters()) {
            const Scalar* begin = flat->data() + parameter.offset;
            const bool finite = std::all_of(begin, begin + parameter.shape.count(),
                                            [](Scalar value) { return std::isfinite(value); });
            require(finite, Failure::numeric,
                    "step {}: {} of {} is not finite, and nothing is saved; a smaller learning rate may help",
                    step, kind, parameter.name);
        }
    }
}

Checkpoint capture(const ParameterStore& store, const Adamw& optimizer, const RunIdentity& identity,
                   Index step, Index sequences) {
    Checkpoint checkpoint;
    checkpoint.step = step;
    checkpoint.cursor = step * sequences;
    checkpoint.seed = identity.seed;
    checkpoint.recipe = identity.recipe;
    checkpoint.tokenizer = identity.tokenizer;
    checkpoint.vocabulary = identity.tokenizer_bytes;
    checkpoint.vocabulary_size = identity.vocabulary;
    checkpoint.corpus = identity.corpus;
    checkpoint.parameters = views(store, store.values());
    checkpoint.first_moments = views(store, optimizer.first_moment());
    checkpoint.second_moments = views(store, optimizer.second_moment());
    return checkpoint;
}

void restore_parameters(const Checkpoint& checkpoint, ParameterStore& store, const std::string& source) {
    store.change(
        [&](const MutableTensor& values) { copy_into(checkpoint.parameters, store, values, source); });
}

void restore_moments(const Checkpoint& checkpoint, const ParameterStore& store, Adamw& optimizer,
                     const std::string& source) {
    copy_into(checkpoint.first_moments, store, optimizer.mutable_first_moment(), source + " (first moments)");
    copy_into(checkpoint.second_moments, store, optimizer.mutable_second_moment(),
              source + " (second moments)");
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
