import ArgumentParser

/// The exit codes of every command.
enum ExitStatus {
  /// All records were imported; lint and verify found no error.
  static let success = ExitCode(0)
  /// Finished with rejects inside the limits; lint or verify found errors.
  static let findings = ExitCode(1)
  /// Could not run; the store was not touched.
  static let failure = ExitCode(2)
  /// Too many rejects: the whole run was rolled back and the store is as before.
  static let limitBreached = ExitCode(3)
}
