#!/usr/bin/env bash
# under_mpi.sh N PROGRAM [argument ...]: runs a test program on N ranks of this machine, however many cores it has.
set -euo pipefail
ranks=$1
shift
launcher=${LOCUS_MPIEXEC:-mpirun}
if ! command -v "$launcher" >/dev/null; then
    echo "not run: $launcher is missing"
    exit 77
fi
# Open MPI's own words for "as root" and "more ranks than cores"; other launchers do not read them.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export LOCUS_TEST_RANKS=$ranks OMP_NUM_THREADS=1
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 # MPI libraries keep some memory to the end
exec "$launcher" -n "$ranks" "$@"
