// Generated tasks: items with a prompt, an answer that is right, and a form that holds no evidence for it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "data/vocabulary.h"
#include "framework/core/options.h"
#include "framework/core/random.h"
#include "framework/core/registry.h"

namespace locus {

/// Tokens begin .. begin + count of an item.
struct Stretch {
    Index begin = 0, count = 0;
    bool operator==(const Stretch&) const = default;
};

/// A prompt and its answers in one row, as a model reads them: an answer token is asked of all tokens before
/// it, those of earlier answers included.
struct TaskItem {
    std::vector<Token> tokens;      // [length]
    std::vector<Index> answers;     // places of the answer tokens, ascending; none is the first
    std::vector<Stretch> evidence;  // what has to be read, in the order in which it was put down
    std::vector<Token> without;     // [length]: the same row, but for the evidence
    bool operator==(const TaskItem&) const = default;
};

/// No item is of two parts.
enum class ItemPart { train, valid, test };

/// A task under given options. One file each in data/tasks/, which registers itself.
class Task {
  public:
    virtual ~Task() = default;

    const std::string& name() const { return name_; }
    const Vocabulary& vocabulary() const { return vocabulary_; }
    /// The tokens among which an answer token is.
    const Alphabet& answers() const { return answers_; }
    /// Tokens that say nothing; none of them occurs in evidence or query.
    const Alphabet& filler() const { return filler_; }

    /// Share of answer tokens that a guess gets right, drawn evenly from the answer set: what is left of an
    /// untrained model's argmax over that set.
    double chance() const { return 1 / static_cast<double>(answers_.count); }
    /// Share of the answer tokens of items of `length` that the best constant answer gets right.
    virtual double majority(Index length) const;

    /// An item has this many tokens at least.
    virtual Index shortest() const = 0;

    /// What makes two items the same, and decides of which part they are: all tokens but filler, unless the
    /// task names something that must not recur even among other tokens.
    virtual std::vector<Token> gist(const TaskItem& item) const;

    /// Draws an item of exactly `length` tokens. REQUIRES: length >= shortest().
    virtual TaskItem draw(Index length, RandomStream& random) const = 0;

  protected:
    Vocabulary vocabulary_;
    Alphabet answers_, filler_;

  private:
    friend std::unique_ptr<Task> make_task(const std::string& name, const Options& options);
    std::string name_;
};

/// What the registry holds of a task.
struct TaskEntry {
    std::string doc;  // one line: what is asked, and where it comes from
    std::vector<Option> options = {};
    /// Throws a usage Error for options that do not go together.
    std::function<std::unique_ptr<Task>(const Options&)> make;
};

using TaskRegistry = Registry<TaskEntry>;

/// Throws a usage Error for a task that is not known, and what the task throws.
std::unique_ptr<Task> make_task(const std::string& name, const Options& options);
std::unique_ptr<Task> make_task(const std::string& name);  // with the standard options

ItemPart part_of(const Task& task, const TaskItem& item);

/// Item `index` of a part: decided by seed, part and index, the same on every call. Throws a usage Error for
/// a length that the task does not fit in, a data Error where a part has no item of that length.
TaskItem draw_item(const Task& task, std::uint64_t seed, ItemPart part, Index index, Index length);

std::string name_of(ItemPart part);

}  // namespace locus
