// Damage to files, drawn by a seed.
#pragma once

#include <cstdint>
#include <string>

namespace locus::test {

struct Mutation {
    std::string what;  // "bit 3 of byte 120", for whoever looks into a finding
    std::string bytes;
};

/// The `index`-th mutation of `intact`, one to three faults: bits and bytes changed, pieces
/// left out, doubled, swapped, or cut off. Of text, `words` that mean something are put in as well.
Mutation mutation_of(const std::string& intact, bool is_text, std::uint64_t seed, std::uint64_t index);

}  // namespace locus::test
