// How the engine's reports look: one line that is overwritten on a terminal, plain lines elsewhere.
#pragma once

#include <chrono>

#include "recipes/engine/reporter.h"

namespace locus {

/// Writes to stderr; a signal (SIGINT, SIGTERM, SIGUSR2) asks the work to save and leave.
class Terminal : public Reporter {
  public:
    /// One that does not speak only listens for signals: of several ranks, one prints.
    explicit Terminal(bool speaks = true);
    ~Terminal() override;

    void message(const std::string& line) override;
    void status(const std::string& line) override;
    bool stop() override;

  private:
    void clear_status();

    bool speaks_;
    bool interactive_;
    bool shown_ = false;
    std::chrono::steady_clock::time_point last_{};
};

}  // namespace locus
