// What one rank throws, all ranks throw: nobody is left waiting.
#pragma once

#include <functional>
#include <string>

#include "framework/core/error.h"
#include "framework/distributed/communicator.h"

namespace locus {

/// Runs `job` on every rank of the group. Where it throws on some rank, every rank throws an Error of the
/// kind of the lowest such rank, with its reason, and with its number unless all failed alike. REQUIRES:
/// `job` calls nothing of the group where it may throw on some ranks only.
void on_every_rank(const Communicator& group, const std::function<void()>& job);

/// The same for work that rank 0 does alone, such as writing files.
void on_root(const Communicator& group, const std::function<void()>& job);

/// Throws, on every rank, unless all have the same text: `what` says of what.
void require_alike(const Communicator& group, const std::string& what, const std::string& own);

/// Kind and line of the exception that is being handled.
Error current_error();

/// How an error is told where it happened on `rank` of a group.
std::string of_rank(int rank, int size, const std::string& message);

/// Who else failed.
struct SharedFailure {
    bool everywhere = false;  // every rank of the group failed and says so
    bool lowest = false;      // this rank is the lowest of those that failed: it reports
    std::string message;      // of the lowest rank, with its number unless all failed alike
    int code = 0;             // of the lowest rank
};

/// To be called by a rank that gives up its work with `error`, where the others may or may not do the same:
/// waits up to `seconds` for their word.
SharedFailure share_failure(const Communicator& group, const Error& error, double seconds);

}  // namespace locus
