// What an MPI launcher (mpirun, mpiexec, srun) says in the environment, before MPI is asked.
#pragma once

namespace locus {

/// The place of this process in a launcher's job.
struct Launch {
    bool present = false;  // false: started by hand
    int rank = 0;
    int size = 0;  // 0: the launcher does not say
    // srun has started several tasks that MPI knows nothing of: each would do the whole work.
    bool without_mpi = false;
};

/// Reads the variables of Open MPI, PMIx (srun --mpi=pmix) and PMI (MPICH, Intel MPI, srun --mpi=pmi2). Those
/// of a batch system alone (SLURM_PROCID 0 of a batch script, or of a step of one task) are no launch. Throws
/// a usage Error for what is no number.
Launch launch_of_environment();

}  // namespace locus
