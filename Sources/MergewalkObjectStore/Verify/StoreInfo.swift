import MergewalkSQLite

/// Figures about the contents of a store.
public struct StoreInfo: Sendable {
  /// One entity of a store.
  public struct Entity: Sendable, Hashable {
    /// Its name.
    public let name: String
    /// Its number (`Z_ENT`).
    public let number: Int
    /// The name of the entity it inherits from, or `nil`.
    public let parent: String?
    /// The number of its objects, without those of subentities.
    public let objects: Int
    /// The greatest key assigned below a root entity; 0 for others.
    public let maximum: Int64
    /// The version hash, or `nil` if the metadata has none.
    public let hash: [UInt8]?
  }

  /// The store's path.
  public let path: String
  /// The metadata.
  public let metadata: StoreMetadata
  /// The entities in number order, without those of persistent history.
  public let entities: [Entity]
  /// The file's size in bytes, without the log.
  public let fileBytes: Int
  /// The size of the log beside the store in bytes, 0 if there is none.
  public let logBytes: Int
  /// Whether the file is in write-ahead mode.
  public let isWriteAhead: Bool
  /// Whether the store tracks persistent history.
  public let hasHistory: Bool
  /// A note that the store is mirrored to CloudKit; `nil` if it is not.
  public let cloudNote: String?
  /// Whether the store carries Core Data's copy of its model.
  public let hasModelCache: Bool
  /// Whether the store carries a copy of its model, Core Data's or this project's.
  public var hasModelCopy: Bool { hasModelCache || metadata[ModelCopy.key] != nil }
  /// The reason why the store cannot be read without naming a model; `nil` if its own copy can be used.
  public let modelProblem: String?
  /// Notes about parts that the store's own copy of its model lacks.
  public let modelNotes: [String]
  /// The plans beside the store of runs that can be resumed.
  public let resumablePlans: [String]
  /// The plans beside the store that cannot be resumed, as ``StoreCleaner/Leftovers/outdatedPlans``.
  public let outdatedPlans: [String]
  /// The reason why it is not known which plans are beside the store; `nil` if it is.
  public let planProblem: String?

  /// Reads the figures of a store without a model.
  ///
  /// - Throws: ``StoreError`` with `notFound`, `notADatabase`, `notACoreDataStore`, `damagedMetadata` or `sqlite`.
  /// - Complexity: O(rows): SQLite counts by scanning the tables.
  public static func read(path: String) throws(StoreError) -> StoreInfo {
    let fileBytes = FileSystem.size(path) ?? 0
    let resolved = StorePath.resolved(path)
    let logBytes = FileSystem.size(resolved + "-wal") ?? 0
    var plans = PlanFile.Left()
    var planProblem: String?
    if FileSystem.exists(resolved) {
      do throws(StoreError) { plans = try PlanFile.left(ofStore: resolved) } catch {
        planProblem = "\(error.path): \(error.message)"
      }
    }
    return try ReadableStore.withConnection(path) { connection throws(StoreError) in
      let metadata = try StoreMetadata.read(connection)
      let header = try DatabaseHeader(connection)
      let rows = try PrimaryKeyRow.read(connection)
      var own: StoreModel?
      var problem: String?
      do throws(StoreError) {
        own = try StoreModel.find(connection, explicit: nil, path: path)
      } catch {
        guard error.code == .noModel else { throw error }
        problem = error.message
      }
      // With a model entities have their names of today, and a renamed one's table is known.
      let schema = own.flatMap { found in
        StoreSchema(model: found.model, configuration: found.configuration).flatMap { try? $0.adapted(to: connection) }
      }
      var names = Dictionary(rows.map { ($0.number, $0.name) }) { first, _ in first }
      for (name, row) in schema?.matching(rows) ?? [:] { names[row.number] = name }
      let hashes = Dictionary(metadata.hashes.entities.map { ($0.name, $0.hash) }) { first, _ in first }
      var counts: [Int: Int] = [:]
      for root in rows where root.superNumber == 0 && root.isOfModel {
        let table = schema?.tableName(ofNumber: root.number) ?? "Z" + root.name.uppercased()
        guard try connection.hasTable(table) else { continue }
        let count = try connection.prepare("SELECT Z_ENT, count(*) FROM \(SQLQuoting.name(table)) GROUP BY Z_ENT")
        while try count.step() {
          counts[Int(truncatingIfNeeded: count.integer(0)), default: 0] += Int(count.integer(1))
        }
      }
      return StoreInfo(
        path: path, metadata: metadata,
        entities: rows.filter(\.isOfModel).map { row in
          let name = names[row.number] ?? row.name
          return Entity(
            name: name, number: row.number, parent: row.superNumber == 0 ? nil : names[row.superNumber],
            objects: counts[row.number] ?? 0, maximum: row.maximum, hash: hashes[name])
        },
        fileBytes: fileBytes, logBytes: logBytes, isWriteAhead: header.isWriteAhead,
        hasHistory: try connection.tracksHistory(),
        cloudNote: try CloudTables.note(connection),
        hasModelCache: try ModelCache.content(connection) != nil,
        modelProblem: problem, modelNotes: own?.notes ?? [], resumablePlans: plans.resumable.map(\.path),
        outdatedPlans: plans.outdated.map(\.path), planProblem: planProblem)
    }
  }
}
