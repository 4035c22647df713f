#include "framework/io/content.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace locus {

namespace {

using enum FormClass;
using namespace std::string_view_literals;

constexpr Form zstd{container, "a Zstandard file", "unpack it first: zstd -d FILE"};
constexpr Form xz{container, "an xz file", "unpack it first: xz -dk FILE"};
constexpr Form bzip2{container, "a bzip2 file", "unpack it first: bzip2 -dk FILE"};
constexpr Form lz4{container, "an lz4 file", "unpack it first: lz4 -d FILE"};
constexpr Form zip{container, "a zip archive", "unpack it first: unzip FILE"};
constexpr Form tar{container, "a tar archive", "unpack it first: tar xf FILE"};
constexpr Form parquet{container, "a Parquet file", "write its texts as JSON lines first"};
constexpr Form arrow{container, "an Arrow file", "write its texts as JSON lines first"};
constexpr Form gz{gzip, "a gzip file", ""};
constexpr Form hdf5_file{hdf5, "an HDF5 file", ""};
constexpr Form utf16{encoding, "text in UTF-16", "convert it first: iconv -f UTF-16 -t UTF-8 FILE"};
constexpr Form utf32{encoding, "text in UTF-32", "convert it first: iconv -f UTF-32 -t UTF-8 FILE"};
constexpr Form pdf{media, "a PDF file", "extract its text first: pdftotext FILE"};
constexpr Form lfs{container, "a Git LFS pointer instead of a file", "get the file first: git lfs pull"};
constexpr Form xml{markup, "XML", "extract its text first"};
constexpr Form html{markup, "HTML", "extract its text first"};
constexpr Form rtf{markup, "RTF", "extract its text first"};

struct Mark {
    std::size_t place;
    std::string_view bytes;
    Form form;
    bool in_text = false;  // the mark counts where the rest is text, too
};

// Longer marks first where one begins with another.
constexpr std::array marks = {
    Mark{0, "\x1F\x8B"sv, gz},
    Mark{0, "\x89HDF\r\n\x1A\n"sv, hdf5_file},
    Mark{0, "\x28\xB5\x2F\xFD"sv, zstd},
    Mark{1, "\x2A\x4D\x18"sv, zstd},  // a skippable frame, as pzstd puts first
    Mark{0, "\xFD\x37zXZ\0"sv, xz},
    Mark{0, "LZIP\x01"sv, {container, "an lzip file", "unpack it first: lzip -dk FILE"}},
    Mark{0, "\x5D\0\0"sv, {container, "an lzma file", "unpack it first: xz -dk FILE"}},
    Mark{0, "\x04\x22\x4D\x18"sv, lz4},
    Mark{0, "\x1F\x9D"sv, {container, "a compress file", "unpack it first: uncompress FILE"}},
    Mark{4, "1AY&SY"sv, bzip2},
    Mark{4, "\x17\x72\x45\x38\x50\x90"sv, bzip2},  // of an empty file
    Mark{30, "mimetypeapplication/epub+zip"sv, {media, "an EPUB book", "extract its text first"}},
    Mark{0, "PK\x03\x04"sv, zip},
    Mark{0, "PK\x05\x06"sv, zip},
    Mark{0, "7z\xBC\xAF\x27\x1C"sv, {container, "a 7z archive", "unpack it first: 7z x FILE"}},
    Mark{0, "Rar!\x1A\x07"sv, {container, "a RAR archive", "unpack it first: unrar x FILE"}},
    Mark{257, "ustar"sv, tar},
    Mark{0, "!<arch>\n"sv, {container, "an ar archive", "unpack it first: ar x FILE"}, true},
    Mark{0, "PAR1"sv, parquet},
    Mark{0, "ARROW1"sv, arrow},
    Mark{0, "FEA1"sv, arrow},
    Mark{0, "Obj\x01"sv, {container, "an Avro file", "write its texts as JSON lines first"}},
    Mark{0, "SQLite format 3\0"sv, {container, "an SQLite database", "write its texts as JSON lines first"}},
    Mark{0, "\x93NUMPY"sv, {container, "a NumPy array", "write its texts as files first"}},
    Mark{0, "version https://git-lfs.github.com/spec/"sv, lfs, true},
    Mark{0, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv, {container, "an old Office document", "export its text"}},
    Mark{0, "\xFF\xFE\0\0"sv, utf32},
    Mark{0, "\0\0\xFE\xFF"sv, utf32},
    Mark{0, "\xFF\xFE"sv, utf16},
    Mark{0, "\xFE\xFF"sv, utf16},
    Mark{0, "{\\rtf"sv, rtf, true},
    Mark{0, "%PDF-"sv, pdf, true},
    Mark{0, "%!PS"sv, {media, "a PostScript file", "extract its text first: ps2txt FILE"}, true},
    Mark{0, "AT&TFORM"sv, {media, "a DjVu file", "extract its text first: djvutxt FILE"}},
    Mark{60, "BOOKMOBI"sv, {media, "a Mobipocket book", "extract its text first"}},
    Mark{0, "\x89PNG\r\n\x1A\n"sv, {media, "a PNG image", ""}},
    Mark{0, "\xFF\xD8\xFF"sv, {media, "a JPEG image", ""}},
    Mark{0, "GIF87a"sv, {media, "a GIF image", ""}},
    Mark{0, "GIF89a"sv, {media, "a GIF image", ""}},
    Mark{0, "II*\0"sv, {media, "a TIFF image", ""}},
    Mark{0, "MM\0*"sv, {media, "a TIFF image", ""}},
    Mark{8, "WEBP"sv, {media, "a WebP image", ""}},
    Mark{8, "WAVEfmt "sv, {media, "a sound", ""}},
    Mark{0, "OggS\0"sv, {media, "a sound", ""}},
    Mark{0, "fLaC\0"sv, {media, "a sound", ""}},
    Mark{0, "ID3\x03"sv, {media, "a sound", ""}},
    Mark{0, "ID3\x04"sv, {media, "a sound", ""}},
    Mark{4, "ftyp"sv, {media, "a video or image", ""}},
    Mark{0, "\x1A\x45\xDF\xA3"sv, {media, "a video", ""}},
    Mark{0, "wOFF"sv, {media, "a font", ""}},
    Mark{0, "wOF2"sv, {media, "a font", ""}},
    Mark{0, "OTTO\0"sv, {media, "a font", ""}},
    Mark{0, "\0\x01\0\0\0"sv, {media, "a font", ""}},
    Mark{0,
         "\x7F"
         "ELF"sv,
         {media, "a program", ""}},
    Mark{0, "\0asm"sv, {media, "a program", ""}},
};

constexpr std::array<std::pair<std::string_view, Form>, 8> markup_starts = {{
    {"<?xml", xml},
    {"<!doctype html", html},
    {"<!doctype", xml},
    {"<html", html},
    {"<rdf:", xml},
    {"<mediawiki", xml},
    {"<tei", xml},
    {"<svg", xml},
}};

constexpr std::array<std::pair<std::string_view, Form>, 18> suffixes = {{
    {".gz", gz},
    {".gzip", gz},
    {".tgz", gz},
    {".h5", hdf5_file},
    {".hdf5", hdf5_file},
    {".zst", zstd},
    {".zstd", zstd},
    {".xz", xz},
    {".bz2", bzip2},
    {".lz4", lz4},
    {".zip", zip},
    {".tar", tar},
    {".parquet", parquet},
    {".arrow", arrow},
    {".feather", arrow},
    {".pdf", pdf},
    {".rtf", rtf},
    {".npy", {container, "a NumPy array", "write its texts as files first"}},
}};

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

/// Neither a control character nor beyond ASCII.
bool is_plain(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= 0x09 && byte <= 0x0D) || (byte >= 0x20 && byte < 0x7F);
}

/// A mark of letters and digits, such as "PAR1", may also begin a text.
bool holds(const Mark& mark, std::string_view head) {
    if (head.size() < mark.place || !head.substr(mark.place).starts_with(mark.bytes)) return false;
    return mark.in_text || !std::all_of(head.begin(), head.end(), is_plain);
}

/// UTF-16 and UTF-32 without a mark: every second byte, or three of four, of Latin text is NUL.
std::optional<Form> wide_text(std::string_view head) {
    const std::size_t units = head.size() / 4;
    if (units < 8) return std::nullopt;
    std::array<std::size_t, 4> nuls{};
    for (std::size_t i = 0; i < units * 4; ++i) nuls[i % 4] += head[i] == '\0';
    const auto many = [&](std::size_t k) { return nuls[k] * 10 >= units * 9; };
    const auto few = [&](std::size_t k) { return nuls[k] * 10 <= units; };
    if (many(1) && many(2) && ((many(3) && few(0)) || (many(0) && few(3)))) return utf32;
    if ((many(1) && many(3) && few(0) && few(2)) || (many(0) && many(2) && few(1) && few(3))) return utf16;
    return std::nullopt;
}

}  // namespace

Form form_of(std::string_view head) {
    head = head.substr(0, form_head);
    for (const Mark& mark : marks) {
        if (holds(mark, head)) return mark.form;
    }
    if (const auto wide = wide_text(head)) return *wide;
    std::string_view text = head;
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    const std::string start = lower(text.substr(0, 16));
    for (const auto& [mark, form] : markup_starts) {
        if (start.starts_with(mark)) return form;
    }
    return {};
}

std::optional<Form> form_claimed(std::string_view name) {
    const std::string all = lower(name);
    for (const auto& [suffix, form] : suffixes) {
        if (all.size() > suffix.size() && all.ends_with(suffix)) return form;
    }
    return std::nullopt;
}

}  // namespace locus
