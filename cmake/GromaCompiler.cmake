# Language level, flags and instruments of all native code.
option(GROMA_NATIVE_ARCH "Compile for this machine's processor only; kernels choose at run time anyway" OFF)
option(GROMA_WARNINGS_AS_ERRORS "Stop at warnings, as the checks do" OFF)
set(GROMA_SANITIZE "" CACHE STRING "Sanitizers, separated by commas, e.g. address,undefined")

if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build" FORCE)
  endif()
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  find_program(CCACHE ccache)
  if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # Precompiled headers are cached only so. Trees of one clone, and of other clones, share what they compile alike.
    # By dependencies: no preprocessor is run for what is not in the cache.
    set(base_folder CCACHE_BASEDIR=${PROJECT_SOURCE_DIR})
    if(PROJECT_SOURCE_DIR MATCHES "[ #$\\]")
      set(base_folder) # ccache leaves names with escapes as another clone has them; all is then compiled again each time
    endif()
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
      ${base_folder} CCACHE_DEPEND=1 ${CCACHE})
    add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>
      "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>" -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
  endif()
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

# groma_keep_runpath(LIBRARY FOLDER): what links LIBRARY looks in FOLDER once it is installed, too; CMake drops the
# folders that it notes itself.
function(groma_keep_runpath library folder)
  target_link_options(${library} INTERFACE "SHELL:-Xlinker -rpath -Xlinker \"${folder}\"")
endfunction()

# Every native target links this.
add_library(groma_options INTERFACE)
target_include_directories(groma_options INTERFACE ${PROJECT_SOURCE_DIR}/native ${PROJECT_SOURCE_DIR}/include)
target_compile_options(groma_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion)
if(NOT GROMA_UNITY) # where a local name may be one of another file
  target_compile_options(groma_options INTERFACE -Wshadow)
endif()
if(GROMA_WARNINGS_AS_ERRORS)
  target_compile_options(groma_options INTERFACE -Werror)
endif()
if(GROMA_NATIVE_ARCH)
  target_compile_options(groma_options INTERFACE -march=native)
endif()
if(GROMA_SANITIZE)
  # Left out: what checks every access once more that the address sanitizer checks, at a quarter of the build's time.
  target_compile_options(groma_options INTERFACE -fsanitize=${GROMA_SANITIZE} -fno-sanitize=null,alignment,object-size,vptr
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(groma_options INTERFACE -fsanitize=${GROMA_SANITIZE})
endif()

string(TOUPPER "${CMAKE_BUILD_TYPE}" _kind)
set(GROMA_RECORDED_FLAGS "${CMAKE_BUILD_TYPE} ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${_kind}}")
if(GROMA_NATIVE_ARCH)
  string(APPEND GROMA_RECORDED_FLAGS " -march=native")
endif()
string(REGEX REPLACE " +" " " GROMA_RECORDED_FLAGS "${GROMA_RECORDED_FLAGS}")
