# The report page for a wheel, built in a copy: the sources may be read-only.
file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/viewer/*)
list(FILTER page_sources EXCLUDE REGEX "/(node_modules|dist|e2e)/")
set(copy ${CMAKE_CURRENT_BINARY_DIR}/viewer)
set(page ${CMAKE_CURRENT_BINARY_DIR}/src/groma/report/assets/report.html)
add_custom_command(
  OUTPUT ${page}
  COMMAND ${CMAKE_COMMAND} -DFROM=${PROJECT_SOURCE_DIR}/viewer -DTO=${copy} -P ${PROJECT_SOURCE_DIR}/cmake/copy_page.cmake
  COMMAND ${CMAKE_COMMAND} -E chdir ${copy} ${NPM} ci --no-audit --no-fund --loglevel=error
  COMMAND ${CMAKE_COMMAND} -E chdir ${copy} ${NPM} run --silent build
  DEPENDS ${page_sources}
  VERBATIM)
add_custom_target(groma-page ALL DEPENDS ${page})
install(FILES ${page} DESTINATION ${SKBUILD_PLATLIB_DIR}/groma/report/assets COMPONENT programs)
