#include "tests/fuzz/harness.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>

namespace locus::test {

namespace {

constexpr unsigned patience = 60;           // seconds of a trial
constexpr std::size_t longest_line = 2000;  // bytes of a message

char trial[256] = "";  // that is under way, for the handler of a signal

// A crash or a trial without end: says which, as no assertion can. A sanitizer's report comes before it.
void say_trial(int signal) {
    [[maybe_unused]] const auto lost = ::write(STDERR_FILENO, trial, std::strlen(trial));
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void begin_trial(const std::string& name) {
    std::snprintf(trial, sizeof trial, "\nfuzz: stopped in %s\n", name.c_str());
    for (const int signal : {SIGALRM, SIGABRT, SIGSEGV, SIGBUS, SIGFPE}) std::signal(signal, say_trial);
    ::alarm(patience);
}

std::uint64_t number_of(const char* variable, std::uint64_t standard) {
    const char* text = std::getenv(variable);
    return text != nullptr ? std::strtoull(text, nullptr, 10) : standard;
}

std::string fault_of_message(const std::string& message, const std::string& place) {
    if (message.find(place) == std::string::npos)
        return "a message that does not name " + place + ": " + message;
    if (message.size() > longest_line) return fmt::format("a message of {} bytes", message.size());
    if (message.empty()) return "a message without a word";
    for (const char* library :
         {"type_error", "out_of_range", "std::", "basic_string", "unexpected", "exception", "yaml-cpp"})
        if (message.find(library) != std::string::npos) return "a message of a library: " + message;
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
    if (std::any_of(message.begin(), message.end(), is_control)) return "control bytes in: " + message;
    return "";
}

}  // namespace

std::string judge(const Subject& subject, const std::string& expected, const std::string& bytes,
                  Findings& counts) {
    try {
        const Outcome outcome = subject.use(bytes);
        ++(outcome.told.empty() ? counts.same : counts.told);
        if (!outcome.told.empty() || !subject.same_results || outcome.results == expected) return "";
        const auto differs =
            std::mismatch(outcome.results.begin(), outcome.results.end(), expected.begin(), expected.end());
        const auto at = static_cast<std::size_t>(
            std::max<std::ptrdiff_t>(differs.first - outcome.results.begin() - 40, 0));
        return fmt::format("other results, without a word: ...{}... instead of ...{}...",
                           outcome.results.substr(at, 100),
                           expected.substr(std::min(at, expected.size()), 100));
    } catch (const Error& error) {
        ++counts.refused;
        if (!subject.refusals.contains(error.kind()))
            return fmt::format("exit code {}: {}", static_cast<int>(error.kind()), error.what());
        return fault_of_message(error.what(), subject.place);
    } catch (const std::exception& error) {
        return fmt::format("unexpected: {}", error.what());
    }
}

Findings fuzz(const Subject& subject) {
    const std::uint64_t count = number_of("LOCUS_FUZZ_MUTATIONS", 400),
                        seed = number_of("LOCUS_FUZZ_SEED", 1);
    const std::string expected = subject.use(subject.intact).results;
    Findings findings;
    for (std::uint64_t i = 0; i < count; ++i) {
        const Mutation mutation = mutation_of(subject.intact, subject.is_text, seed, i);
        const std::string name = fmt::format("{} {} ({})", subject.name, i, mutation.what);
        begin_trial(name);
        const std::string fault = judge(subject, expected, mutation.bytes, findings);
        if (!fault.empty()) findings.lines.push_back(name + ": " + fault);
    }
    ::alarm(0);
    return findings;
}

void expect_sound(const Subject& subject) {
    const Findings findings = fuzz(subject);
    std::printf("%s: %d refused, %d told, %d with the results of the whole file\n", subject.name.c_str(),
                findings.refused, findings.told, findings.same);
    EXPECT_GT(findings.refused, 0) << subject.name << ": nothing was damaged";
    for (const std::string& line : findings.lines) ADD_FAILURE() << line;
}

}  // namespace locus::test
