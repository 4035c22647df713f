#include "data/sources.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "data/corpus_file.h"
#include "data/fetch.h"
#include "data/generator.h"
#include "data/gunzip.h"
#include "framework/core/error.h"
#include "framework/io/atomic_file.h"
#include "framework/io/json_file.h"

namespace locus {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr const char* corpus_note = "corpus.json";

bool is_hdf5(const fs::path& path) {
    return path.extension() == ".h5" || path.extension() == ".hdf5";
}

std::string read_text(const fs::path& path) {
    require(fs::is_regular_file(path), Failure::data, "{} is not a file", path.string());
    std::string text = read_file(path, Failure::data);
    return path.extension() == ".gz" ? gunzip(text, path.string()) : text;
}

std::string text_field(const json& line, const char* field, const std::string& where) {
    const auto place = line.find(field);
    require(place != line.end() && place->is_string(), Failure::data,
            "{}: expected a string in \"{}\", found {}", where, field,
            place == line.end() ? "none" : place->type_name());
    return place->get<std::string>();
}

json parse_json(std::string_view text, const std::string& where) {
    json value;
    try {
        value = json::parse(text);
    } catch (const json::exception& error) {
        fail(Failure::data, "{}: malformed JSON: {}", where, error.what());
    }
    require(value.is_object(), Failure::data, "{}: expected a JSON object, found {}", where,
            value.type_name());
    return value;
}

/// `own_book`: the book of lines that name none; empty: each its own.
void add_lines(CorpusBuilder& builder, const fs::path& path, const std::string& name,
               const std::string& own_book) {
    const std::string text = read_text(path);
    Index number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = std::string_view(text).substr(begin, end - begin);
        begin = end + 1;
        ++number;
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        const std::string where = fmt::format("{}:{}", path.string(), number);
        const json value = parse_json(line, where);
        const std::string document = fmt::format("{}:{}", name, number);
        const std::string book = value.contains("book") ? text_field(value, "book", where)
                                 : own_book.empty()     ? document
                                                        : own_book;
        builder.add(document, book, text_field(value, "text", where), where);
    }
}

/// Adds the document or documents of one file; `book` is empty where the file is its own book.
void add_file(CorpusBuilder& builder, const fs::path& path, const std::string& name,
              const std::string& book) {
    const fs::path plain = path.extension() == ".gz" ? path.stem() : path.filename();
    if (plain.extension() == ".jsonl") {
        add_lines(builder, path, name, book);
        return;
    }
    const std::string text = read_text(path);
    require(
        !text.starts_with("\x89HDF\r\n\x1a\n"), Failure::data,
        "{}: an HDF5 file: a corpus in HDF5 has a name that ends in .h5 and stands outside folders of texts",
        path.string());
    builder.add(name, book.empty() ? name : book, text, path.string());
}

std::vector<std::string> names_in(const json& note, const char* field, const std::string& where) {
    std::vector<std::string> names;
    if (!note.contains(field)) return names;
    require(note[field].is_array(), Failure::data, "{}: expected a list of names in \"{}\"", where, field);
    for (const json& name : note[field]) {
        require(name.is_string(), Failure::data, "{}: expected a list of names in \"{}\"", where, field);
        names.push_back(name.get<std::string>());
    }
    return names;
}

std::vector<fs::path> files_below(const fs::path& folder) {
    std::vector<fs::path> files;
    try {
        for (auto entry = fs::recursive_directory_iterator(folder);
             entry != fs::recursive_directory_iterator(); ++entry) {
            if (entry->path().filename().string().starts_with('.')) {
                if (entry->is_directory()) entry.disable_recursion_pending();
            } else if (!entry->is_directory()) {
                files.push_back(entry->path().lexically_relative(folder));
            }
        }
    } catch (const fs::filesystem_error& error) {
        fail(Failure::data, "cannot read {}: {}", folder.string(), error.code().message());
    }
    std::erase(files, fs::path(corpus_note));
    // Byte order of the whole path: the same in every locale and on every file system.
    std::sort(files.begin(), files.end(),
              [](const fs::path& a, const fs::path& b) { return a.generic_string() < b.generic_string(); });
    return files;
}

void add_folder(CorpusBuilder& builder, const fs::path& folder, bool alone) {
    const std::vector<fs::path> files = files_below(folder);
    require(!files.empty(), Failure::data, "{}: no document in this folder", folder.string());
    for (const fs::path& file : files) {
        const fs::path path = folder / file;
        add_file(builder, path, file.generic_string(), file.has_parent_path() ? file.begin()->string() : "");
    }
    const fs::path note_path = folder / corpus_note;
    if (!alone || !fs::exists(note_path)) return;
    const json note = read_json(note_path, Failure::data);
    require(note.is_object(), Failure::data, "{}: expected a JSON object, found {}", note_path.string(),
            note.type_name());
    builder.set_split(names_in(note, "valid", note_path.string()),
                      names_in(note, "test", note_path.string()));
}

std::string plain_name(const fs::path& path) {
    const fs::path last = fs::weakly_canonical(path).filename();
    return last.has_stem() && !fs::is_directory(path) ? last.stem().string() : last.string();
}

/// The file or folder that a recipe or a command means by `name`.
fs::path locate(const std::string& name) {
    std::vector<fs::path> candidates;
    if (name.find('/') == std::string::npos && name != "." && name != "..") {
        candidates = {data_folder() / name, data_folder() / (name + ".h5")};
    }
    candidates.emplace_back(name);
    std::string listing;
    for (const fs::path& place : candidates) {
        std::error_code ignored;  // what cannot be looked at is not there
        if (fs::exists(place, ignored)) return place;
        listing += (listing.empty() ? "" : ", ") + place.string();
    }
    std::string known;
    for (const std::string& corpus : fetchable()) {
        if (corpus == name) {
            fail(Failure::data, "corpus '{}' is not here; get it with: locus data fetch {}; looked for {}",
                 name, name, listing);
        }
        known += (known.empty() ? "" : ", ") + corpus;
    }
    fail(Failure::data, "corpus '{}' is not here; looked for {}; `locus data fetch NAME` gets {}", name,
         listing, known);
}

Corpus generated_corpus(const DataOptions& options) {
    CorpusBuilder builder("generated", options.tokenizer);
    const Index documents = options.documents.value_or(standard_documents);
    const Index length = options.document_length.value_or(standard_document_length);
    for (Index index = 0; index < documents; ++index) {
        const std::string name = fmt::format("generated/{}", index);
        builder.add(name, name, generate_document(options.generator_seed.value_or(0), index, length), name);
    }
    return builder.finish();
}

}  // namespace

fs::path data_folder() {
    const char* chosen = std::getenv("LOCUS_DATA");
    if (chosen && *chosen) return chosen;
    const char* home = std::getenv("HOME");
    require(home && *home, Failure::data,
            "neither LOCUS_DATA nor HOME is set: where do fetched corpora lie?");
    return fs::path(home) / ".cache" / "locus";
}

Corpus corpus_from_paths(const std::vector<std::string>& inputs, const std::string& tokenizer) {
    require(!inputs.empty(), "no input: expected files, folders or names of fetched corpora");
    std::string name;
    for (const std::string& input : inputs) {
        if (!name.empty()) name += '+';
        name += plain_name(input);
    }
    CorpusBuilder builder(name, tokenizer);
    for (const std::string& input : inputs) {
        const fs::path path = locate(input);
        if (fs::is_directory(path)) {
            add_folder(builder, path, inputs.size() == 1);
        } else if (is_hdf5(path)) {
            const Corpus corpus = read_corpus(path);
            builder.add(corpus, path.string());
            if (inputs.size() == 1) builder.set_split(corpus.valid, corpus.test);
        } else {
            add_file(builder, path, path.filename().string(), "");
        }
    }
    return builder.finish();
}

Corpus load_corpus(const DataOptions& options) {
    check_options(options);
    return options.corpus == "generated" ? generated_corpus(options)
                                         : corpus_from_paths({options.corpus}, options.tokenizer);
}

}  // namespace locus
