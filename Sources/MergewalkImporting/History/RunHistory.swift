import MergewalkDiagnostics
import MergewalkSystem
import MergewalkObjectStore

/// The table of an import store's runs: a SQLite file beside the store, `STORE-mergewalk`.
///
/// It is not part of the store: Core Data's file has no table of ours, and removing this file loses only the past.
/// `docs/runs.md` describes its tables. Every call opens the file, does its work in one transaction, and closes it.
public struct RunHistory: Sendable {
  /// The file's path.
  public let path: String
  private let store: String
  /// The number of runs to keep; appending one removes older ones.
  public var keeps = 1000

  /// The table of runs of the store at a path.
  public init(storePath: String) {
    store = StorePath.resolved(storePath)
    path = store + "-mergewalk"
  }

  /// Whether the store is a file or may become one: beside devices, pipes and folders there is no table.
  var isPossible: Bool { FileKind(store) != .folder && FileKind.special(store) == nil }

  /// Adds a run and removes the oldest ones beyond the limit.
  ///
  /// - Returns: The run's number, the successor of the last one's.
  /// - Throws: ``RunHistoryError``; the file is unchanged.
  public func append(_ record: RunRecord) throws(RunHistoryError) -> Int {
    try historyErrors {
      FileAccess.derived(from: store).make(path)
      let file = try DatabaseFile(path, .create)
      try RunTables.prepare(file, path)
      try file.execute("BEGIN IMMEDIATE")
      try RunTables.create(file)
      let number = try RunTables.insert(record, file)
      try RunTables.removeOld(file, keeps: max(1, keeps))
      try file.execute("COMMIT")
      try file.close()
      return number
    }
  }

  /// The last runs, the latest first; none if there is no table.
  ///
  /// - Parameters:
  ///   - pipeline: The pipeline whose runs to return; nil for all.
  ///   - limit: The maximum number.
  /// - Throws: ``RunHistoryError``.
  public func recent(pipeline: String? = nil, limit: Int = 20) throws(RunHistoryError) -> [RunRecord] {
    try read { file throws(StoreError) in
      let name = pipeline == nil ? "" : "WHERE pipeline = ?2 "
      let values: [SQLBinding] = [.integer(Int64(max(0, limit)))] + (pipeline.map { [SQLBinding.text($0)] } ?? [])
      return try RunTables.select("\(name)ORDER BY number DESC LIMIT ?1", file, values)
    }
  }

  /// The last runs of a pipeline that finished with its own inputs, the latest first, for comparison with a new run.
  ///
  /// - Throws: ``RunHistoryError``.
  public func finished(pipeline: String, limit: Int) throws(RunHistoryError) -> [RunRecord] {
    try read { file throws(StoreError) in
      let condition =
        "WHERE pipeline = ?2 AND kind = 'import' AND status IN ('completed', 'completed_with_rejects')"
        + " ORDER BY number DESC LIMIT ?1"
      return try RunTables.select(condition, file, [.integer(Int64(max(0, limit))), .text(pipeline)])
    }
  }

  /// The run with this number (`12`), or this name (`orders@2024-01-31T12:00:00.123Z`); nil if there is none.
  ///
  /// - Throws: ``RunHistoryError``.
  public func run(_ name: String) throws(RunHistoryError) -> RunRecord? {
    try read { file throws(StoreError) in
      guard let number = Int64(name) else {
        return try RunTables.select("WHERE id = ?1 ORDER BY number DESC LIMIT 1", file, [.text(name)])
      }
      return try RunTables.select("WHERE number = ?1", file, [.integer(number)])
    }.first
  }

  /// The names of the pipelines that have run, sorted; none if there is no table.
  ///
  /// - Throws: ``RunHistoryError``.
  public func pipelines() throws(RunHistoryError) -> [String] {
    try read { file throws(StoreError) in
      let rows = try file.rows("SELECT DISTINCT pipeline FROM runs ORDER BY 1")
      var names: [String] = []
      while try rows.step() { names.append(rows.text(0)) }
      return names
    }
  }

  private func read<Item>(
    _ body: (DatabaseFile) throws(StoreError) -> [Item]
  ) throws(RunHistoryError) -> [Item] {
    guard access(path, F_OK) == 0 else { return [] }
    return try historyErrors {
      // What a process that was killed has left of a transaction is rolled back first, for which the file is written.
      let isUnfinished = FileSystem.size(path + "-journal") ?? 0 > 0
      let file = try DatabaseFile(path, isUnfinished ? .readWrite : .read)
      guard try RunTables.check(file, path) else { return [] }
      return try body(file)
    }
  }

  private func historyErrors<Value>(_ work: () throws -> Value) throws(RunHistoryError) -> Value {
    do {
      return try work()
    } catch let error as RunHistoryError {
      throw error
    } catch let error as StoreError {
      throw RunHistoryError(error, path)
    } catch {
      preconditionFailure("nothing else is thrown: \(error)")
    }
  }
}
