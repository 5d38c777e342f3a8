/// A fact about an existing store that a writer should know.
public enum StoreWarning: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
  /// The store tracks history. Rows that are not recorded in it are invisible to history observers and to CloudKit.
  case history
  /// The store has triggers that call functions of Core Data; their notifications are lost.
  case coreDataTriggers
  /// The store is mirrored to CloudKit and has no history, from which Core Data learns what to send.
  case cloudWithoutHistory

  /// A sentence for people.
  public var description: String {
    switch self {
    case .history:
      "the store tracks persistent history; apps and CloudKit export learn only of rows that are recorded in it"
    case .coreDataTriggers: "the store has triggers that notify Core Data; they are not called during an import"
    case .cloudWithoutHistory:
      "the store is mirrored to CloudKit but tracks no history, so that nothing of an import is sent"
    }
  }
}
