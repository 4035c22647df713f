#include "data/draws.h"
#include "data/fact_task.h"

namespace locus {

namespace {

// The symbols are noise and answer at once; triggers are none of them, so that only what follows the trigger
// is evidence.
class Induction : public Task {
  public:
    explicit Induction(const Options& options) : options_(options) {
        triggers_ = vocabulary_.add("t", options.integer("triggers"));
        answers_ = vocabulary_.add("s", options.integer("symbols"));
    }

    Index shortest() const override { return 4; }

    TaskItem draw(Index length, RandomStream& random) const override {
        const Token trigger = pick(triggers_, random), symbol = pick(answers_, random);
        Sheet sheet(length, answers_, random);
        const std::vector<Token> seen = {trigger, symbol};
        sheet.evidence(draw_place(options_, length - 4, random), seen);
        sheet.ask({&trigger, 1}, {&symbol, 1});
        return sheet.take();
    }

  private:
    Options options_;
    Alphabet triggers_;
};

const bool induction_registered = TaskRegistry::instance().add(
    "induction", {.doc = "what followed a symbol when it came before (arXiv:2209.11895, arXiv:2312.00752)",
                  .options = {{.name = "symbols",
                               .standard = Index{16},
                               .doc = "different symbols of the row",
                               .min = 2,
                               .max = 4096},
                              {.name = "triggers",
                               .standard = Index{8},
                               .doc = "symbols one of which comes twice, and no other at all",
                               .min = 1,
                               .max = 4096},
                              depth_option()},
                  .make = [](const Options& options) { return std::make_unique<Induction>(options); }});

}  // namespace

}  // namespace locus
