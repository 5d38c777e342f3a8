#if canImport(Darwin)
  package import Darwin

  // What Linux and macOS spell differently, under the names that Linux uses. Not built on macOS yet.

  extension stat {
    /// When the content was changed last.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    package var st_mtim: timespec { st_mtimespec }

    /// When the content or the properties were changed last.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    package var st_ctim: timespec { st_ctimespec }
  }

  /// Writes what the system holds of a file to the disk.
  package func fdatasync(_ descriptor: Int32) -> Int32 {
    fcntl(descriptor, F_FULLFSYNC) == 0 ? 0 : fsync(descriptor)
  }

  /// The variables of the process's environment.
  package var environ: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>! { _NSGetEnviron().pointee }
#endif
