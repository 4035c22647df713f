#include "framework/io/run_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

#include "framework/io/atomic_file.h"
#include "framework/io/json_file.h"

namespace locus {

namespace {

/// fmt prints the shortest form that reads back to the same double, in every locale.
std::string number_text(double value) {
    return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

double number_of(const nlohmann::json& value) {
    return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

/// The record of a line; nothing when it is not one.
std::optional<StepRecord> parse(std::string_view line) {
    try {
        const auto json = parse_json(line, "", Failure::storage);
        StepRecord record{json.at("step").get<std::int64_t>(),
                          json.at("tokens").get<std::int64_t>(),
                          number_of(json.at("loss")),
                          number_of(json.at("lr")),
                          number_of(json.at("grad_norm")),
                          number_of(json.at("seconds")),
                          number_of(json.at("tokens_per_second"))};
        if (json.contains("valid_loss")) record.valid_loss = number_of(json.at("valid_loss"));
        return record;
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    } catch (const Error&) {
        return std::nullopt;
    }
}

/// Calls `visit(line, number)` for each line that has its end.
template <typename Visit>
void each_line(std::string_view text, Visit visit) {
    std::int64_t line = 1;
    for (std::size_t end; (end = text.find('\n')) != std::string_view::npos; ++line) {
        visit(text.substr(0, end), line);
        text.remove_prefix(end + 1);
    }
}

}  // namespace

std::string to_json_line(const StepRecord& record) {
    std::string line = fmt::format(
        R"({{"step":{},"tokens":{},"loss":{},"lr":{},"grad_norm":{},"seconds":{},"tokens_per_second":{})",
        record.step, record.tokens, number_text(record.loss), number_text(record.lr),
        number_text(record.grad_norm), number_text(record.seconds), number_text(record.tokens_per_second));
    if (record.valid_loss) line += fmt::format(R"(,"valid_loss":{})", number_text(*record.valid_loss));
    return line + "}";
}

RunLog::RunLog(const std::filesystem::path& path, std::int64_t step) : path_(path) {
    std::error_code code;
    const std::string text = std::filesystem::exists(path, code) ? read_file(path) : "";
    const std::string kept = cut_back(text, step);
    if (kept != text) write_file_atomically(path, kept);
    open();
    last_ = step;
}

void RunLog::open() {
    if (file_ >= 0) ::close(file_);
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file_ < 0) refuse(errno);
}

void RunLog::complete(double valid_loss) {
    std::string text = read_file(path_);
    const std::size_t end = text.size() - 1, before = text.rfind('\n', end - 1);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    auto record = parse(std::string_view(text).substr(begin, end - begin));
    require(record && record->step == last_, Failure::storage, "{}: expected step {} in its last line",
            path_.string(), last_);
    record->valid_loss = valid_loss;
    text.resize(begin);
    write_file_atomically(path_, text + to_json_line(*record) + "\n");
    lacks_valid_loss_ = false;
    open();
}

RunLog::~RunLog() {
    if (file_ >= 0) ::close(file_);
}

std::string RunLog::cut_back(const std::string& text, std::int64_t step) {
    std::string kept;
    std::int64_t last = 0;
    each_line(text, [&](std::string_view line, std::int64_t place) {
        const auto record = parse(line);
        if (!record) {
            warnings_.push_back(fmt::format("{}:{}: is not a record and was removed", path_.string(), place));
            return;
        }
        if (record->step <= last || record->step > step) return;
        if (record->step != last + 1) {
            warnings_.push_back(
                fmt::format("{}: steps {} to {} are missing", path_.string(), last + 1, record->step - 1));
        }
        kept.append(line).push_back('\n');
        last = record->step;
        lacks_valid_loss_ = last == step && record->valid_loss && std::isnan(*record->valid_loss);
        if (std::isfinite(record->seconds)) seconds_before_ = record->seconds;
    });
    if (last < step) {
        warnings_.push_back(fmt::format("{}: steps {} to {} are missing", path_.string(), last + 1, step));
    }
    return kept;
}

void RunLog::write(StepRecord record) {
    require(record.step == last_ + 1, "run log: step {} follows {}, expected {}", record.step, last_,
            last_ + 1);
    record.seconds += seconds_before_;
    const std::string line = to_json_line(record) + "\n";
    // One call a line, as a rule: a kill leaves at most one half-written line, at the end.
    for (std::string_view rest = line; !rest.empty();) {
        const ssize_t written = ::write(file_, rest.data(), rest.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) refuse(errno);
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
    last_ = record.step;
}

void RunLog::flush() {
    if (::fsync(file_) != 0) refuse(errno);
}

void RunLog::refuse(int code) const {
    fail(Failure::storage, "cannot write {}: {}", path_.string(), std::generic_category().message(code));
}

std::vector<StepRecord> read_run_log(const std::filesystem::path& path) {
    std::vector<StepRecord> records;
    each_line(read_file(path), [&](std::string_view line, std::int64_t place) {
        const auto record = parse(line);
        require(record.has_value(), Failure::storage, "{}:{}: is not a record of a step", path.string(),
                place);
        records.push_back(*record);
    });
    return records;
}

}  // namespace locus
