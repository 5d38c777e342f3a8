#!/bin/sh
# Builds the fuzz targets of Tests/Fuzz and lets libFuzzer try inputs: scripts/fuzz.sh [SECONDS [TARGET...]]
#
# Each target gets SECONDS (60 when left out), one after the other; without names all of them run. Inputs that reach new
# code are kept in build/fuzz/TARGET; an input that breaks a rule is left in build/fuzz/findings, and the script fails in
# the end. Mend it, and keep the input as a test, or in Tests/Fuzz/Corpus/TARGET, which every run tries first.
#
# Beside the corpus, Tests/Fuzz/TARGET.dict has words of the format and Tests/Fuzz/TARGET.options more flags of libFuzzer.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
[ $# -eq 0 ] || shift
if [ $# -eq 0 ]; then
  for folder in Tests/Fuzz/Sources/fuzz-*; do set -- "$@" "${folder##*/fuzz-}"; done
fi
mkdir -p build/fuzz/findings
# Swift's own handler of traps would keep libFuzzer from leaving the input.
export SWIFT_BACKTRACE=enable=no
failed=
for target in "$@"; do
  swift build --package-path Tests/Fuzz --scratch-path .build/fuzz -c release --sanitize fuzzer \
    --product "fuzz-$target"
  mkdir -p "build/fuzz/$target" "Tests/Fuzz/Corpus/$target"
  flags="-max_len=4096 -rss_limit_mb=1024 -timeout=10 -print_final_stats=1"
  if [ -f "Tests/Fuzz/$target.dict" ]; then flags="$flags -dict=Tests/Fuzz/$target.dict"; fi
  if [ -f "Tests/Fuzz/$target.options" ]; then flags="$flags $(tr '\n' ' ' <"Tests/Fuzz/$target.options")"; fi
  echo "fuzz-$target: $seconds seconds"
  # The flags are words, split on purpose.
  # shellcheck disable=SC2086
  .build/fuzz/release/"fuzz-$target" -max_total_time="$seconds" $flags \
    -artifact_prefix="build/fuzz/findings/$target-" "build/fuzz/$target" "Tests/Fuzz/Corpus/$target" ||
    failed="$failed $target"
done
if [ -n "$failed" ]; then
  echo "findings in build/fuzz/findings:$failed" >&2
  exit 1
fi
