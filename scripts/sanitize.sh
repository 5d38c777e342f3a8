#!/bin/bash
# Runs tests under a sanitizer, in a build of their own: those that have threads under `thread`, those of readers under
# `address`. Fails when a test fails or the sanitizer finds something.
#
#   scripts/sanitize.sh thread|thread-readers|address
#
# `address` runs the tests that SCALAR_TESTS matches once more without vector instructions; the Makefile names them.
# `thread-readers` has the threads below the import layer only: it builds in minutes, so CI runs it.
set -euo pipefail
cd "$(dirname "$0")/.."
kind=${1:?thread, thread-readers or address}
sanitizer=${kind%-readers}
case $kind in
  # Whatever waits for another thread, and runs that are cut short.
  thread | thread-readers) wanted='ThreadsTests|StorePagesTests|Split|Ahead|Prefetch|BatchChannel|LeftReader|ContainerTests|AsyncFetch|RunMonitor' ;;
  # Everything that looks at bytes from outside. Memory is measured without the sanitizer's own.
  address)
    wanted='BytesTests|RecordFormatsTests'
    # The frames of functions are many times larger, and documents may be 512 levels deep.
    ulimit -s 65536 ;;
  *) echo "thread, thread-readers or address, not $kind" >&2; exit 2 ;;
esac
export MERGEWALK_SANITIZE=$kind
export TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1:suppressions=$PWD/scripts/thread.suppressions"
# Of each allocation four callers are kept: with thirty, they take a third of the tests' time. To see more of
# where freed memory came from, set malloc_context_size in ASAN_OPTIONS.
export ASAN_OPTIONS="detect_leaks=0:detect_stack_use_after_return=0:malloc_context_size=4:quarantine_size_mb=64:${ASAN_OPTIONS:-}"
# Optimized: the tests of readers take a minute, not a quarter of an hour.
build=(--sanitize "$sanitizer" --scratch-path ".build-$kind" -c release -Xswiftc -enable-testing)
"${SWIFT:-swift}" build --build-tests "${build[@]}"
tests() { "${SWIFT:-swift}" test --skip-build "${build[@]}" --filter "$1" --skip 'Memory|Bomb|Endless|small batches'; }
tests "$wanted"
if [ "$kind" = address ] && [ -n "${SCALAR_TESTS:-}" ]; then MERGEWALK_SCAN=none tests "$SCALAR_TESTS"; fi
