# Bundles the page in a copy of FROM at TO (sources may be read-only); it lands at TO/../src/groma/report/assets. What
# is at TO is replaced if it was made here.
set(marker "${TO}/.made-by-groma")
if(EXISTS "${TO}" AND NOT EXISTS "${marker}")
  message(FATAL_ERROR "'${TO}' was not made by groma, so nothing is written there; build in another folder")
endif()
file(REMOVE_RECURSE "${TO}")
file(WRITE "${marker}" "")
file(COPY "${FROM}/" DESTINATION "${TO}" PATTERN node_modules EXCLUDE PATTERN dist EXCLUDE)
execute_process(
  COMMAND "${NPM}" ci --omit=dev --no-audit --no-fund --loglevel=error
  COMMAND_ECHO NONE OUTPUT_QUIET WORKING_DIRECTORY "${TO}" RESULT_VARIABLE failed)
if(NOT failed)
  execute_process(COMMAND "${NODE}" scripts/build.mjs WORKING_DIRECTORY "${TO}" RESULT_VARIABLE failed)
endif()
if(failed AND REQUIRED STREQUAL ON)
  message(FATAL_ERROR "the report page could not be built")
elseif(failed)
  message(WARNING "the report page could not be built (is there internet for npm?); groma report will ask for it")
endif()
