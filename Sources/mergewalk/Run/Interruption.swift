import CMergewalkCommand

/// SIGINT, SIGTERM and SIGHUP: before a run has begun they end the process with exit code 4; then the first asks the
/// run to stop behind its batch, and a second SIGINT or SIGTERM ends the process.
enum Interruption {
  /// Whether the run was asked to stop.
  static var isRequested: Bool { ccommand_is_stop_requested() != 0 }

  /// Begins to take signals for requests.
  static func listen() { ccommand_listen() }
}
