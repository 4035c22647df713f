#include "framework/core/profile.h"

#include <algorithm>
#include <map>
#include <utility>

namespace locus {

namespace {

constexpr const char* idle_name = "idle";
constexpr const char* other_name = "other";

// The profile whose step runs. Workers read it within a job, which the mutex of Workers puts after the write.
Profile* running_profile = nullptr;

double seconds_between(TimeLedger::Clock::time_point begin, TimeLedger::Clock::time_point end) {
    return std::chrono::duration<double>(end - begin).count();
}

}  // namespace

double TimeLedger::take() {
    const Clock::time_point now = Clock::now();
    return seconds_between(std::exchange(mark_, now), now);
}

double TimeLedger::interrupt() {
    open_ += take();
    return std::exchange(open_, 0);
}

void TimeLedger::charge(const char* name, Row row) {
    const double seconds = open_ + take();
    open_ = 0;
    const auto same = [&](const Entry& entry) { return entry.name == name && entry.row == row; };
    auto entry = std::find_if(entries_.begin(), entries_.end(), same);
    if (entry == entries_.end()) entry = entries_.insert(entry, Entry{name, row});
    entry->seconds += seconds;
    ++entry->calls;
}

void ProfiledPart::begin(const char* name) {
    open_ = ledger_->interrupt();
    outer_ = std::exchange(ledger_->part_, name);
}

void ProfiledPart::end() {
    ledger_->charge(ledger_->part_, TimeLedger::Row::part);
    ledger_->part_ = outer_;
    ledger_->resume(open_);
}

void ProfiledPullback::begin() {
    ++ledger_->pullbacks_;
}

void ProfiledPullback::end() {
    if (--ledger_->pullbacks_ == 0) ledger_->charge(name_, TimeLedger::Row::backward);
}

Profile::Profile(int workers) {
    for (int worker = 0; worker < workers; ++worker) {
        ledgers_.push_back(std::make_unique<TimeLedger>());
        ledgers_.back()->entries_.reserve(64);
    }
}

void Profile::expect(std::int64_t steps) {
    warm_up_ = std::clamp<std::int64_t>(steps - 1, 0, 2);
    step_seconds_.reserve(static_cast<std::size_t>(std::max<std::int64_t>(steps, 0)));
}

Profile::Step::Step(Profile* profile) : profile_(profile) {
    if (profile_ == nullptr) return;
    if (profile_->seen_++ < profile_->warm_up_) {
        profile_ = nullptr;
        return;
    }
    TimeLedger& ledger = *profile_->ledgers_.front();
    running_profile = profile_;
    TimeLedger::current_ = &ledger;
    ledger.part_ = other_name;
    begin_ = ledger.mark_ = TimeLedger::Clock::now();
}

Profile::Step::~Step() {
    if (profile_ == nullptr) return;
    TimeLedger& ledger = *profile_->ledgers_.front();
    ledger.charge(other_name, TimeLedger::Row::part);
    profile_->step_seconds_.push_back(seconds_between(begin_, ledger.mark_));
    TimeLedger::current_ = nullptr;
    running_profile = nullptr;
}

TimeLedger* ProfiledWorker::enter(int worker) {
    if (worker == 0) return nullptr;
    TimeLedger* ledger = running_profile->ledgers_[static_cast<std::size_t>(worker)].get();
    ledger->mark_ = TimeLedger::Clock::now();
    TimeLedger::current_ = ledger;
    return ledger;
}

ProfileReport Profile::report() const {
    ProfileReport report;
    report.warm_up = std::min(warm_up_, seen_);
    report.step_seconds = step_seconds_;
    for (double seconds : step_seconds_) report.seconds += seconds;
    std::map<std::pair<bool, std::string>, ProfileRow> rows;
    for (const auto& ledger : ledgers_) {
        double busy = 0;
        for (const TimeLedger::Entry& entry : ledger->entries_) {
            if (entry.name == std::string_view(idle_name))
                continue;  // the rest of the time is that, and more
            busy += entry.seconds;
            const bool is_op = entry.row != TimeLedger::Row::part;
            const std::string name = is_op ? bare_function_name(entry.name) : entry.name;
            ProfileRow& row = rows[{is_op, name}];
            row.name = name;
            row.is_op = is_op;
            const bool back = entry.row == TimeLedger::Row::backward;
            (back ? row.backward : row.forward) += entry.seconds;
            (back ? row.backward_calls : row.calls) += entry.calls;
        }
        report.idle.push_back(report.seconds - busy);
    }
    for (auto& [key, row] : rows) report.rows.push_back(std::move(row));
    std::stable_sort(report.rows.begin(), report.rows.end(),
                     [](const ProfileRow& a, const ProfileRow& b) { return a.seconds() > b.seconds(); });
    return report;
}

std::string bare_function_name(const std::string& signature) {
    std::string text = signature;
    const std::string unnamed = "(anonymous namespace)::";
    if (const std::size_t at = text.find(unnamed); at != std::string::npos) text.erase(at, unnamed.size());
    text.erase(std::min(text.find('('), text.size()));
    const std::size_t colon = text.rfind(':'), space = text.rfind(' ');
    if (colon != std::string::npos && (space == std::string::npos || colon > space))
        return text.substr(colon + 1);
    return space == std::string::npos ? text : text.substr(space + 1);
}

}  // namespace locus
