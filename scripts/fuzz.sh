#!/bin/sh
# Builds the fuzz targets and lets libFuzzer try inputs for some seconds each: scripts/fuzz.sh [SECONDS]
#
# Inputs that reach new code are kept in build/fuzz; an input that breaks a rule is left in build/fuzz/findings and
# makes the script fail. Mend it, and keep the input as a test in Tests/ObjectModelTests/Predicates.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
swift build --package-path Tests/Fuzz --scratch-path .build/fuzz -c release --sanitize fuzzer --product fuzz-predicates
mkdir -p build/fuzz/predicates build/fuzz/findings
.build/fuzz/release/fuzz-predicates -max_total_time="$seconds" -timeout=5 -rss_limit_mb=2048 -max_len=400 \
  -dict=Tests/Fuzz/predicates.dict -artifact_prefix=build/fuzz/findings/predicates- -print_final_stats=1 \
  build/fuzz/predicates Tests/Fuzz/Corpus/predicates
