// What the data hands to training and evaluation.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "framework/core/error.h"
#include "framework/core/positions.h"
#include "framework/core/scalar.h"
#include "framework/core/token.h"

namespace locus {

/// Numbers of every sequence of a batch, [sequences, width]. Copies and slices share the memory.
template <typename Number>
class BatchArray {
  public:
    BatchArray() = default;

    /// Throws where the numbers are no [sequences, width].
    BatchArray(Index sequences, std::vector<Number> numbers)
        : memory_(std::make_shared<std::vector<Number>>(std::move(numbers))), sequences_(sequences) {
        const auto count = static_cast<Index>(memory_->size());
        require(sequences >= 1 && count % sequences == 0, "batch: {} numbers for {} sequences", count,
                sequences);
        width_ = count / sequences;
    }

    bool empty() const { return sequences_ * width_ == 0; }
    Index sequences() const { return sequences_; }
    Index width() const { return width_; }  // numbers of a sequence
    std::span<const Number> numbers() const {
        if (empty()) return {};
        return std::span<const Number>(*memory_).subspan(static_cast<std::size_t>(first_ * width_),
                                                         static_cast<std::size_t>(sequences_ * width_));
    }
    Number operator[](std::size_t i) const { return numbers()[i]; }

    /// Memory for [sequences, width] numbers, to be filled: the same as before where nobody else looks at it.
    std::span<Number> renew(Index sequences, Index width) {
        if (!memory_ || memory_.use_count() > 1) memory_ = std::make_shared<std::vector<Number>>();
        memory_->resize(static_cast<std::size_t>(sequences * width));
        sequences_ = sequences;
        width_ = width;
        first_ = 0;
        return *memory_;
    }

    /// The sequences first .. first + count, in the same memory.
    BatchArray slice(Index first, Index count) const {
        BatchArray part = *this;
        if (empty()) return part;
        part.first_ += first;
        part.sequences_ = count;
        return part;
    }

    /// Of every sequence, cut into `length` tokens, the tokens begin .. begin + count: a copy.
    BatchArray run(Index length, Index begin, Index count) const {
        if (empty()) return {};
        const Index each = width_ / length;
        std::vector<Number> cut;
        for (Index b = 0; b < sequences_; ++b) {
            const auto row = numbers().begin() + b * width_ + begin * each;
            cut.insert(cut.end(), row, row + count * each);
        }
        return BatchArray(sequences_, std::move(cut));
    }

  private:
    std::shared_ptr<std::vector<Number>> memory_;
    Index sequences_ = 0, width_ = 0;
    Index first_ = 0;  // sequences of the memory before these
};

/// Sequences of equal length: what a model reads, where it stands and what it is asked. slice() is the one
/// way to cut a batch into sequences, run() the one into tokens.
struct Batch {
    static constexpr Token no_target = locus::no_target;

    Index sequences = 0;
    Index length = 0;
    Index first = 0;  // of the step's batch, the number of the first sequence: dropout is keyed by it
    // What a model reads, by name: "tokens", numbers of a vocabulary; or real numbers, such as patches.
    std::map<std::string, std::variant<BatchArray<Token>, BatchArray<float>>> inputs = {};
    Positions positions = {};  // [1 or sequences, length, axes that the encoding reads]
    // The document of each token, in ascending order, [sequences, length]: a token sees its own only, and one
    // of a negative document (padding) sees nothing and gives zeros. Empty: every sequence is one document.
    BatchArray<std::int32_t> segments = {};
    BatchArray<Token> targets = {};  // [sequences, asked]; no_target where nothing is asked
    BatchArray<float> weights = {};  // of the targets; empty: 1 each

    /// Text at positions 0, 1, ... unless others are given; a batch to be run alone needs no targets.
    static Batch of_text(Index sequences, std::vector<Token> tokens, std::vector<Token> targets = {});

    /// The inputs of a name, as whole or as real numbers. Throws where there are none.
    const BatchArray<Token>& ids(const std::string& name = "tokens") const;
    const BatchArray<float>& reals(const std::string& name) const;
    /// The memory of tokens to be filled, [sequences, length].
    std::span<Token> renew_tokens();

    /// The weight of all that is asked: what a mean loss is divided by. In double, in order.
    double weight() const;

    /// The sequences first .. first + count, in the same memory.
    Batch slice(Index first, Index count) const;

    /// The tokens begin .. begin + count of every sequence, with all that belongs to them.
    Batch run(Index begin, Index count) const;

    /// Throws where arrays and positions do not fit sequences and length.
    void check() const;
};

/// The same of targets and weights that stand alone.
double weight_of(std::span<const Token> targets, std::span<const float> weights);

}  // namespace locus
