#include "framework/io/run_log.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "framework/io/atomic_file.h"
#include "tests/framework/io/scratch.h"

namespace locus {
namespace {

StepRecord record_of(std::int64_t step, double seconds) {
    return {step, step * 8192, 5.0 / static_cast<double>(step), 1e-3, 0.1, seconds, 1234.5};
}

void write_steps(const std::filesystem::path& path, std::int64_t from, std::int64_t to) {
    RunLog log(path, from - 1);
    EXPECT_TRUE(log.warnings().empty());
    for (std::int64_t step = from; step <= to; ++step) {
        log.write(record_of(step, 0.5 * static_cast<double>(step - from + 1)));
    }
    log.flush();
}

TEST(RunLog, NumbersAreShortestAndReadBack) {
    const StepRecord record{7, 57344, 0.1 + 0.2, 1e-3, 1e300, 5.0, 1.0 / 3, 2.25};
    const std::string line = to_json_line(record);
    EXPECT_EQ(
        line,
        R"({"step":7,"tokens":57344,"loss":0.30000000000000004,"lr":0.001,"grad_norm":1e+300,"seconds":5,)"
        R"("tokens_per_second":0.3333333333333333,"valid_loss":2.25})");
    const auto json = nlohmann::json::parse(line);
    EXPECT_EQ(json.at("loss").get<double>(), 0.1 + 0.2);
    EXPECT_EQ(json.at("tokens_per_second").get<double>(), 1.0 / 3);
}

TEST(RunLog, NanAndInfinityAreNull) {
    const Scratch scratch;
    {
        RunLog log(scratch / "m.jsonl", 0);
        StepRecord record = record_of(1, 1);
        record.loss = std::numeric_limits<double>::quiet_NaN();
        record.grad_norm = -std::numeric_limits<double>::infinity();
        record.valid_loss = std::numeric_limits<double>::infinity();
        log.write(record);
    }
    const auto json = nlohmann::json::parse(read_file(scratch / "m.jsonl"));
    EXPECT_TRUE(json.at("loss").is_null());
    EXPECT_TRUE(json.at("grad_norm").is_null());
    EXPECT_TRUE(json.at("valid_loss").is_null());
    EXPECT_TRUE(std::isnan(read_run_log(scratch / "m.jsonl").at(0).loss));
}

TEST(RunLog, AResumedLogEqualsOneThatWasNeverStopped) {
    const Scratch scratch;
    write_steps(scratch / "straight.jsonl", 1, 20);
    for (const std::int64_t stop : {1, 3, 4, 7, 19, 20}) {
        const auto path = scratch / "resumed.jsonl";
        std::filesystem::remove(path);
        write_steps(path, 1,
                    std::min<std::int64_t>(stop + 5, 20));  // killed after its last checkpoint at `stop`
        write_steps(path, stop + 1, 20);
        EXPECT_EQ(read_file(path), read_file(scratch / "straight.jsonl")) << "stopped at " << stop;
    }
}

TEST(RunLog, SecondsGoOn) {
    const Scratch scratch;
    write_steps(scratch / "m.jsonl", 1, 4);
    RunLog log(scratch / "m.jsonl", 3);
    EXPECT_EQ(log.seconds_before(), 1.5);
    log.write(record_of(4, 10));
    const auto records = read_run_log(scratch / "m.jsonl");
    ASSERT_EQ(records.size(), 4U);
    EXPECT_EQ(records[3].seconds, 11.5);
    EXPECT_FALSE(records[3].valid_loss.has_value());
}

TEST(RunLog, AValidationThatWasNotFinishedIsMadeUpFor) {
    const Scratch scratch;
    const auto path = scratch / "m.jsonl";
    for (const std::int64_t steps : {1, 3}) {
        std::filesystem::remove(path);
        write_steps(path, 1, steps - 1);
        {
            RunLog log(path, steps - 1);
            StepRecord cut = record_of(steps, 2);
            cut.valid_loss = std::numeric_limits<double>::quiet_NaN();
            log.write(cut);
        }
        RunLog log(path, steps);
        ASSERT_TRUE(log.lacks_valid_loss());
        log.complete(1.25);
        EXPECT_FALSE(log.lacks_valid_loss());
        log.write(record_of(steps + 1, 1));
        const auto records = read_run_log(path);
        ASSERT_EQ(static_cast<std::int64_t>(records.size()), steps + 1);
        EXPECT_EQ(records[static_cast<std::size_t>(steps) - 1].valid_loss, 1.25);
        EXPECT_FALSE(RunLog(path, steps).lacks_valid_loss());
        EXPECT_FALSE(RunLog(path, steps + 1).lacks_valid_loss());
    }
}

TEST(RunLog, AHalfWrittenLastLineIsNoObstacle) {
    const Scratch scratch;
    write_steps(scratch / "m.jsonl", 1, 5);
    const std::string whole = read_file(scratch / "m.jsonl");
    for (std::size_t cut = 1; cut < 60; cut += 7) {
        write_file_atomically(scratch / "m.jsonl", std::string_view(whole).substr(0, whole.size() - cut));
        EXPECT_EQ(read_run_log(scratch / "m.jsonl").size(), 4U);
        write_steps(scratch / "m.jsonl", 5, 5);
        const auto records = read_run_log(scratch / "m.jsonl");
        ASSERT_EQ(records.size(), 5U);
        EXPECT_EQ(records[4].step, 5);
    }
}

TEST(RunLog, DoubledDamagedAndMissingLinesAreDealtWith) {
    const Scratch scratch;
    const auto line = [](std::int64_t step) { return to_json_line(record_of(step, 1)) + "\n"; };
    write_file_atomically(scratch / "m.jsonl",
                          line(1) + line(2) + line(2) + "{\"step\":\n" + line(4) + line(9));
    const RunLog log(scratch / "m.jsonl", 5);
    EXPECT_EQ(read_file(scratch / "m.jsonl"), line(1) + line(2) + line(4));
    ASSERT_EQ(log.warnings().size(), 3U);
    EXPECT_NE(log.warnings()[0].find("m.jsonl:4: is not a record"), std::string::npos);
    EXPECT_NE(log.warnings()[1].find("steps 3 to 3 are missing"), std::string::npos);
    EXPECT_NE(log.warnings()[2].find("steps 5 to 5 are missing"), std::string::npos);
}

TEST(RunLog, ANewRunBeginsAnEmptyLog) {
    const Scratch scratch;
    write_steps(scratch / "m.jsonl", 1, 5);
    const RunLog log(scratch / "m.jsonl", 0);
    EXPECT_EQ(read_file(scratch / "m.jsonl"), "");
    EXPECT_EQ(log.seconds_before(), 0);
}

TEST(RunLog, RefusesASkippedStepAndABadPlace) {
    const Scratch scratch;
    RunLog log(scratch / "m.jsonl", 0);
    log.write(record_of(1, 1));
    EXPECT_EQ(message_of(Failure::usage, [&] { log.write(record_of(3, 1)); }),
              "run log: step 3 follows 1, expected 2");
    message_of(Failure::usage, [&] { log.write(record_of(1, 1)); });
    const auto nowhere = scratch / "none" / "m.jsonl";
    EXPECT_EQ(message_of(Failure::storage, [&] { RunLog(nowhere, 0); }),
              "cannot write " + nowhere.string() + ": No such file or directory");
    write_file_atomically(scratch / "bad.jsonl", "{}\n");
    EXPECT_NE(message_of(Failure::storage, [&] { read_run_log(scratch / "bad.jsonl"); }).find("bad.jsonl:1:"),
              std::string::npos);
}

TEST(RunLog, AFullDiskIsOneClearLineAndTheHalfLineGoesLater) {
    const Scratch scratch;
    EXPECT_EQ(message_of(Failure::storage, [] { RunLog("/dev/full", 0); }),
              "/dev/full: cannot be read: it is not a file but a device");
    const auto path = scratch / "m.jsonl";
    const std::string expected = "cannot write " + path.string() + ": File too large";
    const bool right = with_file_limit(300, [&] {
        RunLog log(path, 0);
        try {
            for (std::int64_t step = 1;; ++step) log.write(record_of(step, 1));
        } catch (const Error& error) {
            return error.kind() == Failure::storage && error.what() == expected;
        }
    });
    EXPECT_TRUE(right);
    EXPECT_EQ(read_file(path).size(), 300U);
    const std::size_t whole = read_run_log(path).size();
    EXPECT_EQ(whole, 2U);
    const RunLog log(path, 2);
    EXPECT_TRUE(log.warnings().empty());
    EXPECT_EQ(read_run_log(path).size(), 2U);
}

}  // namespace
}  // namespace locus
