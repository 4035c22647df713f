#include <algorithm>
#include <string_view>

#include "data/draws.h"
#include "data/fact_task.h"

namespace locus {

namespace {

using namespace std::string_view_literals;

// The texts are part of every result on this task: never change them. The filler has no digit and no "key".
constexpr auto filler_text =
    "Rain falls on the old bridge. A cat sleeps by the stove. The clock in the hall is slow. "sv;
constexpr auto key_text = " The key is "sv;

std::vector<Token> bytes_of(std::string_view text) {
    std::vector<Token> tokens;
    for (const char c : text) tokens.push_back(static_cast<unsigned char>(c));
    return tokens;
}

// In bytes, so that text models can read it.
class Passkey : public Task {
  public:
    explicit Passkey(const Options& options) : options_(options), digits_(options.integer("digits")) {
        vocabulary_ = Vocabulary::bytes();
        answers_ = {'0', 10};
    }

    Index shortest() const override { return 2 * (static_cast<Index>(key_text.size()) + digits_) + 1; }

    /// The digits: no key that was trained on is tested, wherever it stood.
    std::vector<Token> gist(const TaskItem& item) const override {
        return {item.tokens.begin() + item.answers.front(), item.tokens.end()};
    }

    TaskItem draw(Index length, RandomStream& random) const override {
        const std::vector<Token> key = pick(answers_, digits_, random), query = bytes_of(key_text);
        std::vector<Token> needle = query;
        needle.insert(needle.end(), key.begin(), key.end());
        const auto room = length - static_cast<Index>(needle.size());
        needle.push_back('.');
        std::vector<Token> filler = bytes_of(filler_text);
        for (std::size_t i = 0; filler.size() < static_cast<std::size_t>(length); ++i)
            filler.push_back(filler[i]);
        filler.resize(static_cast<std::size_t>(length));
        Sheet sheet(std::move(filler));
        sheet.evidence(draw_place(options_, room - static_cast<Index>(needle.size()), random), needle);
        sheet.ask(query, key);
        return sheet.take();
    }

  private:
    Options options_;
    Index digits_;
};

const bool passkey_registered = TaskRegistry::instance().add(
    "passkey",
    {.doc = "a number that a sentence names somewhere in a text, in bytes (arXiv:2305.16300)",
     .options = {{.name = "digits", .standard = Index{5}, .doc = "of the number", .min = 1, .max = 64},
                 depth_option()},
     .make = [](const Options& options) { return std::make_unique<Passkey>(options); }});

}  // namespace

}  // namespace locus
