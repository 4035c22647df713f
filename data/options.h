// The `data:` section of a recipe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/scalar.h"

namespace locus {

/// Where tokens are said to be.
///   consecutive  0, 1, 2, ... in every window
///   packed       documents share a window: positions begin again at each, and none sees another
///   randomized   a sorted sample of 0 .. max_position - 1 (arXiv:2305.16843)
///   pose         chunks of a window moved apart, up to max_position (arXiv:2309.10400)
enum class PositionKind { consecutive, packed, randomized, pose };

struct PositionOptions {
    PositionKind kind = PositionKind::consecutive;
    Index max_position = 0;  // of randomized and pose: positions lie below it
    Index chunks = 2;        // of pose; the paper's number

    /// Positions of a training window of `length` tokens lie below this.
    Index span(Index length) const {
        return kind == PositionKind::randomized || kind == PositionKind::pose ? max_position : length;
    }
    bool operator==(const PositionOptions&) const = default;
};

/// How files become documents.
///   automatic  by their content: text, JSON lines, either in gzip; what is none of these is refused
///   bytes      every file is a document, byte by byte as it lies there
enum class TextFormat { automatic, bytes };

struct DataOptions {
    std::string corpus = "generated";  // "generated", the name of a fetched corpus, or a path
    std::string folder;                // where a relative path of the corpus begins; "": the working folder
    TextFormat format = TextFormat::automatic;
    std::string tokenizer = "byte";
    std::string source = "text";  // the kind of batches, of those that are registered
    Index block =
        0;  // tokens of a block of the training order; 0: the longest training length among the arms

    // A split is named (books or documents) or a fraction of the tokens, taken from the end of the corpus.
    // Where a recipe says neither, the corpus's own split holds, else 0.1 validates and nothing is kept for
    // testing.
    std::vector<std::string> valid, test;
    std::optional<double> valid_fraction, test_fraction;

    PositionOptions positions;

    // Of the generated corpus; refused for any other.
    std::optional<Index> documents;               // 64 unless given
    std::optional<Index> document_length;         // bytes of each document; 16384 unless given
    std::optional<std::uint64_t> generator_seed;  // 0 unless given

    bool operator==(const DataOptions&) const = default;
};

inline constexpr double standard_valid_fraction = 0.1;
inline constexpr double standard_test_fraction = 0;
inline constexpr Index standard_documents = 64;
inline constexpr Index standard_document_length = 16384;

/// Throws a usage Error where options contradict each other or lie outside their range.
void check_options(const DataOptions& options);

}  // namespace locus
