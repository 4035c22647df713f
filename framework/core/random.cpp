#include "framework/core/random.h"

#include <Random123/philox.h>
#include <xxhash.h>

#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "framework/core/error.h"

namespace locus {

namespace {

std::uint64_t mix(std::initializer_list<std::uint64_t> index) {
    return XXH3_64bits(index.begin(), index.size() * sizeof(std::uint64_t));
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, Purpose purpose, std::initializer_list<std::uint64_t> index) {
    const std::uint64_t place = mix(index);
    key_[0] = static_cast<std::uint32_t>(seed);
    key_[1] = static_cast<std::uint32_t>(seed >> 32);
    counter_[0] = 0;
    counter_[1] = static_cast<std::uint32_t>(purpose);
    counter_[2] = static_cast<std::uint32_t>(place);
    counter_[3] = static_cast<std::uint32_t>(place >> 32);
}

void RandomStream::refill() {
    const r123::Philox4x32::ctr_type counter = {{counter_[0], counter_[1], counter_[2], counter_[3]}};
    const r123::Philox4x32::key_type key = {{key_[0], key_[1]}};
    const auto words = r123::Philox4x32()(counter, key);
    for (int i = 0; i < 4; ++i) words_[i] = words[static_cast<std::size_t>(i)];
    ++counter_[0];
    used_ = 0;
}

std::uint32_t RandomStream::bits() {
    if (used_ == 4) refill();
    return words_[used_++];
}

std::uint64_t RandomStream::bits64() {
    const std::uint64_t low = bits();
    return (static_cast<std::uint64_t>(bits()) << 32) | low;
}

double RandomStream::uniform() {
    return static_cast<double>(bits64() >> 11) * 0x1p-53;
}

double RandomStream::normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));  // 1 - u lies in (0, 1]
    return radius * std::cos(2 * std::numbers::pi * uniform());
}

std::uint64_t RandomStream::below(std::uint64_t bound) {
    require(bound > 0, "random: below(0) has no value");
    const std::uint64_t limit = -bound % bound;  // 2^64 mod bound: values under it would be drawn too often
    std::uint64_t value = bits64();
    while (value < limit) value = bits64();
    return value % bound;
}

std::uint64_t name_index(std::string_view name) {
    return XXH3_64bits(name.data(), name.size());
}

std::vector<Index> permutation(Index count, RandomStream stream) {
    std::vector<Index> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), Index{0});
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[stream.below(i)]);
    return order;
}

}  // namespace locus
