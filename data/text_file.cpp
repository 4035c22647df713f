#include "data/text_file.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "data/gunzip.h"
#include "data/plain_text.h"
#include "framework/core/error.h"
#include "framework/io/content.h"
#include "framework/io/input_file.h"
#include "framework/io/machine.h"

namespace locus {

namespace {

using Verdict = TextFile::Verdict;
using nlohmann::json;

constexpr const char* expected_forms = "expected text in UTF-8, JSON lines, or gzip of either";
constexpr const char* raw_hint = "data.format: bytes (--format bytes) takes its bytes as they are";

std::string lower_suffix(const std::filesystem::path& name) {
    std::string suffix = name.extension().string();
    std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return suffix;
}

bool is_one_of(const std::string& suffix, std::initializer_list<const char*> names) {
    return std::find(names.begin(), names.end(), suffix) != names.end();
}

std::string_view first_line(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    return text.substr(0, text.find('\n'));
}

bool is_json(std::string_view text, char opening) {
    return text.starts_with(opening) && json::accept(text);
}

TextFile refusal(const std::filesystem::path& path, Verdict verdict, std::string_view kind,
                 const std::string& advice) {
    TextFile file;
    file.verdict = verdict;
    file.kind = kind;
    file.reason = fmt::format("{}: it is {}, {}{}{}; {}", path.string(), kind, expected_forms,
                              advice.empty() ? "" : "; ", advice, raw_hint);
    return file;
}

/// Of what is neither marked nor named as anything: text, lines of JSON, or not readable.
TextFile plain(const std::filesystem::path& path, const std::filesystem::path& name, std::string content) {
    TextFile file;
    const std::string suffix = lower_suffix(name);
    const bool named_lines = is_one_of(suffix, {".jsonl", ".ndjson", ".jsonlines"});
    if (!named_lines) {
        if (is_one_of(suffix, {".csv", ".tsv"}))
            return refusal(path, Verdict::foreign, "a table of values",
                           "write its texts as JSON lines first");
        const std::string fault = why_not_plain(content);
        if (!fault.empty()) {
            const bool binary = fault.starts_with("is binary");
            file = refusal(path, binary ? Verdict::foreign : Verdict::unread,
                           binary ? "binary data" : "text in an unknown encoding",
                           binary ? "" : "convert it first: iconv -f LATIN1 -t UTF-8 FILE");
            file.reason = fmt::format("{}: it {}, {}; {}", path.string(), fault, expected_forms, raw_hint);
            return file;
        }
    }
    const std::string_view line = first_line(content);
    const bool lines = named_lines || is_json(line, '{');
    if (!lines && (line.starts_with('{') || line.starts_with('[')) && json::accept(content)) {
        return refusal(path, Verdict::unread, "one JSON document",
                       "write a JSON object with \"text\" on each line first");
    }
    file.verdict = lines ? Verdict::lines : Verdict::text;
    file.kind = lines ? "JSON lines" : "text";
    file.content = std::move(content);
    return file;
}

std::uint64_t unpacked_limit(std::uint64_t size) {
    const auto available = static_cast<std::uint64_t>(std::max<std::int64_t>(0, available_memory()));
    return available == 0 ? gunzip_limit(size) : std::min(gunzip_limit(size), available);
}

/// `name`: the file's without the suffix of what it was unpacked from.
TextFile judge(const std::filesystem::path& path, const std::filesystem::path& name, std::string content,
               bool unpacked) {
    const Form form = form_of(content);
    const auto claimed = form_claimed(name.string());
    if (claimed && claimed->type != form.type && form.type == FormClass::plain) {
        const std::string fault = why_not_plain(content);
        TextFile file = refusal(path, Verdict::unread, "damaged or renamed", "");
        file.reason = fmt::format("{}: expected {} by its name, found {}: cut off, damaged or renamed",
                                  path.string(), claimed->name, fault.empty() ? "text" : "other bytes");
        return file;
    }
    if (form.type == FormClass::gzip && !unpacked) {
        std::string text = gunzip(content, path.string(), unpacked_limit(content.size()));
        require(!text.empty(), Failure::data, "{}: the text is empty", path.string());
        const auto inner = claimed && claimed->type == FormClass::gzip ? name.stem() : name;
        TextFile file = judge(path, inner, std::move(text), true);
        file.kind += " in gzip";
        return file;
    }
    switch (form.type) {
        case FormClass::plain:
            return plain(path, name, std::move(content));
        case FormClass::hdf5: {
            TextFile file = refusal(path, unpacked ? Verdict::unread : Verdict::corpus, form.name, "");
            return file;
        }
        case FormClass::markup:
        case FormClass::media:
            return refusal(path, Verdict::foreign, form.name, std::string(form.advice));
        default:
            return refusal(path, Verdict::unread, form.name, std::string(form.advice));
    }
}

}  // namespace

TextFile read_text_file(const std::filesystem::path& path, TextFormat format) {
    const InputFile input(path, Failure::data);
    TextFile file;
    if (format == TextFormat::bytes) {
        file.verdict = Verdict::text;
        file.kind = "raw bytes";
        file.content = input.read_all();
    } else if (form_of(input.head(form_head)).type == FormClass::hdf5) {
        file = judge(path, path.filename(), input.head(form_head), false);  // its tokens are not for here
    } else {
        file = judge(path, path.filename(), input.read_all(), false);
    }
    file.bytes = input.size();
    return file;
}

}  // namespace locus
