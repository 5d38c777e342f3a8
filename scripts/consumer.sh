#!/bin/bash
# Builds and runs the package in Tests/Consumer, which depends on Mergewalk from outside: as those who use it do.
set -euo pipefail
cd "$(dirname "$0")/.."
unset MERGEWALK_PLUGINS
scratch=$PWD/.build-consumer
"${SWIFT:-swift}" run --package-path Tests/Consumer --scratch-path "$scratch" Consumer
# It does not use the macros, so it does not build what they need.
# SwiftPM plans it all the same, so that folders without objects are there.
built=$(find "$scratch/debug/" -path '*/SwiftSyntax*' -name '*.o' | head -n 1)
if [ -n "$built" ]; then
  echo "swift-syntax was built for a package that uses no macros: $built" >&2
  exit 1
fi
