#include "data/sources.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "data/corpus_file.h"
#include "data/folder.h"
#include "data/generator.h"
#include "data/json_lines.h"
#include "data/named_splits.h"
#include "data/text_file.h"
#include "framework/core/error.h"
#include "framework/io/json_file.h"

namespace locus {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr const char* corpus_note = "corpus.json";

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

bool is_folder(const fs::path& path) {
    std::error_code code;
    const bool folder = fs::is_directory(path, code);
    require(!code, Failure::data, "cannot read {}: {}", path.string(), code.message());
    return folder;
}

/// Room on the disk of a file, or 0 where it cannot be told: only to reserve memory.
std::uint64_t size_of_file(const fs::path& path) {
    std::error_code code;
    const auto size = fs::file_size(path, code);
    return code ? 0 : size;
}

/// Puts files, folders and corpora into one corpus.
class Assembly {
  public:
    Assembly(std::string name, const BuildOptions& options)
        : options_(options), builder_(std::move(name), options.tokenizer) {}

    void add(const fs::path& path) {
        if (is_folder(path)) {
            add_folder(path);
        } else {
            builder_.expect(size_of_file(path));
            add_file(path, path.filename().string(), "", false);
        }
    }

    Corpus finish() {
        if (!builder_.has_split()) {
            const NamedSplits named = splits_by_name(files_);
            builder_.add_split(named.valid, named.test);
            for (const std::string& note : named.notes) builder_.intake().note(note);
        }
        Corpus corpus = builder_.finish();
        require(!options_.strict || corpus.intake.left_out() == 0, Failure::data,
                "corpus {}: --strict, and something was left out: {}", corpus.name,
                corpus.intake.what_was_left_out());
        return corpus;
    }

  private:
    /// Adds the document or documents of one file; `book` is empty where the file is its own book.
    void add_file(const fs::path& path, const std::string& name, const std::string& book, bool in_folder) {
        TextFile file = read_text_file(path, options_.format);
        require(file.bytes > 0 || in_folder, Failure::data, "{}: the text is empty", path.string());
        if (file.bytes == 0) return intake().leave_out("empty", name);
        switch (file.verdict) {
            case TextFile::Verdict::text:
                builder_.add(name, book.empty() ? name : book, file.content, path.string());
                break;
            case TextFile::Verdict::lines:
                add_json_lines(builder_, file.content, name, book, path.string());
                break;
            case TextFile::Verdict::corpus:
                return add_corpus(path, file, in_folder);
            case TextFile::Verdict::foreign:
                if (in_folder) return intake().leave_out(file.kind, name, file.bytes);
                [[fallthrough]];
            case TextFile::Verdict::unread:
                fail(Failure::data, "{}", file.reason);
        }
        intake().take(file.kind, name, file.bytes);
        files_.push_back(name);
    }

    void add_corpus(const fs::path& path, const TextFile& file, bool in_folder) {
        require(
            !in_folder, Failure::data,
            "{}: an HDF5 file: a corpus in HDF5 is an input of its own and stands outside folders of texts",
            path.string());
        const Corpus corpus = read_corpus(path);
        builder_.add(corpus, path.string());
        builder_.add_split(corpus.valid, corpus.test);
        intake().take("a corpus of Locus", path.filename().string(), file.bytes);
    }

    void add_folder(const fs::path& folder) {
        std::vector<fs::path> files = files_below(folder, intake());
        const bool has_note = std::erase(files, fs::path(corpus_note)) > 0;
        require(!files.empty(), Failure::data, "{}: no document in this folder{}", folder.string(),
                intake().left_out() == 0 ? "" : "; left out: " + intake().what_was_left_out());
        std::uint64_t bytes = 0;
        for (const fs::path& file : files) bytes += size_of_file(folder / file);
        builder_.expect(bytes);
        for (const fs::path& file : files) {
            add_file(folder / file, file.generic_string(),
                     file.has_parent_path() ? file.begin()->string() : "", true);
        }
        if (has_note) add_note(folder / corpus_note);
    }

    void add_note(const fs::path& path) {
        const json note = read_json(path, Failure::data);
        require(note.is_object(), Failure::data, "{}: expected a JSON object, found {}", path.string(),
                note.type_name());
        builder_.add_split(names_in(note, "valid", path.string()), names_in(note, "test", path.string()));
    }

    Intake& intake() { return builder_.intake(); }

    BuildOptions options_;
    CorpusBuilder builder_;
    std::vector<std::string> files_;  // that gave documents, by the names of these
};

std::string plain_name(const fs::path& path) {
    std::error_code ignored;
    fs::path whole = fs::weakly_canonical(path, ignored);
    const fs::path last = (ignored ? path : whole).filename();
    return last.has_stem() && !fs::is_directory(path, ignored) ? last.stem().string() : last.string();
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

Corpus corpus_from_paths(const std::vector<std::string>& inputs, const BuildOptions& options) {
    require(!inputs.empty(), "no input: expected files, folders or names of fetched corpora");
    std::string name;
    for (const std::string& input : inputs) name += (name.empty() ? "" : "+") + plain_name(input);
    Assembly assembly(name, options);
    for (const std::string& input : inputs) assembly.add(locate(input, options.folder));
    return assembly.finish();
}

Corpus load_corpus(const DataOptions& options) {
    check_options(options);
    if (options.corpus == "generated") return generated_corpus(options);
    return corpus_from_paths({options.corpus}, {options.tokenizer, options.format, false, options.folder});
}

}  // namespace locus
