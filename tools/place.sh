#!/usr/bin/env bash
# place.sh: refuses to build groma in a folder whose path something on the way cannot take: PATH (a colon), CMake
# (brackets, semicolon, #, |, < and >), options of the linker (a comma) or the first lines of Python's scripts (double
# quote, dollar, backtick, backslash). Spaces, apostrophes and unicode are taken.
set -euo pipefail
refused=':,;"$`\#|<>[]*?'
place=$(pwd -P && echo /) # the slash keeps line ends of the name
place=${place%$'\n'/}

refuse() { # WHAT
  printf 'setup: groma cannot be built in %q: its path has %s; rename the folder\n' "$place" "$1" >&2
  exit 2
}
is_utf8() { ! command -v iconv >/dev/null || printf %s "$1" | iconv -f UTF-8 -t UTF-8 >/dev/null 2>&1; }

is_utf8 "$place" || refuse "bytes that are not UTF-8"
[[ $place != *[[:cntrl:]]* ]] || refuse "a control character, for example a tab or a line end"
for ((i = 0; i < ${#refused}; i++)); do
  [[ $place != *"${refused:i:1}"* ]] || refuse "the character ${refused:i:1}"
done
# pip writes a path without a space unquoted into the scripts, as shell code where it is too long for a first line.
if [ "${#place}" -gt 100 ] && [[ $place != *" "* && $place == *[\'\&\(\)\{\}~!^]* ]]; then
  refuse "more than 100 characters, no space, and one of ' & ( ) { } ~ ! ^"
fi
