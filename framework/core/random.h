// Counter-based random numbers (Philox 4x32-10, doi:10.1145/2063384.2063405), keyed by what they are for.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "framework/core/scalar.h"

namespace locus {

/// What a stream of random numbers is for. The values are part of every result: never renumber them.
enum class Purpose : std::uint32_t {
    parameter = 1,   // index: hash of the parameter's name
    data_order = 2,  // index: epoch
    dropout = 3,     // index: step, sample, layer and place
    targets = 4,     // index: document
    generator = 5,   // index: document
    bootstrap = 6,   // index: replicate
    sampling = 7,    // index: sequence and step of the generation
    test = 8,
    verify = 9,      // index: hash of the parameter's name, or number of the text
    search = 24,     // index: iteration, kind of child, slot and attempt
    positions = 16,  // index: step and slot of training; document, start and length of an evaluated window
};

/// A stream of random numbers that depends on (seed, purpose, index) and on nothing else: not on ranks,
/// threads or what was drawn before from other streams.
class RandomStream {
  public:
    RandomStream(std::uint64_t seed, Purpose purpose, std::initializer_list<std::uint64_t> index);

    std::uint32_t bits();
    std::uint64_t bits64();
    double uniform();                          // [0, 1), 53 bits
    double normal();                           // mean 0, standard deviation 1 (Box-Muller)
    std::uint64_t below(std::uint64_t bound);  // 0 .. bound - 1, without bias; bound > 0

  private:
    void refill();

    std::uint32_t key_[2];
    std::uint32_t counter_[4];
    std::uint32_t words_[4];
    int used_ = 4;
};

/// 64-bit hash of a name (XXH3), to key a stream by it.
std::uint64_t name_index(std::string_view name);

/// A random order of 0 .. count - 1 (Fisher-Yates).
std::vector<Index> permutation(Index count, RandomStream stream);

}  // namespace locus
