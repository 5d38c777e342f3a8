#if canImport(Darwin)
  package import Darwin

  // What Linux and macOS spell differently, as Linux spells it. Not compiled on Linux, and not built on macOS yet.

  extension stat {
    /// When the content was changed last.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    package var st_mtim: timespec { st_mtimespec }
  }

  /// Writes what the system holds of a file to the disk.
  package func fdatasync(_ descriptor: Int32) -> Int32 {
    fcntl(descriptor, F_FULLFSYNC) == 0 ? 0 : fsync(descriptor)
  }

  /// The variables of the process's environment.
  package var environ: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> { _NSGetEnviron().pointee }
#endif
