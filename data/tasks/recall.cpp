#include "data/draws.h"
#include "data/sheet.h"
#include "data/task.h"

namespace locus {

namespace {

// Steps of two tokens: a drawn symbol, and the symbol of `offset` steps before, a blank as long as there is
// none.
class Recall : public Task {
  public:
    explicit Recall(const Options& options) : offset_(options.integer("offset")) {
        filler_ = {vocabulary_.add("_"), 1};
        answers_ = vocabulary_.add("s", options.integer("symbols"));
    }

    Index shortest() const override { return 2 * (offset_ + 1); }

    TaskItem draw(Index length, RandomStream& random) const override {
        const Index steps = length / 2, first = length % 2;
        const std::vector<Token> drawn = pick(answers_, steps, random);
        Sheet sheet(length, filler_, random);
        for (Index step = 0; step < steps; ++step) {
            const Token other = pick(answers_, random);
            sheet.source(first + 2 * step, {&drawn[static_cast<std::size_t>(step)], 1}, {&other, 1});
            if (step >= offset_)
                sheet.answer(first + 2 * step + 1, drawn[static_cast<std::size_t>(step - offset_)]);
        }
        return sheet.take();
    }

  private:
    Index offset_;
};

const bool recall_registered = TaskRegistry::instance().add(
    "recall",
    {.doc = "at every step the symbol of a fixed number of steps before",
     .options =
         {{.name = "offset",
           .standard = Index{4},
           .doc = "steps back; a step is a symbol and an answer",
           .min = 0,
           .max = 1 << 20},
          {.name = "symbols", .standard = Index{16}, .doc = "different symbols", .min = 2, .max = 4096}},
     .make = [](const Options& options) { return std::make_unique<Recall>(options); }});

}  // namespace

}  // namespace locus
