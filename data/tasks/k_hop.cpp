#include <algorithm>

#include "data/draws.h"
#include "data/fact_task.h"

namespace locus {

namespace {

// A chain of assignments, `x0 v`, `x1 x0`, `x2 x1`; asked is the value of its last name. The other chains are
// of the same kind and share no name with it.
class KHop : public FactTask {
  public:
    explicit KHop(const Options& options)
        : FactTask(options),
          hops_(options.integer("hops")),
          chains_(options.integer("distractors") + 1),
          order_(options.text("order")) {
        names_ = vocabulary_.add("x", options.integer("names"));
        answers_ = vocabulary_.add("v", options.integer("values"));
        require(hops_ * chains_ <= names_.count,
                "task k_hop: {} chains of {} hops need {} different names, there are {}", chains_, hops_,
                hops_ * chains_, names_.count);
    }

    Index shortest() const override { return 2 * hops_ * chains_ + 3; }

    TaskItem draw(Index length, RandomStream& random) const override {
        const std::vector<Token> names = pick_distinct(names_, hops_ * chains_, random);
        const std::vector<Token> values = pick(answers_, chains_, random);
        std::vector<std::vector<Fact>> chains;
        for (Index chain = 0; chain < chains_; ++chain) {
            Token known = values[static_cast<std::size_t>(chain)];
            std::vector<Fact> facts;
            for (Index hop = 0; hop < hops_; ++hop) {
                const Token name = names[static_cast<std::size_t>(chain * hops_ + hop)];
                facts.push_back({{name, known}, chain == 0});
                known = name;
            }
            chains.push_back(ordered(std::move(facts), random));
        }
        Sheet sheet(length, filler_, random);
        lay_out(sheet, merge(chains, random), length - 3, random);
        sheet.ask(query(names[static_cast<std::size_t>(hops_ - 1)]), {values.data(), 1});
        return sheet.take();
    }

  private:
    std::vector<Fact> ordered(std::vector<Fact> facts, RandomStream& random) const {
        if (order_ == "reverse") std::reverse(facts.begin(), facts.end());
        if (order_ == "shuffled") shuffle(facts, random);
        return facts;
    }

    Index hops_, chains_;
    std::string order_;
    Alphabet names_;
};

const bool k_hop_registered = TaskRegistry::instance().add(
    "k_hop",
    {.doc = "the value of a name that others stand for, by a chain of assignments (arXiv:2404.06654)",
     .options = {{.name = "hops",
                  .standard = Index{2},
                  .doc = "assignments from the value to the name that is asked",
                  .min = 1,
                  .max = 4},
                 {.name = "order",
                  .standard = std::string("forward"),
                  .doc = "of a chain's assignments: forward, the value first; reverse; shuffled",
                  .choices = {"forward", "reverse", "shuffled"}},
                 {.name = "distractors",
                  .standard = Index{1},
                  .doc = "other chains of as many hops",
                  .min = 0,
                  .max = 1024},
                 {.name = "names", .standard = Index{32}, .doc = "different names", .min = 1, .max = 65536},
                 {.name = "values", .standard = Index{16}, .doc = "different values", .min = 2, .max = 65536},
                 filler_option()},
     .make = [](const Options& options) { return std::make_unique<KHop>(options); }});

}  // namespace

}  // namespace locus
