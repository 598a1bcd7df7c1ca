# How native tests are given to CTest.
include(GoogleTest)

# groma_add_tests(TARGET): each test of its own. Under a sanitizer in four parts: to start a process costs more there
# than most tests do.
function(groma_add_tests target)
  if(NOT GROMA_SANITIZE)
    gtest_discover_tests(${target} DISCOVERY_TIMEOUT 60)
    return()
  endif()
  foreach(part RANGE 3)
    add_test(NAME ${target}-${part} COMMAND ${target})
    set_tests_properties(${target}-${part} PROPERTIES ENVIRONMENT "GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${part}")
  endforeach()
endfunction()
