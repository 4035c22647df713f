#include "data/generator.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "framework/core/error.h"
#include "framework/core/random.h"

namespace locus {

namespace {

using namespace std::string_view_literals;

// The lists are part of every result on this corpus: never change or reorder them.
constexpr std::array first_names = {"Ada"sv,   "Basil"sv,  "Clara"sv, "Dorothy"sv, "Edgar"sv,   "Flora"sv,
                                    "Giles"sv, "Hester"sv, "Ivor"sv,  "Julia"sv,   "Kenneth"sv, "Lydia"sv,
                                    "Miles"sv, "Nora"sv,   "Oscar"sv, "Phoebe"sv};
constexpr std::array last_names = {"Ashby"sv, "Barrow"sv, "Carver"sv,  "Dale"sv,   "Ellis"sv, "Farrow"sv,
                                   "Grove"sv, "Hale"sv,   "Ingram"sv,  "Jessop"sv, "Keats"sv, "Lowe"sv,
                                   "Marsh"sv, "Norris"sv, "Orchard"sv, "Penrose"sv};
constexpr std::array nouns = {"baker"sv,  "captain"sv,  "dog"sv,     "farmer"sv,   "gardener"sv, "horse"sv,
                              "judge"sv,  "lamp"sv,     "letter"sv,  "merchant"sv, "miller"sv,   "painter"sv,
                              "sailor"sv, "stranger"sv, "teacher"sv, "widow"sv};
constexpr std::array adjectives = {"anxious"sv, "bright"sv, "careful"sv, "dark"sv, "empty"sv,   "gentle"sv,
                                   "heavy"sv,   "kind"sv,   "little"sv,  "old"sv,  "patient"sv, "quiet"sv,
                                   "sudden"sv,  "tall"sv,   "weary"sv,   "young"sv};
constexpr std::array verbs = {"admired"sv, "answered"sv, "carried"sv, "crossed"sv, "feared"sv, "followed"sv,
                              "found"sv,   "helped"sv,   "left"sv,    "missed"sv,  "passed"sv, "praised"sv,
                              "saw"sv,     "sought"sv,   "trusted"sv, "watched"sv};
constexpr std::array places = {"bridge"sv, "church"sv, "field"sv,   "garden"sv, "harbour"sv, "hill"sv,
                               "house"sv,  "market"sv, "mill"sv,    "river"sv,  "road"sv,    "school"sv,
                               "shore"sv,  "stable"sv, "village"sv, "wood"sv};
constexpr std::array prepositions = {"at"sv, "behind"sv, "beyond"sv,  "by"sv,
                                     "in"sv, "near"sv,   "outside"sv, "past"sv};
constexpr std::array times = {"At noon"sv,        "Before winter"sv,   "In the evening"sv, "In those days"sv,
                              "Many years ago"sv, "On the next day"sv, "That morning"sv,   "Towards night"sv};

/// A fact that was told and will be told again.
struct Fact {
    std::string name;
    std::uint64_t number;
    std::size_t due;  // place in the text from which on it is repeated
};

class Writer {
  public:
    Writer(std::uint64_t seed, Index index)
        : stream_(seed, Purpose::generator, {static_cast<std::uint64_t>(index)}) {}

    std::string write(std::size_t length) {
        while (text_.size() < length) {
            add_sentence();
            text_ += stream_.below(7) == 0 ? "\n\n" : " ";
        }
        text_.resize(length);
        return std::move(text_);
    }

  private:
    template <std::size_t N>
    std::string_view pick(const std::array<std::string_view, N>& words) {
        return words[stream_.below(N)];
    }

    void add_sentence() {
        const auto due = std::find_if(facts_.begin(), facts_.end(),
                                      [&](const Fact& fact) { return fact.due <= text_.size(); });
        if (due != facts_.end()) {
            text_ += fmt::format("As was said, the number of {} is {}.", due->name, due->number);
            facts_.erase(due);
        } else if (stream_.below(6) == 0) {
            add_fact();
        } else {
            add_story();
        }
    }

    void add_fact() {
        Fact fact{full_name(), 10000 + stream_.below(90000), 0};
        while (is_open(fact.name)) fact.name = full_name();
        text_ += fmt::format("The number of {} is {}.", fact.name, fact.number);
        const std::uint64_t octave = std::uint64_t{128} << stream_.below(6);
        fact.due = text_.size() + octave + stream_.below(octave);
        facts_.push_back(std::move(fact));
    }

    // Word by word and in separate statements: the order in which arguments are evaluated is not fixed.
    void add_story() {
        const std::uint64_t shape = stream_.below(4);
        if (shape == 0) text_ += std::string(pick(times)) + " the ";
        if (shape == 1) text_ += full_name() + " and the ";
        if (shape >= 2) text_ += "The ";
        add_noun();
        add_deed();
        if (shape == 3) {
            text_ += ", but the ";
            add_noun();
            add_deed();
        }
        text_ += '.';
    }

    void add_noun() {
        if (stream_.below(2) == 0) add(pick(adjectives)), text_ += ' ';
        add(pick(nouns));
    }

    void add_deed() {
        text_ += ' ';
        add(pick(verbs));
        text_ += " the ";
        add_noun();
        if (stream_.below(2) == 0) return;
        text_ += ' ';
        add(pick(prepositions));
        text_ += " the ";
        add(pick(places));
    }

    void add(std::string_view word) { text_ += word; }

    std::string full_name() {
        std::string name(pick(first_names));
        name += ' ';
        return name += pick(last_names);
    }

    bool is_open(const std::string& name) const {
        return std::any_of(facts_.begin(), facts_.end(), [&](const Fact& fact) { return fact.name == name; });
    }

    RandomStream stream_;
    std::string text_;
    std::vector<Fact> facts_;
};

}  // namespace

std::string generate_document(std::uint64_t seed, Index index, Index length) {
    require(index >= 0 && length >= 0, "generator: index {} and length {} must be 0 or more", index, length);
    return Writer(seed, index).write(static_cast<std::size_t>(length));
}

}  // namespace locus
