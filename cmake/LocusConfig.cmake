# find_package(Locus) for programs with encodings, ops or recipes of their own. Gives Locus::program (the command line,
# main() included), the engine's rooms (Locus::run, Locus::report, ...), Locus::encodings, Locus::models, Locus::train
# and the libraries below them.
# The calling project must have the language C enabled, too: FindHDF5 asks for it.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(fmt)
find_dependency(ZLIB)
find_dependency(nlohmann_json)
find_dependency(yaml-cpp)
find_dependency(cxxopts)
find_dependency(HDF5 COMPONENTS C)
set(MPI_CXX_SKIP_MPICXX ON)  # the C interface only
find_dependency(MPI COMPONENTS CXX)
find_dependency(PkgConfig)
pkg_check_modules(openblas REQUIRED IMPORTED_TARGET openblas)
pkg_check_modules(hwy REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
include(${CMAKE_CURRENT_LIST_DIR}/LocusTargets.cmake)
foreach(part core autodiff ops nn optim io distributed train models encodings data data_kinds
             statistics identity measure measures config evaluation report run card verify search experiment formats program)
  if(NOT TARGET Locus::${part})
    add_library(Locus::${part} ALIAS locus_${part})
  endif()
endforeach()
