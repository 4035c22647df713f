#include "data/draws.h"
#include "data/fact_task.h"

namespace locus {

namespace {

// Keys whose values are written over again and again, each as often as the others; asked is the last value of
// one.
class Update : public FactTask {
  public:
    explicit Update(const Options& options)
        : FactTask(options), pieces_(options.integer("pieces")), others_(options.integer("distractors")) {
        keys_ = vocabulary_.add("k", options.integer("keys"));
        answers_ = vocabulary_.add("v", options.integer("values"));
        require(others_ < keys_.count, "task update: {} distractors and the key need {} keys, there are {}",
                others_, others_ + 1, keys_.count);
        require(pieces_ <= answers_.count,
                "task update: {} pieces need as many different values, there are {}", pieces_,
                answers_.count);
    }

    Index shortest() const override { return 2 * pieces_ * (others_ + 1) + 3; }

    TaskItem draw(Index length, RandomStream& random) const override {
        const std::vector<Token> keys = pick_distinct(keys_, others_ + 1, random);
        std::vector<std::vector<Fact>> histories;
        for (const Token key : keys) {
            histories.emplace_back();
            for (const Token value : pick_distinct(answers_, pieces_, random))
                histories.back().push_back({{key, value}, key == keys.front()});
        }
        Sheet sheet(length, filler_, random);
        lay_out(sheet, merge(histories, random), length - 3, random);
        sheet.ask(query(keys.front()), {&histories.front().back().tokens.back(), 1});
        return sheet.take();
    }

  private:
    Index pieces_, others_;
    Alphabet keys_;
};

const bool update_registered = TaskRegistry::instance().add(
    "update",
    {.doc = "the last of the values that a key was given (arXiv:2506.08184)",
     .options = {{.name = "pieces",
                  .standard = Index{3},
                  .doc = "values that a key is given, all different",
                  .min = 1,
                  .max = 4096},
                 {.name = "distractors",
                  .standard = Index{2},
                  .doc = "other keys, which are given as many",
                  .min = 0,
                  .max = 4096},
                 {.name = "keys", .standard = Index{16}, .doc = "different keys", .min = 1, .max = 65536},
                 {.name = "values", .standard = Index{16}, .doc = "different values", .min = 2, .max = 65536},
                 filler_option()},
     .make = [](const Options& options) { return std::make_unique<Update>(options); }});

}  // namespace

}  // namespace locus
