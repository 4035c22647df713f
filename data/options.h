// The `data:` section of a recipe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/scalar.h"

namespace locus {

struct DataOptions {
    std::string corpus = "generated";  // "generated", the name of a fetched corpus, or a path
    std::string tokenizer = "byte";
    Index block =
        0;  // tokens of a block of the training order; 0: the longest training length among the arms

    // A split is named (books or documents) or a fraction of the tokens, taken from the end of the corpus.
    // Where a recipe says neither, the corpus's own split holds, else 0.1 validates and nothing is kept for
    // testing.
    std::vector<std::string> valid, test;
    std::optional<double> valid_fraction, test_fraction;

    // Of the generated corpus; refused for any other.
    std::optional<Index> documents;               // 64 unless given
    std::optional<Index> document_length;         // bytes of each document; 16384 unless given
    std::optional<std::uint64_t> generator_seed;  // 0 unless given
};

inline constexpr double standard_valid_fraction = 0.1;
inline constexpr double standard_test_fraction = 0;
inline constexpr Index standard_documents = 64;
inline constexpr Index standard_document_length = 16384;

/// Throws a usage Error where options contradict each other or lie outside their range.
void check_options(const DataOptions& options);

}  // namespace locus
