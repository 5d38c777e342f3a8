import MergewalkObjectStore

/// Keeps the checkpoint of a run in the store: with the rows of every transaction, and only as long as it is needed.
///
/// A transaction that changes nothing in the store gets no checkpoint: importing its records once more gives the same
/// counts and the same rejects. The end of a run whose inputs the store recognizes gets one all the same, because these
/// are not imported once more.
final class RunJournal {
  private let file: StoreFile
  private let name: String
  private(set) var checkpoint: RunCheckpoint
  /// The statements and the seconds of earlier processes.
  let before: (statements: Int, seconds: Double)
  private let started = ImportSession.now()
  /// The changes of the connection after the last checkpoint.
  private var changes: Int
  /// Whether the checkpoint is in the store.
  private(set) var isWritten: Bool
  /// Keep with a checkpoint, in its transaction, what imports have noted since the last one and later records depend on.
  var keepers: [() throws(StoreError) -> Void] = []

  /// Begins or goes on.
  init(_ file: StoreFile, name: String, checkpoint: RunCheckpoint, isWritten: Bool) {
    self.file = file
    self.name = name
    self.checkpoint = checkpoint
    self.isWritten = isWritten
    before = (checkpoint.tally.statements, checkpoint.tally.seconds)
    changes = file.totalChanges
  }

  /// Whether the store was changed since the last checkpoint.
  private var isChanged: Bool { file.totalChanges != changes }

  /// Writes a checkpoint into the open transaction if that has changed the store; it has to be committed next.
  ///
  /// - Parameters:
  ///   - isForced: Whether it is written in any case.
  ///   - isDurable: Whether it is to outlast a stop of the machine in a store that is being built, too.
  ///   - isDone: Whether the run has ended.
  ///   - place: The present.
  func write(
    _ rejects: RejectOutput, isForced: Bool = false, isDurable: Bool = false, isDone: Bool = false,
    _ place: () -> RunPosition
  ) throws(ImportError) {
    guard isForced || isChanged else { return }
    // What the checkpoint says is in the file has to be there before the checkpoint is. In a store that is being built it
    // is good for as long as the machine runs, and so is what was handed to the system.
    if !file.isNew || isDurable { try rejects.sync() }
    do throws(StoreError) { for keep in keepers { try keep() } } catch { throw ImportError(error) }
    checkpoint.isDone = isDone
    checkpoint.place = place()
    checkpoint.commits += 1
    checkpoint.rejectBytes = rejects.byteCount
    checkpoint.rejectHeaders = rejects.writtenHeaders
    checkpoint.tally.rejectCounts = rejects.countsByName
    checkpoint.tally.seconds = before.seconds + ImportSession.now() - started
    checkpoint.tally.statements = before.statements + file.statementsExecuted
    var metadata = file.metadata
    metadata.mergewalk.runs[name] = checkpoint.list
    try write(metadata)
    changes = file.totalChanges
    isWritten = true
  }

  /// Adds what ends the run to the open transaction: the mark that only the report is missing, where the next run would
  /// not find the same out by itself, and which inputs it had.
  func end(_ rejects: RejectOutput, finished: FinishedRun?, _ place: RunPosition) throws(ImportError) {
    if isWritten || isChanged || file.isNew || finished != nil {
      try write(rejects, isForced: true, isDone: true) { place }
    }
    var metadata = file.metadata
    if !isWritten { metadata.mergewalk.runs[name] = nil }
    metadata.mergewalk.finished[name] = finished?.list
    if metadata != file.metadata { try write(metadata) }
  }

  /// The metadata without the mark; `nil` when they do not have it.
  static func acknowledged(_ metadata: StoreMetadata, name: String) -> StoreMetadata? {
    var metadata = metadata
    guard metadata.mergewalk.runs[name] != nil else { return nil }
    metadata.mergewalk.runs[name] = nil
    return metadata
  }

  private func write(_ metadata: StoreMetadata) throws(ImportError) {
    do { try file.writeMetadata(metadata) } catch { throw ImportError(code: .database, message: error.description) }
  }
}
