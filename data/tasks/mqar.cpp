#include "data/draws.h"
#include "data/fact_task.h"

namespace locus {

namespace {

// Pairs of a key and its value, then each key once more, in a drawn order and at drawn places, with its value
// as the answer.
class Mqar : public FactTask {
  public:
    explicit Mqar(const Options& options) : FactTask(options), pairs_(options.integer("pairs")) {
        keys_ = vocabulary_.add("k", options.integer("keys"));
        answers_ = vocabulary_.add("v", options.integer("values"));
        require(pairs_ <= keys_.count, "task mqar: {} pairs need {} different keys, there are {}", pairs_,
                pairs_, keys_.count);
    }

    Index shortest() const override { return 4 * pairs_; }

    TaskItem draw(Index length, RandomStream& random) const override {
        std::vector<std::vector<Token>> pairs;
        for (const Token key : pick_distinct(keys_, pairs_, random))
            pairs.push_back({key, pick(answers_, random)});
        Sheet sheet(length, filler_, random);
        for (Index i = 0; i < pairs_; ++i) sheet.evidence(2 * i, pairs[static_cast<std::size_t>(i)]);
        shuffle(pairs, random);
        const auto places = scatter(pairs_, 2, length - 2 * pairs_, random);
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            sheet.write(2 * pairs_ + places[i], pairs[i][0]);
            sheet.answer(2 * pairs_ + places[i] + 1, pairs[i][1]);
        }
        return sheet.take();
    }

  private:
    Index pairs_;
    Alphabet keys_;
};

const bool mqar_registered = TaskRegistry::instance().add(
    "mqar",
    {.doc = "associative recall of many queries: the values of keys that are asked later (arXiv:2312.04927)",
     .options = {{.name = "pairs",
                  .standard = Index{8},
                  .doc = "of a key and its value; each is asked once",
                  .min = 1,
                  .max = 4096},
                 {.name = "keys", .standard = Index{64}, .doc = "different keys", .min = 1, .max = 65536},
                 {.name = "values", .standard = Index{64}, .doc = "different values", .min = 2, .max = 65536},
                 filler_option()},
     .make = [](const Options& options) { return std::make_unique<Mqar>(options); }});

}  // namespace

}  // namespace locus
