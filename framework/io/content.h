// What a file is, told by its first bytes; its name is only what it claims to be.
#pragma once

#include <optional>
#include <string_view>

namespace locus {

/// How Locus deals with a form of file.
enum class FormClass {
    plain,      // no mark: text, perhaps
    gzip,       // read after unpacking
    hdf5,       // read as a corpus
    container,  // may hold text or data in a form that is not read: archives, other compressors, tables
    encoding,   // text in an encoding that is not read: UTF-16, UTF-32
    markup,     // documents that are not running text: XML, HTML, RTF
    media       // images, sound, fonts, programs, pages
};

struct Form {
    FormClass type = FormClass::plain;
    std::string_view name;    // "a Zstandard file"
    std::string_view advice;  // "unpack it first: zstd -d FILE", or empty
};

/// The most bytes that form_of looks at.
inline constexpr std::size_t form_head = 1024;

/// The form of a file that begins with `head`; plain where no known mark stands there.
Form form_of(std::string_view head);

/// The form that a file's name claims by its last suffix, in letters of either case: gzip for "a.txt.GZ";
/// none where the suffix claims nothing that a mark could tell.
std::optional<Form> form_claimed(std::string_view name);

}  // namespace locus
