/// Decides when a store under construction commits its rows, so that another process can resume: after each batch,
/// unless that would cost more than it is worth.
///
/// Rows are appended, so a batch touches only the last pages of the tables, and its commit writes little beside the
/// batch. Small batches share a commit, as long as little would be lost. If batches change pages everywhere (indexes
/// that are maintained, objects that each batch changes), the former content of the pages goes to the journal once per
/// transaction; then more and more batches share one, until the journal is a small part of what they write.
struct CommitPacing {
  private var interval = 1
  private var waiting = 0
  private var fileBytes = 0

  /// A journal of this length costs nothing to speak of.
  static let freeBytes = 256 << 10
  /// The journal may have this part of what the file has grown by.
  static let journalShare = 8
  /// The part of its length that the file grows by before the next commit.
  static let lossShare = 100
  /// The bytes that are enough of it.
  static let lossBytes = 4 << 20
  /// The batches after which there is a commit in any case.
  static let lossBatches = 64

  /// Counts a batch, and tells whether to commit behind it.
  ///
  /// - Parameter bytes: the bytes of the file, and those that the journal has of the open transaction.
  mutating func isDue(_ bytes: (file: Int, journal: Int)) -> Bool {
    waiting += 1
    let grown = max(0, bytes.file - fileBytes)
    guard waiting >= interval,
      grown >= min(bytes.file / Self.lossShare, Self.lossBytes) || waiting >= Self.lossBatches
    else { return false }
    waiting = 0
    fileBytes = bytes.file
    if bytes.journal > max(Self.freeBytes, grown / Self.journalShare) {
      interval = min(interval * 2, 1 << 20)
    } else if bytes.journal < grown / (Self.journalShare * 4) {
      interval = max(interval / 2, 1)
    }
    return true
  }
}
