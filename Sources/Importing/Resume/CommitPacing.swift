/// When a store that is being built keeps its rows, so that another process can go on: after each batch, unless that
/// would cost more than it is worth.
///
/// Rows are appended, so a batch touches the last pages of the tables only, and committing it writes little beside the
/// batch. Where it changes pages everywhere (indexes that are kept up, objects that each batch changes) their former
/// content goes to the journal once a transaction. Then more and more batches share one, until that is a small part of
/// what they write.
struct CommitPacing {
  private var interval = 1
  private var waiting = 0
  private var fileBytes = 0

  /// A journal of this length costs nothing to speak of.
  static let freeBytes = 256 << 10
  /// The journal may have this part of what the file has grown by.
  static let share = 8

  /// Counts a batch, and tells whether to commit behind it.
  mutating func isDue() -> Bool {
    waiting += 1
    return waiting >= interval
  }

  /// Notes what the transaction that is about to be committed has written.
  mutating func note(_ bytes: (file: Int, journal: Int)) {
    waiting = 0
    let grown = max(0, bytes.file - fileBytes)
    fileBytes = bytes.file
    if bytes.journal > max(Self.freeBytes, grown / Self.share) {
      interval = min(interval * 2, 1 << 20)
    } else if bytes.journal < grown / (Self.share * 4) {
      interval = max(interval / 2, 1)
    }
  }
}
