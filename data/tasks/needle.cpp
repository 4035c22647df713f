#include <algorithm>

#include "data/draws.h"
#include "data/fact_task.h"

namespace locus {

namespace {

// Needles of a key and a value, each of several symbols. With one piece it lies where `depth` says, among
// others at drawn places; more pieces lie at drawn places themselves.
class Needle : public FactTask {
  public:
    explicit Needle(const Options& options)
        : FactTask(options),
          options_(options),
          pieces_(options.integer("pieces")),
          others_(options.integer("distractors")),
          similarity_(options.integer("similarity")),
          key_length_(options.integer("key_length")),
          value_length_(options.integer("value_length")),
          asks_keys_(options.text("form") == "multi_query") {
        keys_ = vocabulary_.add("k", options.integer("symbols"));
        answers_ = vocabulary_.add("v", options.integer("symbols"));
        check();
    }

    Index shortest() const override {
        const Index needles = pieces_ + others_;
        return width() * (needles > 1 && pieces_ == 1 ? needles + 1 : needles) + tail();
    }

    TaskItem draw(Index length, RandomStream& random) const override {
        const std::vector<Key> keys = draw_keys(random);
        std::vector<Fact> asked, others;
        for (Index i = 0; i < pieces_; ++i)
            asked.push_back(needle(keys[asks_keys_ ? static_cast<std::size_t>(i) : 0], true, random));
        for (Index i = 0; i < others_; ++i) others.push_back(needle(distractor(keys, random), false, random));
        Sheet sheet(length, filler_, random);
        pieces_ == 1
            ? lay_around(sheet, asked.front(), others, random)
            : lay_out(sheet, merge<Fact>({asked, shuffled(others, random)}, random), length - tail(), random);
        ask(sheet, asks_keys_ ? shuffled(asked, random) : asked);
        return sheet.take();
    }

  private:
    using Key = std::vector<Token>;

    Index width() const { return key_length_ + value_length_; }
    Index tail() const {
        return asks_keys_ ? pieces_ * (1 + width()) : 1 + key_length_ + pieces_ * value_length_;
    }

    void check() const {
        const std::string form = options_.text("form");
        const bool is_one = form == "single" || form == "multi_key";
        require(is_one ? pieces_ == 1 : pieces_ >= 2, "task needle: {} has {}, not pieces: {}", form,
                is_one ? "one piece" : "two pieces or more", pieces_);
        require(form != "single" || others_ == 0,
                "task needle: single has no distractors, not {}; multi_key has", others_);
        require(form != "multi_key" || others_ >= 1, "task needle: multi_key has one distractor or more");
        require(is_one || options_.number("depth") < 0, "task needle: depth belongs to one piece, not to {}",
                form);
        require(similarity_ < key_length_,
                "task needle: a distractor shares fewer than the {} symbols of a key with it, not {}",
                key_length_, similarity_);
        require(pieces_ < keys_.count, "task needle: {} pieces need more than {} symbols", pieces_,
                keys_.count);
    }

    std::vector<Key> draw_keys(RandomStream& random) const {
        std::vector<Key> keys;
        while (static_cast<Index>(keys.size()) < (asks_keys_ ? pieces_ : 1)) {
            Key key = pick(keys_, key_length_, random);
            if (std::count(keys.begin(), keys.end(), key) == 0) keys.push_back(std::move(key));
        }
        return keys;
    }

    // Another key: it has `similarity` symbols of one that is asked, in their places, and no more of them.
    Key distractor(const std::vector<Key>& keys, RandomStream& random) const {
        const Key& like = keys[static_cast<std::size_t>(draw_below(static_cast<Index>(keys.size()), random))];
        Key key;
        do {
            std::vector<Index> places = permutation(key_length_, random);
            places.resize(static_cast<std::size_t>(similarity_));
            key = like;
            for (Index i = 0; i < key_length_; ++i) {
                if (std::count(places.begin(), places.end(), i) > 0) continue;
                Token& symbol = key[static_cast<std::size_t>(i)];
                const Index step = 1 + draw_below(keys_.count - 1, random);
                symbol = keys_[(symbol - keys_.first + step) % keys_.count];
            }
        } while (std::count(keys.begin(), keys.end(), key) > 0);
        return key;
    }

    Fact needle(const Key& key, bool is_evidence, RandomStream& random) const {
        std::vector<Token> tokens = key;
        for (const Token symbol : pick(answers_, value_length_, random)) tokens.push_back(symbol);
        return {std::move(tokens), is_evidence};
    }

    static std::vector<Fact> shuffled(std::vector<Fact> facts, RandomStream& random) {
        shuffle(facts, random);
        return facts;
    }

    void lay_around(Sheet& sheet, const Fact& asked, const std::vector<Fact>& others,
                    RandomStream& random) const {
        const Index room = sheet.length() - tail();
        const Index place = draw_place(options_, room - width(), random);
        sheet.evidence(place, asked.tokens);
        const auto places = scatter_around(place, others_, width(), room, random);
        for (std::size_t i = 0; i < others.size(); ++i) sheet.write(places[i], others[i].tokens);
    }

    // One query with all values, in the order in which they stood, or a query for each.
    void ask(Sheet& sheet, const std::vector<Fact>& asked) const {
        Index place = sheet.length() - tail();
        for (std::size_t i = 0; i < asked.size(); ++i) {
            const std::span<const Token> key =
                std::span(asked[i].tokens).first(static_cast<std::size_t>(key_length_));
            if (i == 0 || asks_keys_) {
                sheet.write(place, query(key));
                place += 1 + key_length_;
            }
            sheet.answer(place, std::span(asked[i].tokens).subspan(key.size()));
            place += value_length_;
        }
    }

    Options options_;
    Index pieces_, others_, similarity_, key_length_, value_length_;
    bool asks_keys_;  // each piece by its own key, not all by one
    Alphabet keys_;
};

const bool needle_registered = TaskRegistry::instance().add(
    "needle",
    {.doc = "the value that stands with a key somewhere in filler (arXiv:2404.06654)",
     .options =
         {{.name = "form",
           .standard = std::string("single"),
           .doc =
               "single; multi_key, among distractors; multi_value, all of one key; multi_query, of several",
           .choices = {"single", "multi_key", "multi_value", "multi_query"}},
          {.name = "pieces",
           .standard = Index{1},
           .doc = "needles that are asked; two or more of multi_value and multi_query",
           .min = 1,
           .max = 1024},
          {.name = "distractors",
           .standard = Index{0},
           .doc = "needles of other keys",
           .min = 0,
           .max = 4096},
          {.name = "similarity",
           .standard = Index{0},
           .doc = "symbols that the key of a distractor shares with one that is asked",
           .min = 0,
           .max = 63},
          {.name = "key_length", .standard = Index{2}, .doc = "symbols of a key", .min = 1, .max = 64},
          {.name = "value_length", .standard = Index{1}, .doc = "symbols of a value", .min = 1, .max = 64},
          {.name = "symbols",
           .standard = Index{16},
           .doc = "different symbols of keys, and as many of values",
           .min = 2,
           .max = 4096},
          depth_option(),
          filler_option()},
     .make = [](const Options& options) { return std::make_unique<Needle>(options); }});

}  // namespace

}  // namespace locus
