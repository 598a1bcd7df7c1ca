# Traces: the list of calls as a table, and the tracer, whose wrappers are made from the header of this MPI.
set(groma_trace_made ${CMAKE_CURRENT_BINARY_DIR}/made)
set(groma_trace_table ${groma_trace_made}/trace/log/mpi_call_table.inc) # as sources include it
set(groma_trace_generator ${CMAKE_CURRENT_SOURCE_DIR}/trace/tracer/wrapper_generator)
file(GLOB groma_trace_generator_files CONFIGURE_DEPENDS ${groma_trace_generator}/*.py)
set(groma_trace_calls ${CMAKE_CURRENT_SOURCE_DIR}/trace/mpi_calls.txt)
file(MAKE_DIRECTORY ${groma_trace_made}/trace/log)
add_custom_command(OUTPUT ${groma_trace_table}
  COMMAND ${GROMA_PYTHON} -B ${groma_trace_generator} table ${groma_trace_calls} ${groma_trace_table}
  DEPENDS ${groma_trace_generator_files} ${groma_trace_calls} VERBATIM)
add_custom_target(groma_trace_table DEPENDS ${groma_trace_table})
add_library(groma_trace_log INTERFACE)
target_include_directories(groma_trace_log INTERFACE ${groma_trace_made})
add_dependencies(groma_trace_log groma_trace_table)

# Of the room counters, what the tracer needs.
set(groma_tracer_counters counter_set.cpp event.cpp papi.cpp reason.cpp system.cpp)

# groma_tracer(): libgroma-trace.so, which programs of this MPI preload. It links no MPI.
function(groma_tracer)
  set(header ${groma_trace_made}/mpi.i)
  set(wrappers ${groma_trace_made}/wrappers.cpp)
  file(WRITE ${groma_trace_made}/mpi.cpp.new "#include <mpi.h>\n")
  configure_file(${groma_trace_made}/mpi.cpp.new ${groma_trace_made}/mpi.cpp COPYONLY)
  set(folders $<TARGET_PROPERTY:MPI::MPI_CXX,INTERFACE_INCLUDE_DIRECTORIES>)
  add_custom_command(OUTPUT ${wrappers} BYPRODUCTS ${header}
    COMMAND ${CMAKE_CXX_COMPILER} -E -DOMPI_SKIP_MPICXX=1 -DMPICH_SKIP_MPICXX=1
      "$<$<BOOL:${folders}>:-I$<JOIN:${folders},;-I>>" ${groma_trace_made}/mpi.cpp -o ${header}
    COMMAND ${GROMA_PYTHON} -B ${groma_trace_generator} wrappers ${groma_trace_calls} ${header} ${wrappers}
    DEPENDS ${groma_trace_generator_files} ${groma_trace_calls} ${groma_trace_made}/mpi.cpp VERBATIM COMMAND_EXPAND_LISTS)
  file(GLOB sources CONFIGURE_DEPENDS trace/tracer/*.cpp)
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  list(TRANSFORM groma_tracer_counters PREPEND counters/ OUTPUT_VARIABLE counters)
  add_library(groma-trace MODULE ${sources} ${counters} ${wrappers})
  target_link_libraries(groma-trace PRIVATE groma_options groma_trace_log ${CMAKE_DL_LIBS})
  target_include_directories(groma-trace SYSTEM PRIVATE
    $<TARGET_PROPERTY:MPI::MPI_CXX,INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_definitions(groma-trace PRIVATE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
  # Any program may load it: nothing of it is seen but the wrappers, and it brings its C++.
  # What the MPI declares as obsolete is wrapped all the same, and called where older libraries of its ABI have no other.
  target_compile_options(groma-trace PRIVATE -fno-exceptions -fno-rtti -Wno-deprecated-declarations)
  target_link_options(groma-trace PRIVATE -static-libstdc++ -static-libgcc
    -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/trace/tracer/exports.map)
  set_source_files_properties(${wrappers} PROPERTIES COMPILE_OPTIONS -Wno-unused-parameter)
  set_source_files_properties(${counters} PROPERTIES COMPILE_OPTIONS "-fexceptions;-frtti")
  set_target_properties(groma-trace PROPERTIES CXX_CLANG_TIDY "" UNITY_BUILD OFF)
  install(TARGETS groma-trace DESTINATION lib COMPONENT mpi EXCLUDE_FROM_ALL)
  add_dependencies(groma-mpi groma-trace)
endfunction()
