# Finds MPI. One that is a Python package (tools/mpi_wheels.sh) is known by its folder: FindMPI splits what a compiler
# wrapper says at spaces, and drops apostrophes.
get_filename_component(prefix "${MPI_CXX_COMPILER}" DIRECTORY)
get_filename_component(prefix "${prefix}" DIRECTORY)
if(NOT EXISTS "${prefix}/../../pyvenv.cfg")
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI QUIET COMPONENTS CXX)
elseif(EXISTS "${prefix}/lib/libmpi.so" AND EXISTS "${prefix}/include/mpi.h")
  add_library(MPI::MPI_CXX INTERFACE IMPORTED)
  target_include_directories(MPI::MPI_CXX INTERFACE "${prefix}/include")
  target_compile_definitions(MPI::MPI_CXX INTERFACE MPICH_SKIP_MPICXX OMPI_SKIP_MPICXX)
  target_link_libraries(MPI::MPI_CXX INTERFACE "${prefix}/lib/libmpi.so")
  # An installed program has no other way to its libraries; CMake drops those of its own.
  target_link_options(MPI::MPI_CXX INTERFACE "SHELL:-Xlinker -rpath -Xlinker \"${prefix}/lib\"")
  set(MPI_CXX_FOUND ON)
endif()
