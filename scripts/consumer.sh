#!/bin/bash
# Builds and runs the package in Tests/Consumer, which depends on Mergewalk from outside: as those who use it do.
set -euo pipefail
cd "$(dirname "$0")/.."
"${SWIFT:-swift}" run --package-path Tests/Consumer --scratch-path .build_consumer Consumer
