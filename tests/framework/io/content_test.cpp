#include "framework/io/content.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace locus {
namespace {

using namespace std::string_literals;

struct Case {
    const char* name;
    std::string head;
    FormClass type;
};

// The first bytes of real files, as file(1) and the formats' own documents give them.
const std::vector<Case>& cases() {
    using enum FormClass;
    static const std::vector<Case> all = {
        {"a gzip file", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"s, gzip},
        {"an HDF5 file", "\x89HDF\r\n\x1a\n\x02\x08\x08\x00"s, hdf5},
        {"a Zstandard file", "\x28\xb5\x2f\xfd\x04\x58\x09\x00\x00hi"s, container},
        {"an xz file",
         "\xfd"
         "7zXZ\x00\x00\x04\xe6\xd6\xb4\x46"s,
         container},
        {"a bzip2 file", "BZh91AY&SY\x96\xf9\x85\xd8"s, container},
        {"an lz4 file", "\x04\x22\x4d\x18\x64\x40\xa7"s, container},
        {"a zip archive", "PK\x03\x04\x0a\x00\x00\x00\x00\x00"s, container},
        {"a 7z archive", "7z\xbc\xaf\x27\x1c\x00\x04"s, container},
        {"a tar archive", "a.txt"s + std::string(252, '\0') + "ustar  \0"s, container},
        {"a Parquet file", "PAR1\x15\x04\x15\x10"s, container},
        {"an Arrow file", "ARROW1\x00\x00\xff\xff\xff\xff"s, container},
        {"a Git LFS pointer instead of a file", "version https://git-lfs.github.com/spec/v1\noid sha256:00\n",
         container},
        {"text in UTF-16", "\xff\xfeI\x00t\x00"s, encoding},
        {"text in UTF-16", "\xfe\xff\x00I\x00t"s, encoding},
        {"text in UTF-16", "I\0t\0 \0i\0s\0 \0a\0 \0t\0r\0u\0t\0h\0 \0u\0n\0i\0v\0e\0r\0s\0a\0l\0"s,
         encoding},
        {"text in UTF-32", "\xff\xfe\x00\x00I\x00\x00\x00"s, encoding},
        {"XML", "<?xml version=\"1.0\"?><rdf:RDF/>", markup},
        {"XML", "\xef\xbb\xbf\n<rdf:RDF xmlns=\"x\">", markup},
        {"HTML", "<!DOCTYPE HTML PUBLIC \"-//W3C\">", markup},
        {"HTML", " <HTML><body>", markup},
        {"RTF", "{\\rtf1\\ansi\\deff0 It is", markup},
        {"a PDF file", "%PDF-1.7\n%\xe2\xe3\xcf\xd3", media},
        {"a JPEG image", "\xff\xd8\xff\xe0\x00\x10JFIF\x00"s, media},
        {"a PNG image", "\x89PNG\r\n\x1a\n\x00\x00"s, media},
        {"an EPUB book",
         "PK\x03\x04\x14\x00\x00\x00\x00\x00\x00\x00\x21\x00\x6f\x61\xab\x2c\x14\x00\x00\x00\x14\x00\x00\x00\x08\x00\x00\x00mimetypeapplication/epub+zip"s,
         media},
        {"a program",
         "\x7f"
         "ELF\x02\x01\x01\x00"s,
         media},
    };
    return all;
}

TEST(Content, IsToldByItsMark) {
    for (const Case& one : cases()) {
        const Form form = form_of(one.head);
        EXPECT_EQ(form.name, one.name);
        EXPECT_EQ(form.type, one.type) << one.name;
    }
}

TEST(Content, TextThatBeginsWithTheLettersOfAMarkIsText) {
    for (const char* text :
         {"PAR1 is a gene.", "GIF89a is a format of images.", "ARROW1 flew.", "ID3\nits tag",
          "I saw a WEBP today", "Rare! Rar! cried", "aaaaftyp", "", "MZ", "PK was his name",
          "BZh91AY&SY they write", "{ \"a\": 1 }", "< html", "\xc3\xa9t\xc3\xa9 \xe6\x97\xa5"}) {
        EXPECT_EQ(form_of(text).type, FormClass::plain) << text;
    }
    EXPECT_EQ(form_of(std::string(64, '\0')).type, FormClass::plain);
}

TEST(Content, NamesClaimFormsByTheirLastSuffixInEitherCase) {
    EXPECT_EQ(form_claimed("a.jsonl.GZ")->type, FormClass::gzip);
    EXPECT_EQ(form_claimed("c.H5")->type, FormClass::hdf5);
    EXPECT_EQ(form_claimed("x.parquet")->name, "a Parquet file");
    for (const char* name : {"a.txt", "gz", ".gz", "a.gz.txt", "a.json", "Makefile", "a.xml"})
        EXPECT_FALSE(form_claimed(name)) << name;
}

}  // namespace
}  // namespace locus
