#include "framework/distributed/rank_errors.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <new>
#include <optional>
#include <string_view>
#include <thread>

#include "framework/core/profile.h"

namespace locus {

namespace {

constexpr int failure_tag = 2;

// "5 text" of a failed rank, "" of the others.
std::string packed(const std::optional<Error>& error) {
    return error ? fmt::format("{} {}", static_cast<int>(error->kind()), error->what()) : "";
}

[[noreturn]] void throw_shared(const std::vector<std::string>& words) {
    const auto first =
        std::find_if(words.begin(), words.end(), [](const auto& word) { return !word.empty(); });
    const std::size_t space = first->find(' ');
    const auto kind = static_cast<Failure>(std::stoi(first->substr(0, space)));
    const std::string message = first->substr(space + 1);
    if (std::all_of(words.begin(), words.end(), [&](const auto& word) { return word == *first; }))
        throw Error(kind, message);
    throw Error(kind,
                of_rank(static_cast<int>(first - words.begin()), static_cast<int>(words.size()), message));
}

// Travels from each rank that failed to each other.
struct FailureNote {
    int code = 0;
    std::array<char, 2000> text{};

    explicit FailureNote(const Error& error) : code(static_cast<int>(error.kind())) {
        const std::string_view what(error.what());
        std::copy_n(what.begin(), std::min(what.size(), text.size() - 1), text.begin());  // a zero ends it
    }
    FailureNote() = default;
    bool operator==(const FailureNote&) const = default;
};

}  // namespace

std::string of_rank(int rank, int size, const std::string& message) {
    return fmt::format("rank {} of {}: {}", rank, size, message);
}

Error current_error() {
    try {
        throw;
    } catch (const Error& error) {
        return error;
    } catch (const std::bad_alloc&) {
        return Error(Failure::storage, "not enough memory");
    } catch (const std::exception& error) {
        return Error(Failure::storage, fmt::format("unexpected: {}", error.what()));
    }
}

void on_every_rank(const Communicator& group, const std::function<void()>& job) {
    if (group.alone()) return job();
    std::optional<Error> error;
    try {
        job();
    } catch (...) {
        error = current_error();
    }
    bool failed = false;
    {
        const ProfiledPart waiting("wait for ranks");  // what they have more to do
        failed = group.any(error.has_value());
    }
    if (failed) throw_shared(group.gather(packed(error)));
}

void on_root(const Communicator& group, const std::function<void()>& job) {
    on_every_rank(group, [&] {
        if (group.is_root()) job();
    });
}

void require_alike(const Communicator& group, const std::string& what, const std::string& own) {
    if (group.alone()) return;
    const std::vector<std::string> all = group.gather(own);
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
        require(all[rank] == all[0],
                "{}: expected the same on all ranks, found '{}' on rank 0 and '{}' on rank {}", what, all[0],
                all[rank], rank);
    }
}

SharedFailure share_failure(const Communicator& group, const Error& error, double seconds) {
    const FailureNote own(error);
    std::map<int, FailureNote> notes{{group.rank(), own}};
    for (int rank = 0; rank < group.size(); ++rank) {
        if (rank != group.rank()) group.post(rank, failure_tag, std::as_bytes(std::span(&own, 1)));
    }
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (static_cast<int>(notes.size()) < group.size() && std::chrono::steady_clock::now() < deadline) {
        FailureNote note;
        const int sender = group.try_fetch(failure_tag, std::as_writable_bytes(std::span(&note, 1)));
        if (sender < 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        else
            notes[sender] = note;
    }
    const auto& [rank, first] = *notes.begin();
    const bool everywhere = static_cast<int>(notes.size()) == group.size();
    const bool alike = everywhere && std::all_of(notes.begin(), notes.end(),
                                                 [&](const auto& entry) { return entry.second == first; });
    const std::string text = first.text.data();
    return {everywhere, rank == group.rank(), alike ? text : of_rank(rank, group.size(), text), first.code};
}

}  // namespace locus
