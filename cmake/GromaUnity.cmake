# Several sources compiled as one: a third of the time where nothing is optimised. tools/unity_groups.py says which fit
# together; an edit may change that.
option(GROMA_UNITY "Compile several sources as one, for trees in which nobody tries an edit" OFF)
find_program(GROMA_PYTHON python3 HINTS ${PROJECT_SOURCE_DIR}/.venv/bin)

# Most of what a test costs to compile is its headers. Small groups, so that an edit costs little.
option(GROMA_UNITY_TESTS "Compile several native tests as one" ON)
set(groma_tests_of_a_group 5)

# groma_unite(TARGET [TESTS]): all of its sources are known by now.
function(groma_unite target)
  set(most)
  if(NOT GROMA_UNITY)
    if(NOT GROMA_UNITY_TESTS OR NOT "TESTS" IN_LIST ARGN)
      return()
    endif()
    set(most --most ${groma_tests_of_a_group})
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  set(tool ${PROJECT_SOURCE_DIR}/tools/unity_groups.py)
  execute_process(COMMAND ${GROMA_PYTHON} ${tool} ${most} ${sources}
    OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" lines "${lines}")
  foreach(line IN LISTS lines)
    if(line MATCHES "^(.+)\t(.+)$")
      set_source_files_properties(${CMAKE_MATCH_2} PROPERTIES UNITY_GROUP ${CMAKE_MATCH_1})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # What is kept of a group fills the heap of GCC, which then looks for garbage in vain: a twelfth of its time, for a
  # fifth more memory. Not for what clang-tidy reads: it refuses the option.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=524288>)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${tool} ${sources})
endfunction()
