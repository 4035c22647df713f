// A command on the ranks of an MPI job; without a launcher, on this process alone.
#pragma once

#include <functional>

#include "framework/distributed/communicator.h"
#include "framework/io/folder_lock.h"
#include "recipes/engine/run/reporter.h"
#include "scripts/commands/arguments.h"
#include "scripts/commands/commands.h"

namespace locus {

/// Whether these words of a command ask for work that ranks share; help and --dry-run are rank 0's alone.
bool is_shared(const Words& words);

/// Runs `work` on every rank and returns its exit code. What all ranks throw is printed once; what only some
/// throw is printed once and ends the job with its exit code. Alone, `work` throws to the caller.
int with_ranks(const Words& words, const std::function<int(const Communicator& world)>& work);

/// The lock of a folder in which a command works on a resolved recipe: rank 0 holds it. Where another process
/// has it, every rank throws a storage Error. Ranks that were given other words stop before: they must not
/// leave a folder behind.
FolderLock lock_of(const std::string& folder, const std::string& recipe, const Communicator& world,
                   Reporter& reporter);

/// Threads of this rank, by --threads or what is allowed; what there is to know about them goes to
/// `reporter`. All ranks call it.
int threads_of(const Arguments& arguments, const Communicator& world, Reporter& reporter);

}  // namespace locus
