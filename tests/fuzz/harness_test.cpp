// Faults that were planted on purpose, in programs without the digests that Locus has: the harness must find
// them.
#include "tests/fuzz/harness.h"
#include <cmath>

#include "data/corpus_file.h"
#include "recipes/engine/identity/measured.h"
#include "recipes/engine/report/table.h"
#include "tests/fuzz/support.h"

namespace locus::test {
namespace {

void expect_found(const Subject& subject, const std::string& planted) {
    Findings counts;
    const std::string expected = subject.use(subject.intact).results;
    EXPECT_EQ(judge(subject, expected, subject.intact, counts), "");
    const std::string line = judge(subject, expected, planted, counts);
    EXPECT_NE(line.find("other results, without a word"), std::string::npos) << line;
    EXPECT_FALSE(fuzz(subject).lines.empty()) << subject.name << ": no mutation came upon the fault";
}

// A corpus file whose digests leave out which books validate: whatever stands there, they fit.
TEST(FuzzHarness, FindsABitOfTheNamesThatValidate) {
    const Folder folder;
    const fs::path path = folder / "corpus.h5";
    const Cell cell = cells_of(small_recipe, {"data={corpus: '" + path.string() + "'}"}).front();
    const auto use = [&](const std::string& valid) -> Outcome {
        CorpusBuilder builder("small", "byte");
        for (const char* name : {"a", "b", "c", "d"})
            builder.add(name, name, std::string(60, name[0]) + " text of " + name + std::string(60, 'x'),
                        "here");
        builder.add_split({valid}, {});
        write_corpus(builder.finish(), path);
        fs::remove_all(folder / "run");
        const std::string hash = trained(cell, folder / "run");
        return {hash + evaluated(folder / "run").numbers};
    };
    const std::string intact = "a";
    std::string planted = intact;
    planted[0] ^= 2;  // "c"
    expect_found({"names that validate", intact, use, {Failure::usage, Failure::data}, "", true}, planted);
}

// A summary without digests, whose other numbers follow its losses.
TEST(FuzzHarness, FindsADigitOfASummary) {
    const Folder folder;
    Quiet quiet;
    run_experiment(cells_of(small_recipe), folder / "out", {}, quiet);
    const fs::path path = folder / "out" / "r" / "evaluations" / "summary.json";
    const auto use = [&](const std::string& bytes) -> Outcome {
        try {
            auto summary = nlohmann::json::parse(bytes);
            for (nlohmann::json& run : summary.at("runs")) {
                run.erase("checksum");
                for (nlohmann::json& result : run.at("results")) {
                    const double nats = result.at("nats_per_token");
                    result["bits_per_byte"] = nats / std::log(2.0);
                    result["perplexity"] = std::exp(nats);
                }
            }
            sign(summary, measured_in(summary, "summary"));
            put_bytes(path, summary.dump());
        } catch (const nlohmann::json::exception&) {
            fail(Failure::storage, "not a summary");
        }
        return {text_of(make_table(folder / "out"), "json")};
    };
    const std::string intact = bytes_of(path);
    std::string planted = intact;
    const std::size_t at = planted.find('.', planted.find("\"nats_per_token\":")) + 3;
    planted[at] = planted[at] == '7' ? '3' : '7';
    expect_found({"summary", intact, use, {Failure::storage}, "", true}, planted);
}

// A reader that ends in a wrong way.
TEST(FuzzHarness, FindsMessagesAndExitCodesThatAreNone) {
    Findings counts;
    const auto judged = [&](const std::function<Outcome(const std::string&)>& use) {
        return judge({"reader", "x", use, {Failure::data}, "a.h5"}, "whole", "y", counts);
    };
    EXPECT_EQ(judged([](const std::string&) -> Outcome { return {"whole"}; }), "");
    EXPECT_EQ(judged([](const std::string&) -> Outcome { return {"other", "said so"}; }), "");
    EXPECT_EQ(judged([](const std::string&) -> Outcome { fail(Failure::data, "a.h5: is damaged"); }), "");
    EXPECT_NE(judged([](const std::string&) -> Outcome { return {"other"}; }), "");
    EXPECT_NE(judged([](const std::string&) -> Outcome { fail(Failure::numeric, "a.h5: is damaged"); }), "");
    EXPECT_NE(judged([](const std::string&) -> Outcome { fail(Failure::data, "a.h5: two\nlines"); }), "");
    EXPECT_NE(judged([](const std::string&) -> Outcome { fail(Failure::data, "is damaged"); }), "");
    EXPECT_NE(judged([](const std::string&) -> Outcome { throw std::bad_alloc(); }), "");
}

}  // namespace
}  // namespace locus::test
