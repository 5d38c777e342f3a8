#!/bin/bash
# Runs tests and says once more at the end what failed: a log of thousands of lines is often kept by its end only.
#
#   scripts/test.sh [OPTION...]      options of `swift test`
#
# The whole log is in build/test.log.
set -uo pipefail
cd "$(dirname "$0")/.."
mkdir -p build
# Arguments of cases may be documents that nest thousands of levels: a line shows their first 400 bytes.
"${SWIFT:-swift}" test "$@" 2>&1 | tee build/test.log | LC_ALL=C cut -b 1-400
status=${PIPESTATUS[0]}
if [ "$status" -ne 0 ]; then
  echo "What failed, from build/test.log:"
  LC_ALL=C grep -a -A 6 -E 'recorded an issue|error:|unexpected signal' build/test.log | LC_ALL=C cut -b 1-600 | tail -n 120
  LC_ALL=C grep -a -E '^✘ (Test|Suite) ' build/test.log | LC_ALL=C grep -av 'recorded' | LC_ALL=C cut -b 1-200 | tail -n 40
fi
exit "$status"
