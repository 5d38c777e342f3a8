/// Interrupts statements that do not end when the run is to stop.
///
/// A run stops after its batch. If the batch itself does not end, because a trigger of the store never ends or a table
/// is large, its statement is interrupted after a while.
final class Impatience {
  /// How long a batch may take to its end when the run is to stop, in seconds.
  static let patience = 2.0

  private let shouldStop: (() -> Bool)?
  private var since: Double?
  /// Whether a statement was interrupted.
  private(set) var hasEnded = false

  init(_ shouldStop: (() -> Bool)?) { self.shouldStop = shouldStop }

  /// Whether the statement that runs now is to end.
  func isOver() -> Bool {
    guard let shouldStop, shouldStop() else { return false }
    let now = ImportSession.now()
    let since = since ?? now
    self.since = since
    hasEnded = hasEnded || now - since > Self.patience
    return hasEnded
  }

  static let error = ImportError(
    code: .interrupted,
    message: "the run was told to stop while the database was at work on a batch, which was rolled back; what was"
      + " committed before can be continued")
}
