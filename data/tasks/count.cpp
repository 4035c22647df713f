#include <algorithm>

#include "data/draws.h"
#include "data/fact_task.h"

namespace locus {

namespace {

class Count : public FactTask {
  public:
    explicit Count(const Options& options) : FactTask(options), pieces_(options.integer("pieces")) {
        answers_ = vocabulary_.add("s", options.integer("symbols"));
    }

    Index shortest() const override { return pieces_ + 2; }

    // Drawn until one symbol is ahead of all others: each is so as often as the others.
    TaskItem draw(Index length, RandomStream& random) const override {
        std::vector<Token> drawn;
        std::vector<Index> counts;
        do {
            drawn = pick(answers_, pieces_, random);
            counts.assign(static_cast<std::size_t>(answers_.count), 0);
            for (const Token symbol : drawn) ++counts[static_cast<std::size_t>(symbol - answers_.first)];
        } while (std::count(counts.begin(), counts.end(), *std::max_element(counts.begin(), counts.end())) >
                 1);
        std::vector<Fact> facts;
        for (const Token symbol : drawn) facts.push_back({{symbol}, true});
        Sheet sheet(length, filler_, random);
        lay_out(sheet, facts, length - 2, random);
        const Token most = answers_[std::max_element(counts.begin(), counts.end()) - counts.begin()];
        sheet.ask({&asks_, 1}, {&most, 1});
        return sheet.take();
    }

  private:
    Index pieces_;
};

const bool count_registered = TaskRegistry::instance().add(
    "count",
    {.doc = "the symbol that occurs most often, by one at least",
     .options = {{.name = "pieces",
                  .standard = Index{12},
                  .doc = "symbols among the filler",
                  .min = 1,
                  .max = 1 << 20},
                 {.name = "symbols", .standard = Index{4}, .doc = "different symbols", .min = 2, .max = 4096},
                 filler_option()},
     .make = [](const Options& options) { return std::make_unique<Count>(options); }});

}  // namespace

}  // namespace locus
