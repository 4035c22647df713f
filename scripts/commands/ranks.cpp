#include "scripts/commands/ranks.h"
#include "scripts/commands/output.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <span>
#include <thread>

#include "framework/distributed/rank_errors.h"
#include "framework/io/checksum.h"

namespace locus {

namespace {

constexpr double patience = 2;  // seconds for the other ranks to fail alike, before the job is ended

// The lowest rank that failed speaks for all.
int report_failure(const Communicator& world, const Error& error) {
    const SharedFailure shared = share_failure(world, error, patience);
    if (shared.lowest) {
        std::fflush(stdout);
        tell("locus: {}\n", shared.message);
    } else if (!shared.everywhere) {
        std::this_thread::sleep_for(std::chrono::seconds(1));  // the lowest ends the job, unless it is gone
    }
    if (!shared.everywhere) world.abort(shared.code);
    return shared.code;
}

}  // namespace

bool is_shared(const Words& words) {
    return std::none_of(words.begin(), words.end(), [](const std::string& word) {
        return word == "--help" || word == "-h" || word == "--dry-run";
    });
}

int with_ranks(const Words& words, const std::function<int(const Communicator& world)>& work) {
    if (!is_shared(words)) return work({});
    const Session session;
    if (session.world().alone()) return work(session.world());
    try {
        return work(session.world());
    } catch (...) {
        return report_failure(session.world(), current_error());
    }
}

FolderLock lock_of(const std::string& folder, const std::string& recipe, const Communicator& world,
                   Reporter& reporter) {
    if (!world.alone()) require_alike(world, "recipe (XXH3)", checksum(recipe));
    FolderLock lock;
    on_root(world, [&] { lock = lock_folder(folder); });
    if (!lock.warning().empty()) reporter.message(lock.warning());
    return lock;
}

int threads_of(const Arguments& arguments, const Communicator& world, Reporter& reporter) {
    const ThreadChoice choice = arguments.threads(world.sharing_cores());
    for (const std::string& note : choice.notes) reporter.message(note);
    return choice.threads;
}

}  // namespace locus
