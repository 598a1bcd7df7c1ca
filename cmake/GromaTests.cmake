# How native tests are given to CTest.
include(GoogleTest)

# Records that Python makes, for the tests that require them.
add_test(NAME test-data COMMAND ${GROMA_PYTHON} ${PROJECT_SOURCE_DIR}/tools/test_data.py)
set_tests_properties(test-data PROPERTIES FIXTURES_SETUP test-data)

# A test runs once: less time to compile it is worth more than its own speed. Tests of what runs under MPI compute long
# references on many ranks.
set(groma_test_options $<$<CONFIG:Release>:-O0>)
if(GROMA_HAS_MPI)
  set(groma_test_options $<$<CONFIG:Release>:-O1>)
endif()

add_custom_target(groma-tests COMMENT "all native tests, and nothing else")

# groma_keep_tests_with_threads(LIST): drops all other tests from the variable LIST.
function(groma_keep_tests_with_threads list)
  execute_process(COMMAND ${GROMA_PYTHON} ${PROJECT_SOURCE_DIR}/tools/tests_with_threads.py ${CMAKE_CURRENT_SOURCE_DIR}
    OUTPUT_VARIABLE with_threads COMMAND_ERROR_IS_FATAL ANY)
  foreach(source IN LISTS ${list})
    file(RELATIVE_PATH name ${CMAKE_CURRENT_SOURCE_DIR} ${source})
    if(NOT source MATCHES "_test\\.cpp$" OR with_threads MATCHES "(^|\n)${name}\n")
      list(APPEND kept ${source})
    endif()
  endforeach()
  set(${list} ${kept} PARENT_SCOPE)
endfunction()

# groma_tests(TARGET source…): a program of tests.
function(groma_tests target)
  set(sources ${ARGN})
  if(GROMA_SANITIZE STREQUAL thread) # which has nothing to say of the others
    groma_keep_tests_with_threads(sources)
  endif()
  add_executable(${target} ${sources})
  target_compile_options(${target} PRIVATE ${groma_test_options})
  target_precompile_headers(${target} REUSE_FROM groma_usual_tests)
  groma_unite(${target} TESTS)
  add_dependencies(groma-tests ${target})
endfunction()

# groma_add_tests(TARGET [PROPERTY VALUE]…): each test of its own. Under a sanitizer in four parts: to start a process
# costs more there than most tests do.
function(groma_add_tests target)
  if(NOT GROMA_SANITIZE)
    gtest_discover_tests(${target} DISCOVERY_TIMEOUT 60 PROPERTIES ${ARGN})
    return()
  endif()
  foreach(part RANGE 3)
    add_test(NAME ${target}-${part} COMMAND ${target})
    set_tests_properties(${target}-${part} PROPERTIES ENVIRONMENT "GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${part}" ${ARGN})
  endforeach()
endfunction()
