// The C library under one name on every platform: all other files import this module, so that only this one names
// Glibc or Darwin. Where the two differ, Darwin.swift and the functions below hide it.

#if canImport(Darwin)
  @_exported public import Darwin
#else
  @_exported public import Glibc
#endif

/// The greatest resident set of the process so far, in bytes.
///
/// Source: `getrusage(2)`; `ru_maxrss` counts KiB on Linux and bytes on macOS.
package func peakResidentBytes() -> Int {
  var usage = rusage()
  #if canImport(Darwin)
    getrusage(RUSAGE_SELF, &usage)
    return usage.ru_maxrss
  #else
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss * 1024
  #endif
}
