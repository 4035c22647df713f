// A small state of a training run.
#pragma once

#include <deque>
#include <vector>

#include "framework/io/checkpoint.h"

namespace locus {

/// Keeps the numbers that a checkpoint shows.
class SampleRun {
  public:
    explicit SampleRun(std::int64_t step = 500) {
        state_.step = step;
        state_.cursor = step * 64;
        state_.seed = 0xfedcba9876543210U;
        state_.recipe = "data: { corpus: austen }\nencoding: { kind: rope }\n";
        state_.tokenizer = "bytes";
        state_.vocabulary = std::string("a\0b\xff", 4);
        state_.vocabulary_size = 256;
        for (auto* list : {&state_.parameters, &state_.first_moments, &state_.second_moments}) {
            add(*list, "token.weight", {5, 4});
            add(*list, "blocks.0.norm.weight", {4});
            add(*list, "blocks.0.attention.qkv.weight", {12, 4});
            add(*list, "bias.scalar", {});
        }
    }

    Checkpoint& state() { return state_; }
    std::vector<float>& numbers(std::size_t i) { return numbers_[i]; }

    /// What a model of this form wants.
    std::vector<TensorSpec> wanted() const {
        std::vector<TensorSpec> specs;
        for (const CheckpointTensor& tensor : state_.parameters) {
            specs.push_back({tensor.name, tensor.shape, tensor.type});
        }
        return specs;
    }

  private:
    void add(std::vector<CheckpointTensor>& list, const std::string& name, const std::vector<Index>& shape) {
        std::size_t count = 1;
        for (Index size : shape) count *= static_cast<std::size_t>(size);
        std::vector<float>& data = numbers_.emplace_back(count);
        for (std::size_t i = 0; i < count; ++i) {
            data[i] = static_cast<float>(state_.step) + 0.1F * static_cast<float>(numbers_.size() * 100 + i);
        }
        list.push_back(CheckpointTensor::view(name, shape, std::span<const float>(data)));
    }

    std::deque<std::vector<float>> numbers_;  // a deque does not move what it holds
    Checkpoint state_;
};

}  // namespace locus
