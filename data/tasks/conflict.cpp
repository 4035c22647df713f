#include "data/draws.h"
#include "data/fact_task.h"

namespace locus {

namespace {

enum Verdict { consistent, conflict, absent };

// Two facts about each of a few keys, which agree or do not. Where the key that is asked is absent, another
// one has its two facts, so that the number of facts tells nothing.
class Conflict : public FactTask {
  public:
    explicit Conflict(const Options& options) : FactTask(options), others_(options.integer("distractors")) {
        keys_ = vocabulary_.add("k", options.integer("keys"));
        values_ = vocabulary_.add("v", options.integer("values"));
        answers_ = {vocabulary_.add("CONSISTENT"), 3};
        vocabulary_.add("CONFLICT");
        vocabulary_.add("ABSENT");
        require(others_ + 2 <= keys_.count,
                "task conflict: {} distractors, the key and one in its place need {} keys, there are {}",
                others_, others_ + 2, keys_.count);
    }

    Index shortest() const override { return 4 * (others_ + 1) + 3; }

    TaskItem draw(Index length, RandomStream& random) const override {
        const std::vector<Token> keys = pick_distinct(keys_, others_ + 2, random);
        const auto verdict = static_cast<Verdict>(draw_below(3, random));
        std::vector<Fact> facts;
        for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
            const bool is_asked = i == 0 && verdict != absent;
            const bool agree = is_asked ? verdict == consistent : random.below(2) == 0;
            const Token key = i == 0 && verdict == absent ? keys.back() : keys[i];
            const std::vector<Token> values = pick_distinct(values_, 2, random);
            facts.push_back({{key, values[0]}, is_asked});
            facts.push_back({{key, values[agree ? 0 : 1]}, is_asked});
        }
        shuffle(facts, random);
        Sheet sheet(length, filler_, random);
        lay_out(sheet, facts, length - 3, random);
        const Token answer = answers_[verdict];
        sheet.ask(query(keys.front()), {&answer, 1});
        return sheet.take();
    }

  private:
    Index others_;
    Alphabet keys_, values_;
};

const bool conflict_registered = TaskRegistry::instance().add(
    "conflict",
    {.doc = "whether two facts about a key agree, disagree, or are not there at all",
     .options = {{.name = "distractors",
                  .standard = Index{2},
                  .doc = "other keys, with two facts each",
                  .min = 0,
                  .max = 4096},
                 {.name = "keys", .standard = Index{16}, .doc = "different keys", .min = 2, .max = 65536},
                 {.name = "values", .standard = Index{16}, .doc = "different values", .min = 2, .max = 65536},
                 filler_option()},
     .make = [](const Options& options) { return std::make_unique<Conflict>(options); }});

}  // namespace

}  // namespace locus
