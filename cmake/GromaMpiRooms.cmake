# What runs under MPI: the rooms mpi, survey/network and hpcc, their programs, and their tests. NAME_test.cpp
# needs no MPI; NAME_mpi_test.cpp is run on 1, 2, 3, 4 and 6 ranks, RandomAccess on 5, 7, 8 and 12 as well.
add_custom_target(groma-mpi COMMENT "programs that run under MPI")

# groma_leave_out(FOLDER): nothing in it is compiled, for lack of what it needs.
function(groma_leave_out folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  set_source_files_properties(${sources} PROPERTIES HEADER_FILE_ONLY ON)
endfunction()

# groma_mpi_program(NAME source room…): installed once for each MPI.
function(groma_mpi_program name source)
  groma_program(${name} ${source} base mpi ${ARGN})
  install(TARGETS ${name} DESTINATION ${GROMA_PROGRAM_DIR} COMPONENT mpi EXCLUDE_FROM_ALL)
  add_dependencies(groma-mpi ${name})
endfunction()

groma_room(mpi)
target_link_libraries(groma_mpi PUBLIC MPI::MPI_CXX)
groma_room(survey/network)
target_link_libraries(groma_network PUBLIC groma_mpi)
set(mpi_rooms mpi network)
groma_mpi_program(groma-network programs/groma_network.cpp network)
if(GROMA_HAS_BLAS)
  groma_room(hpcc)
  target_link_libraries(groma_hpcc PUBLIC groma_mpi groma_blas)
  if(GROMA_HAS_FFTW)
    target_link_libraries(groma_hpcc PUBLIC PkgConfig::FFTW)
  else()
    groma_leave_out(hpcc/fft)
  endif()
  list(APPEND mpi_rooms hpcc)
  groma_mpi_program(groma-hpcc programs/groma_hpcc.cpp hpcc)
  groma_mpi_program(groma-randomaccess programs/groma_randomaccess.cpp hpcc)
endif()

# Sanitizers multiply the time of a test; that of threads sees one process at a time, so that more ranks show it
# nothing new. MPI leaves memory to the end of the process.
set(rank_counts 1 2 3 4 6)
set(random_access_counts 5 7 8 12)
set(sanitizer_environment)
if(GROMA_SANITIZE)
  set(rank_counts 1 2 3)
  if(GROMA_SANITIZE STREQUAL thread)
    set(rank_counts 1 2)
  endif()
  set(random_access_counts)
  set(sanitizer_environment "ASAN_OPTIONS=detect_leaks=0")
endif()

# groma_mpi_test(RANKS [ARGUMENT…]): environment instead of flags, so that one line suits every launcher.
function(groma_mpi_test ranks)
  add_test(NAME mpi-${ranks}-ranks COMMAND ${MPIEXEC_EXECUTABLE} -n ${ranks} $<TARGET_FILE:groma-mpi-tests> ${ARGN})
  set_tests_properties(mpi-${ranks}-ranks PROPERTIES
    TIMEOUT 300 PROCESSORS 2
    ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_rmaps_base_oversubscribe=1;OMPI_MCA_mpi_yield_when_idle=1;OMPI_MCA_btl_vader_single_copy_mechanism=none;PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe;OPENBLAS_NUM_THREADS=1;${sanitizer_environment}")
endfunction()

if(GROMA_HAS_TESTS)
  file(GLOB_RECURSE plain CONFIGURE_DEPENDS mpi/*_test.cpp survey/network/*_test.cpp hpcc/*_test.cpp)
  set(together ${plain})
  list(FILTER plain EXCLUDE REGEX "_mpi_test\\.cpp$")
  list(FILTER together INCLUDE REGEX "_mpi_test\\.cpp$")
  list(TRANSFORM mpi_rooms PREPEND groma_ OUTPUT_VARIABLE libraries)
  list(APPEND libraries groma_base)

  if(plain)
    add_executable(groma-hpcc-tests ${plain})
    target_link_libraries(groma-hpcc-tests PRIVATE ${libraries} GTest::gtest_main)
    target_precompile_headers(groma-hpcc-tests PRIVATE ${groma_usual_headers} <gtest/gtest.h>)
    groma_add_tests(groma-hpcc-tests)
  endif()
  add_executable(groma-mpi-tests programs/mpi_tests.cpp programs/polite_waiting.cpp ${together})
  target_link_libraries(groma-mpi-tests PRIVATE ${libraries} GTest::gtest)
  target_precompile_headers(groma-mpi-tests PRIVATE ${groma_usual_headers} <gtest/gtest.h>)
  add_custom_target(groma-mpi-all DEPENDS groma-mpi groma-mpi-tests $<TARGET_NAME_IF_EXISTS:groma-hpcc-tests>)
  foreach(ranks IN LISTS rank_counts)
    groma_mpi_test(${ranks})
  endforeach()
  foreach(ranks IN LISTS random_access_counts)
    groma_mpi_test(${ranks} --gtest_filter=RandomAccessAlgorithms.AllGiveTheTable*)
  endforeach()
endif()
