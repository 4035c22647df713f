#include "data/options.h"

#include "framework/core/error.h"

namespace locus {

namespace {

void check_split(const char* split, const std::vector<std::string>& names,
                 const std::optional<double>& fraction) {
    require(names.empty() || !fraction, "data.{}: give names or a fraction, not both", split);
    require(!fraction || (*fraction >= 0 && *fraction < 1), "data.{}: the fraction must be in [0, 1), not {}",
            split, fraction.value_or(0));
}

}  // namespace

void check_options(const DataOptions& options) {
    require(!options.corpus.empty(),
            "data.corpus is empty: expected generated, the name of a corpus, or a path");
    require(options.format == TextFormat::automatic || options.corpus != "generated",
            "data.format: bytes belongs to files, not to data.corpus: generated");
    require(options.block >= 0, "data.block must be 0 or more tokens, not {}", options.block);
    check_split("valid", options.valid, options.valid_fraction);
    check_split("test", options.test, options.test_fraction);
    const double kept = options.valid_fraction.value_or(0) + options.test_fraction.value_or(0);
    require(kept < 1, "data.valid and data.test take {} of the corpus: nothing is left to train on", kept);
    const bool generated = options.documents || options.document_length || options.generator_seed;
    require(!generated || options.corpus == "generated",
            "data.documents, data.document_length and data.generator_seed belong to data.corpus: generated, "
            "not to '{}'",
            options.corpus);
    require(options.documents.value_or(1) >= 1, "data.documents must be 1 or more, not {}",
            options.documents.value_or(1));
    require(options.document_length.value_or(1) >= 1, "data.document_length must be 1 or more bytes, not {}",
            options.document_length.value_or(1));
}

}  // namespace locus
