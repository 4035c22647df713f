// How the engine's reports look: one line that is overwritten on a terminal, plain lines elsewhere.
#pragma once

#include <chrono>

#include "recipes/engine/run/reporter.h"

namespace locus {

/// Writes to stderr; what cannot be written there is dropped.
class Terminal : public Reporter {
  public:
    /// Of several ranks one speaks.
    explicit Terminal(bool speaks = true);
    ~Terminal() override;

    void message(const std::string& line) override;
    void status(const std::string& line) override;

  private:
    void clear_status();

    bool speaks_;
    bool interactive_;
    bool shown_ = false;
    std::chrono::steady_clock::time_point last_{};
};

}  // namespace locus
