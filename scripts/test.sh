#!/bin/bash
# Runs tests and says once more at the end what failed: a log of thousands of lines is often kept by its end only.
#
#   scripts/test.sh                  every test, by two processes at once
#   scripts/test.sh OPTION...        by `swift test` with these options
#
# Tests wait for disks and for other processes half of the time, and one process runs no more of them at once than there are
# cores. The whole log is in build/test.log.
set -uo pipefail
cd "$(dirname "$0")/.."
mkdir -p build
swift=${SWIFT:-swift}
# Arguments of cases may be documents that nest thousands of levels: a line shows their first 400 bytes.
# By lines, as two processes write at once; macOS has no stdbuf.
lines=$(command -v stdbuf > /dev/null && echo "stdbuf -oL")
# Two words, split on purpose.
# shellcheck disable=SC2086
shown() { LC_ALL=C $lines cut -b 1-400; }
if [ $# -gt 0 ]; then
  "$swift" test "$@" 2>&1 | tee build/test.log | shown
  status=${PIPESTATUS[0]}
else
  "$swift" build --build-tests || exit
  tests="$("$swift" build --show-bin-path)/mergewalkPackageTests.xctest"
  half() {
    NO_COLOR=1 "$tests" --testing-library swift-testing "--$1" '^(CLITests|PipelinesTests)\.' 2>&1 | tee "build/test-$1.log" | shown
    return "${PIPESTATUS[0]}"
  }
  half filter &
  half skip
  second=$?
  wait $!
  first=$?
  cat build/test-filter.log build/test-skip.log > build/test.log
  status=$((first != 0 ? first : second))
fi
if [ "$status" -ne 0 ]; then
  echo "What failed, from build/test.log:"
  LC_ALL=C grep -a -A 6 -E 'recorded an issue|error:|unexpected signal' build/test.log | LC_ALL=C cut -b 1-600 | tail -n 120
  LC_ALL=C grep -a -E '^✘ (Test|Suite) ' build/test.log | LC_ALL=C grep -av 'recorded' | LC_ALL=C cut -b 1-200 | tail -n 40
fi
exit "$status"
