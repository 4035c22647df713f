// Damaged corpora: as a corpus file, from which a run begins, and as text behind a run that was trained on
// it.
#include <zlib.h>

#include "data/corpus_file.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/support.h"

namespace locus::test {
namespace {

std::string text_of_document(int number) {
    std::string text;
    for (int i = 0; i < 12; ++i) text += fmt::format("line {} of {}; ", i * number, number);
    return text;
}

TEST(Fuzz, CorpusFiles) {
    const Folder folder;
    const fs::path path = folder / "corpus.h5";
    CorpusBuilder builder("small", "byte");
    for (const int number : {1, 2, 3, 4, 5})
        builder.add(fmt::format("book {}", number), fmt::format("book {}", number), text_of_document(number),
                    "here");
    builder.add_split({"book 2"}, {"book 4"});
    write_corpus(builder.finish(), path);
    const std::string intact = bytes_of(path);

    const Cell cell = cells_of(small_recipe, {"data={corpus: '" + path.string() + "'}"}).front();
    const auto use = [&](const std::string& bytes) -> Outcome {
        put_bytes(path, bytes);
        fs::remove_all(folder / "run");
        const std::string hash = trained(cell, folder / "run");
        return {hash + evaluated(folder / "run").numbers};
    };
    expect_sound({"corpus file", intact, use, {Failure::data}, "corpus.h5"});
}

// One way to write a text that Locus reads, behind a run.
void expect_sound_behind_a_run(const std::string& name, const std::string& intact, bool is_text) {
    const Folder folder;
    const fs::path path = folder / name;
    put_bytes(path, intact);
    trained(cells_of(small_recipe, {"data={corpus: '" + path.string() + "'}"}).front(), folder / "run");
    const auto use = [&](const std::string& bytes) -> Outcome {
        put_bytes(path, bytes);
        return {evaluated(folder / "run").numbers};
    };
    expect_sound(
        {name, intact, use, {Failure::data}, (folder / "").parent_path().filename().string(), is_text});
}

std::string json_lines() {
    std::string lines;
    for (const int number : {1, 2, 3, 4, 5})
        lines += nlohmann::json{{"text", text_of_document(number)}, {"id", number}}.dump() + "\n";
    return lines;
}

std::string gzipped(const std::string& text) {
    const fs::path path = fs::path(::testing::TempDir()) / fmt::format("locus_fuzz_{}.gz", ::getpid());
    const gzFile file = ::gzopen(path.c_str(), "wb");
    ::gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    ::gzclose(file);
    const std::string bytes = bytes_of(path);
    fs::remove(path);
    return bytes;
}

TEST(Fuzz, CorporaOfJsonLines) {
    expect_sound_behind_a_run("corpus.jsonl", json_lines(), true);
}

TEST(Fuzz, CorporaOfGzippedText) {
    expect_sound_behind_a_run("corpus.txt.gz", gzipped(json_lines()), false);
}

}  // namespace
}  // namespace locus::test
