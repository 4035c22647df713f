#include "framework/core/batch.h"

namespace locus {

namespace {

template <typename Number>
const BatchArray<Number>& array_of(const Batch& batch, const std::string& name) {
    const auto place = batch.inputs.find(name);
    require(place != batch.inputs.end(), "batch: it has no '{}'", name);
    const auto* array = std::get_if<BatchArray<Number>>(&place->second);
    require(array != nullptr, "batch: '{}' holds numbers of another type than is asked for", name);
    return *array;
}

}  // namespace

Batch Batch::of_text(Index sequences, std::vector<Token> tokens, std::vector<Token> targets) {
    Batch batch;
    batch.sequences = sequences;
    const BatchArray<Token> ids(sequences, std::move(tokens));
    batch.length = ids.width();
    batch.inputs["tokens"] = ids;
    batch.positions = Positions::consecutive(batch.length);
    if (!targets.empty()) batch.targets = BatchArray<Token>(sequences, std::move(targets));
    return batch;
}

const BatchArray<Token>& Batch::ids(const std::string& name) const {
    return array_of<Token>(*this, name);
}

const BatchArray<float>& Batch::reals(const std::string& name) const {
    return array_of<float>(*this, name);
}

std::span<Token> Batch::renew_tokens() {
    auto& array = inputs["tokens"];
    if (!std::holds_alternative<BatchArray<Token>>(array)) array = BatchArray<Token>();
    return std::get<BatchArray<Token>>(array).renew(sequences, length);
}

double weight_of(std::span<const Token> targets, std::span<const float> weights) {
    double sum = 0;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        if (targets[i] == no_target) continue;
        sum += weights.empty() ? 1 : static_cast<double>(weights[i]);
    }
    return sum;
}

double Batch::weight() const {
    return weight_of(targets.numbers(), weights.numbers());
}

Batch Batch::slice(Index begin, Index count) const {
    require(begin >= 0 && count >= 0 && begin + count <= sequences,
            "batch: sequences {} to {} of a batch of {}", begin, begin + count, sequences);
    Batch part = *this;
    part.sequences = count;
    part.first = first + begin;
    for (auto& [name, array] : part.inputs)
        std::visit([&](auto& numbers) { numbers = numbers.slice(begin, count); }, array);
    part.positions = positions.rows(begin, count);
    part.segments = segments.slice(begin, count);
    part.targets = targets.slice(begin, count);
    part.weights = weights.slice(begin, count);
    return part;
}

Batch Batch::run(Index begin, Index count) const {
    require(begin >= 0 && count >= 0 && begin + count <= length, "batch: tokens {} to {} of {}", begin,
            begin + count, length);
    Batch part = *this;
    part.length = count;
    for (auto& [name, array] : part.inputs)
        std::visit([&](auto& numbers) { numbers = numbers.run(length, begin, count); }, array);
    part.positions = positions.slice(begin, count);
    part.segments = segments.run(length, begin, count);
    part.targets = targets.run(length, begin, count);
    part.weights = weights.run(length, begin, count);
    return part;
}

void Batch::check() const {
    require(positions.length() == length && (positions.batch() == 1 || positions.batch() == sequences),
            "batch: positions [{}, {}] for [{}, {}]", positions.batch(), positions.length(), sequences,
            length);
    require(segments.empty() || (segments.sequences() == sequences && segments.width() == length),
            "batch: segments [{}, {}] for [{}, {}]", segments.sequences(), segments.width(), sequences,
            length);
    require(targets.empty() || targets.sequences() == sequences, "batch: targets of {} sequences for {}",
            targets.sequences(), sequences);
    require(
        weights.empty() || (weights.sequences() == targets.sequences() && weights.width() == targets.width()),
        "batch: weights [{}, {}] for targets [{}, {}]", weights.sequences(), weights.width(),
        targets.sequences(), targets.width());
}

}  // namespace locus
