// The MPI job that this test program runs in: under_mpi.sh starts it on several ranks; alone it has one.
#pragma once

#include "framework/distributed/communicator.h"

namespace locus {

/// All ranks of the job.
const Communicator& world();

}  // namespace locus
