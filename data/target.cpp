#include "data/target.h"

#include <system_error>

#include "data/corpus_file.h"
#include "data/locate.h"
#include "framework/core/error.h"

namespace locus {

namespace fs = std::filesystem;

namespace {

/// Whether both name one file or folder, by whatever links.
bool is_same(const fs::path& a, const fs::path& b) {
    std::error_code code;
    return fs::equivalent(a, b, code) && !code;
}

void check_inputs(const fs::path& out, const std::vector<std::string>& inputs) {
    for (const std::string& input : inputs) {
        const fs::path place = locate(input);
        require(!is_same(out, place), Failure::data, "--out {}: this is the input {}, expected a new file",
                out.string(), input);
        std::error_code code;
        const fs::path whole = fs::weakly_canonical(out, code);
        if (code) continue;
        for (fs::path above = whole.parent_path();; above = above.parent_path()) {
            require(!is_same(above, place), Failure::data,
                    "--out {}: lies in the input folder {}: the next corpus of it would hold this one",
                    out.string(), input);
            if (above == above.parent_path()) break;
        }
    }
}

}  // namespace

void check_target(const fs::path& out, const std::vector<std::string>& inputs, bool force) {
    check_inputs(out, inputs);
    std::error_code code;
    const auto kind = fs::status(out, code).type();
    if (kind == fs::file_type::not_found) return;
    if (kind != fs::file_type::regular) return;  // the writing says what is wrong
    bool corpus = false;
    try {
        corpus = is_corpus_file(out);
    } catch (const Error&) {  // not HDF5, or damaged: all the less to be lost unasked
    }
    require(corpus, Failure::data,
            "--out {}: a file is there that is no corpus, expected none or a corpus; it stays", out.string());
    require(force, Failure::data, "--out {}: a corpus is there already; --force replaces it", out.string());
}

}  // namespace locus
