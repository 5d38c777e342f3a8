#!/bin/bash
# Type-checks the branches for macOS on Linux, with a module Darwin that has the declarations of scripts/darwin. This finds
# misspelt names and wrong types in these branches; it does not replace a build on a Mac.
set -euo pipefail
cd "$(dirname "$0")/.."
swiftc=${SWIFTC:-swiftc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=(-swift-version 6 -package-name mergewalk -parse-as-library -I "$work" -enable-upcoming-feature InternalImportsByDefault
  -enable-upcoming-feature MemberImportVisibility -enable-upcoming-feature ExistentialAny -suppress-warnings)

module() {
  "$swiftc" "${flags[@]}" -emit-module -module-name "$1" -emit-module-path "$work/$1.swiftmodule" "${@:2}"
}

module Darwin scripts/darwin/Darwin.swift
printf 'module CMergewalkProcess { header "%s" export * }\n' "$PWD/Sources/CMergewalkProcess/include/CProcess.h" >"$work/module.modulemap"
module MergewalkSystem Sources/MergewalkSystem/*.swift
# All other files with such a branch, with the modules that they need.
module MergewalkDiagnostics Sources/MergewalkDiagnostics/*.swift
module MergewalkThreads Sources/MergewalkThreads/*.swift
"$swiftc" "${flags[@]}" -typecheck -module-name MergewalkRecordFormats Sources/MergewalkRecordFormats/Processes/ChildProcess.swift
checked='^Sources/(MergewalkSystem|MergewalkDiagnostics|MergewalkThreads|MergewalkRecordFormats/Processes)/'
if others=$(grep -rlE '#if.*(canImport\(Darwin\)|os\(macOS\))' Sources --include='*.swift' | grep -vE "$checked"); then
  echo "$0: has a branch for macOS, and is not checked here: $others" >&2
  exit 1
fi
# Names that only Linux has, outside of the files that were checked above.
linux='posix_fadvise|fallocate|copy_file_range|sendfile|epoll_\w+|eventfd|signalfd|timerfd_\w+|inotify_\w+|renameat2|statx|prctl|gettid'
linux+='|memrchr|mempcpy|secure_getenv|malloc_trim|mallopt|CLOCK_BOOTTIME|MSG_NOSIGNAL|MAP_POPULATE|sync_file_range|memfd_create'
linux+='|close_range|sigtimedwait|__rusage_who_t|O_PATH|mremap|pipe2|accept4|syncfs|sched_getaffinity'
if others=$(grep -rnE "\b($linux)\(?\b" Sources --include='*.swift' | grep -vE "$checked|:[0-9]+: *//"); then
  echo "$0: macOS does not have this: $others" >&2
  exit 1
fi
echo "the branches for macOS type-check"
