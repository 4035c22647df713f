// The gate of corpora: what one file is by its content, and whether it is taken.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/options.h"

namespace locus {

/// A file after the gate.
struct TextFile {
    enum class Verdict {
        text,     // one document
        lines,    // JSON lines: a document each
        corpus,   // HDF5, to be opened as a corpus of Locus
        foreign,  // not text; a folder of texts may hold it, and it is left out
        unread    // holds text, perhaps, in a form that is not read: never passed over
    };
    Verdict verdict = Verdict::unread;
    std::string kind;         // "text", "JSON lines in gzip", "a JPEG image"
    std::string reason;       // of foreign and unread: what was found, what was expected, what helps
    std::string content;      // of text and lines, unpacked
    std::uint64_t bytes = 0;  // on the disk
};

/// Reads the file at `path` and says what it is: by its first bytes, never by its name alone; a name that
/// claims another form than the content has is refused as cut off or renamed. gzip is unpacked once. `bytes`
/// takes everything as it lies there. Throws a data Error where it is no regular file, cannot be read, or
/// damaged gzip.
TextFile read_text_file(const std::filesystem::path& path, TextFormat format);

}  // namespace locus
