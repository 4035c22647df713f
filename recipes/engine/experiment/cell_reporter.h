// What a cell reports, with its place among the cells.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "recipes/engine/experiment/cell_queue.h"
#include "recipes/engine/run/reporter.h"

namespace locus {

/// Puts the cell's place and the time left for all cells in front of what a cell reports. Of a group, rank 0
/// speaks.
class CellReporter : public Reporter {
  public:
    CellReporter(Reporter& inner, CellQueue& queue, bool speaks, std::size_t cells, std::size_t to_do)
        : inner_(inner), queue_(queue), speaks_(speaks), cells_(cells), to_do_(to_do) {}

    void begin(std::size_t number) {
        number_ = number;
        begin_ = Clock::now();
    }
    void end() {
        spent_ += seconds_since(begin_);
        ++finished_;
    }
    void message(const std::string& line) override {
        if (speaks_) inner_.message(prefix() + line);
    }
    void status(const std::string& line) override {
        queue_.serve();
        if (!speaks_) return;
        std::string place = prefix();
        if (finished_ > 0) {  // the mean of the cells so far stands for those to come
            const double mean = spent_ / static_cast<double>(finished_);
            const double here =
                static_cast<double>(to_do_) / queue_.groups() - static_cast<double>(finished_);
            const double left = mean * std::max(0.0, here - 1) + std::max(0.0, mean - seconds_since(begin_));
            place = fmt::format("[{}/{}, all: {} left] ", number_, cells_, clock_text(left));
        }
        inner_.status(place + line);
    }
    bool stop() override {
        queue_.serve();
        return inner_.stop();
    }

  private:
    using Clock = std::chrono::steady_clock;
    static double seconds_since(Clock::time_point begin) {
        return std::chrono::duration<double>(Clock::now() - begin).count();
    }
    std::string prefix() const { return fmt::format("[{}/{}] ", number_, cells_); }

    Reporter& inner_;
    CellQueue& queue_;
    bool speaks_;
    std::size_t cells_, to_do_, number_ = 0, finished_ = 0;
    double spent_ = 0;
    Clock::time_point begin_ = Clock::now();
};

}  // namespace locus
