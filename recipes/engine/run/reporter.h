#pragma once

#include <string>

#include "framework/core/stop.h"

namespace locus {

/// Where the engine says what it is doing. The command line decides how it looks.
class Reporter {
  public:
    virtual ~Reporter() = default;
    virtual void message(const std::string& line) = 0;  // stays
    virtual void status(const std::string& line) = 0;   // replaces the last status
    virtual bool stop() { return stop_requested(); }    // true: save and leave
};

/// "1:05" or "2:03:04"
std::string clock_text(double seconds);

/// "152 k" or "1.2 M": two or three digits
std::string short_count(double value);

}  // namespace locus
