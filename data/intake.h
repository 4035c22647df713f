// What the building of a corpus took and what it left out, by kind.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "framework/core/scalar.h"

namespace locus {

/// A tally for people and for records. Nothing that lies among the inputs is passed over without an entry.
class Intake {
  public:
    /// Notes that `name` was taken as `kind` ("text", "JSON lines in gzip").
    void take(const std::string& kind, const std::string& name, std::uint64_t bytes);

    /// Notes that `name` was left out for `why` ("empty", "a JPEG image").
    void leave_out(const std::string& why, const std::string& name, std::uint64_t bytes = 0);

    /// What the person who builds should look at, a line each.
    void note(const std::string& line) { notes_.push_back(line); }

    Index left_out() const;

    /// "taken: 40 x text (a.txt, b.txt, ...), 31.2 MB", "left out: 1 x empty (c.txt), ...", then the notes.
    std::vector<std::string> lines() const;

    /// "1 x empty (c.txt), 2 x hidden (...)"
    std::string what_was_left_out() const;

    /// taken[{kind, files, bytes, first}], left_out[{kind, files, bytes, first}], notes[]
    nlohmann::json record() const;

  private:
    struct Group {
        std::string kind;
        Index files = 0;
        std::uint64_t bytes = 0;
        std::vector<std::string> first;  // names, a few
    };

    static void add(std::vector<Group>& groups, const std::string& kind, const std::string& name,
                    std::uint64_t bytes);
    static std::string list(const std::vector<Group>& groups);
    static nlohmann::json record(const std::vector<Group>& groups);

    std::vector<Group> taken_, left_out_;
    std::vector<std::string> notes_;
};

/// "31.2 MB": bytes in units of a thousand.
std::string size_text(std::uint64_t bytes);

}  // namespace locus
