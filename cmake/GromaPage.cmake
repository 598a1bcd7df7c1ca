# The report page inside a wheel. Where it cannot be built, the wheel is made without it, unless GROMA_WITH_VIEWER=ON.
set(room "${CMAKE_CURRENT_BINARY_DIR}/page")
add_custom_target(groma-page ALL
  COMMAND ${CMAKE_COMMAND} "-DFROM=${PROJECT_SOURCE_DIR}/viewer" "-DTO=${room}/viewer"
    "-DNPM=${NPM}" "-DNODE=${NODE}" -DREQUIRED=${GROMA_CHOICE_VIEWER} -P "${PROJECT_SOURCE_DIR}/cmake/build_page.cmake"
  VERBATIM)
install(FILES "${room}/src/groma/report/assets/report.html" DESTINATION ${SKBUILD_PLATLIB_DIR}/groma/report/assets
  COMPONENT programs OPTIONAL)
