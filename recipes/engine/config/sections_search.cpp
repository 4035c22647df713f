// The `search:` section: only a recipe that has one shows it when it is resolved.
#include "recipes/engine/config/sections.h"

namespace locus {

namespace {

using S = SearchOptions;

class SearchKeys {
  public:
    template <typename T, typename Read, typename Write>
    void add(const std::string& name, T S::*member, const std::string& doc, const KeyType& type,
             const Read& read, const Write& write) {
        keys_.custom(
            name, doc, type,
            [=](Draft& draft, const Value& value, const std::string& path) {
                draft.recipe.search.given = true;
                draft.recipe.search.*member = static_cast<T>(read(value, path));
            },
            [=](const Recipe& recipe) -> std::optional<Value> {
                if (!recipe.search.given) return std::nullopt;
                return write(recipe.search.*member);
            });
    }
    void count(const std::string& name, Index S::*member, Index min, const std::string& doc) {
        add(
            name, member, doc, integer_type(at_least(min)),
            [min](const Value& value, const std::string& path) {
                return read_integer(value, path, at_least(min));
            },
            [](Index number) { return Value::number(number); });
    }
    void number(const std::string& name, double S::*member, Range<double> range, const std::string& doc) {
        add(
            name, member, doc, number_type(range),
            [range](const Value& value, const std::string& path) { return read_number(value, path, range); },
            [](double number) { return Value::number(number); });
    }
    std::vector<Key> take() { return keys_.take(); }

  private:
    Keys<S> keys_{"search", &Recipe::search};
};

std::vector<Index> read_n_hats(const Value& value, const std::string& path) {
    std::vector<Index> numbers;
    for (const Value& item : read_list(value, path, "[0, 1, 2, 4]")) {
        const Index number = read_integer(item, path, at_least(0));
        if (numbers.empty() ? number != 0 : number <= numbers.back())
            refuse(item, path, "ascending numbers from 0");
        numbers.push_back(number);
    }
    return numbers;
}

}  // namespace

std::vector<Key> search_keys() {
    constexpr double unbounded = std::numeric_limits<double>::max();
    const std::vector<std::string> lists = {"long_factor", "short_factor"};
    SearchKeys keys;
    keys.number("factor", &S::factor, {1, unbounded, true, false}, "target length / original length");
    keys.add(
        "list", &S::list, "long_factor; or short_factor: recovery at the original length", choice_type(lists),
        [lists](const Value& value, const std::string& path) { return read_choice(value, path, lists); },
        [lists](FactorList list) { return Value::scalar(lists[static_cast<std::size_t>(list)]); });
    keys.count("population", &S::population, 1, "candidates of the first generation");
    keys.count("parents", &S::parents, 1, "the fittest, which stay");
    keys.count("mutations", &S::mutations, 0, "new candidates of an iteration from one parent");
    keys.count("crossovers", &S::crossovers, 0, "new candidates of an iteration from two parents");
    keys.count("iterations", &S::iterations, 1, "after the first generation");
    keys.number("probability", &S::probability, {0, 1, true, false}, "that a gene is drawn anew or crossed");
    keys.number("step", &S::step, {0, 1, true, false}, "of the grid of factors");
    keys.number("upper", &S::upper, {0, unbounded, true, false}, "greatest factor / target factor");
    keys.add("n_hat", &S::n_hat, "first positions that may keep the plain frequencies",
             {"list of integers", ">= 0"}, read_n_hats,
             [](const std::vector<Index>& numbers) { return Value::list(numbers); });
    keys.number("attention_factor", &S::attention_factor, {0, unbounded},
                "of every candidate; 0: sqrt(1 + ln s / ln L)");
    keys.count("windows", &S::windows, 1, "of split valid, on which candidates are compared");
    keys.count("test_windows", &S::test_windows, 1, "of split test, on which the best is judged");
    return keys.take();
}

}  // namespace locus
