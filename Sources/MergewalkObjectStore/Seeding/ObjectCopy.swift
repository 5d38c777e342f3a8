public import MergewalkObjectModel
import MergewalkSQLite

/// Copies all objects of a prepared store into an existing one, with their relationships.
///
/// Objects get new primary keys. Those that the store has already, as far as the options say how they are found, are not
/// copied again; what refers to them refers to those that are there. Everything is one transaction of a few SQL
/// statements a table, and with it goes the mark that says so (``StoreSeed``). `docs/default-data.md` has the rules.
public struct ObjectCopy: Sendable {
  /// The treatment of objects that are in both stores.
  public struct Options: Sendable {
    /// How objects of an entity are found: by the attributes that make two of them the same.
    ///
    /// Objects of entities that inherit from it are found so too, unless they have an entry of their own. An object is
    /// found by one of its own entity; an attribute without a value finds nothing. Entities without an entry are copied
    /// whatever is there.
    public var findBy: [String: [String]] = [:]
    /// Whether found objects take over the attributes of the prepared ones; else they stay as they are.
    public var updates = false
    /// SQLite's page cache in KiB, which is all the memory that the copy takes.
    public var cacheKiB = 16 * 1024

    /// Creates options: every object is copied.
    public init() {}
  }

  /// Counts of the objects of one entity, by outcome.
  public struct Counts: Sendable, Hashable {
    /// Copied with a new primary key.
    public internal(set) var inserted = 0
    /// Found in the store, changed or not.
    public internal(set) var found = 0
    /// Found and changed.
    public internal(set) var updated = 0
  }

  /// The result of a copy.
  public struct Result: Sendable {
    /// The counts by the name of the objects' own entity; entities without objects are left out.
    public internal(set) var entities: [String: Counts] = [:]
    /// Files of external data that came along.
    public internal(set) var externalFiles = 0
    /// The mark in the store's metadata.
    public internal(set) var seed: StoreSeed?
    /// Facts about the store that a writer should know.
    public internal(set) var warnings: [StoreWarning] = []
    /// Whether nothing was done, as the store bears the mark already.
    public internal(set) var isInstalled = false
  }

  /// The path of the prepared store; it is only read.
  public var source: String
  /// The path of the store that takes the objects.
  public var target: String
  /// The model of the target; `nil` for the copy that it carries.
  public var model: ManagedObjectModel?
  /// The model of the prepared store; `nil` for the copy that it carries.
  public var sourceModel: ManagedObjectModel?
  /// The treatment of objects that are in both stores.
  public var options = Options()
  /// The mark that the target gets; `nil` for the last one of the prepared store, if it has any.
  ///
  /// A target that bears a mark of this name is left alone.
  public var seed: StoreSeed?

  /// Prepares a copy.
  public init(from source: String, to target: String) {
    self.source = StorePath.resolved(source)
    self.target = StorePath.resolved(target)
  }

  /// Copies everything or nothing.
  ///
  /// - Throws: ``StoreError``: `incompatibleModel` with everything in which the models do not go together; `sqlite` with
  ///   a constraint as its cause when a copied object breaks a uniqueness constraint; as
  ///   opening a store, and as ``StoreModel/find(path:explicit:)``. The target is byte for byte as it was.
  /// - Complexity: O(objects log objects), on disk; memory is ``Options/cacheKiB``.
  public func run() throws(StoreError) -> Result {
    var result = Result()
    let mark = try mark()
    if let mark, try StoreMetadata.read(path: target).hasSeed(mark.identity) {
      result.seed = mark
      result.isInstalled = true
      return result
    }
    let staging = try StagingFolder(forStore: target)
    let found = try StoreModel.find(path: target, explicit: model)
    // A log beside the prepared store would be left out of what is attached.
    let plain = try Self.plainSource(source, staging)
    let plan = try makePlan(plain)
    let file = try StoreFile.open(
      path: target, model: found.model, configuration: found.configuration, cacheKiB: options.cacheKiB)
    do {
      result.warnings = file.warnings
      let mode: Connection.Mode = plain.isImmutable ? .immutable : .readOnly
      let attach = try file.connection.prepare("ATTACH ? AS seed")
      attach.bind(1, text: Connection.uri(plain.path, mode))
      try attach.run()
      try file.begin()
      let writer = ObjectCopyWriter(
        plan: try plan.matched(to: file.schema, options: options), file: file, options: options)
      result.entities = try writer.run()
      result.externalFiles = try copyExternalData(writer, staging)
      if let mark { try file.markSeed(mark) }
      result.seed = mark
      try file.commit()
      try file.finish()
    } catch {
      try? file.rollBackRun()
      throw Self.explained(error, target)
    }
    return result
  }

  private func mark() throws(StoreError) -> StoreSeed? {
    if let seed { return seed }
    return try StoreMetadata.read(path: source).seeds.last
  }

  /// Where the prepared store is read: at its place, or from a single file that was made of it.
  private static func plainSource(
    _ source: String, _ staging: StagingFolder
  ) throws(StoreError) -> (path: String, isImmutable: Bool) {
    try StoreCopy.requireNoJournal(source)
    let header = try DatabaseHeader(source)
    guard header.isWriteAhead else { return (source, false) }
    if (FileSystem.size(source + "-wal") ?? 0) == 0 && !FileSystem.exists(source + "-shm") { return (source, true) }
    let copy = staging.file("source.sqlite")
    _ = try StoreCopy.makeCopy(of: source, at: copy)
    return (copy, false)
  }

  private func makePlan(_ plain: (path: String, isImmutable: Bool)) throws(StoreError) -> ObjectCopySource {
    try ReadableStore.withConnection(plain.path) { connection throws(StoreError) in
      let found = try StoreModel.find(connection, explicit: sourceModel, path: source)
      guard let schema = StoreSchema(model: found.model, configuration: found.configuration) else {
        throw StoreError(.incompatibleModel, path: source, message: "the model lacks the store's configuration")
      }
      let adapted = try schema.adapted(to: connection)
      return ObjectCopySource(schema: adapted, counts: try ObjectCopySource.counts(adapted, connection))
    }
  }

  /// Copies the files that cells of copied objects name, before the transaction is committed.
  private func copyExternalData(_ writer: ObjectCopyWriter, _ staging: StagingFolder) throws(StoreError) -> Int {
    let names = try writer.externalNames()
    guard !names.isEmpty else { return 0 }
    return try StoreCopy.copyExternalData(of: source, to: target, staging: staging, names: names)
  }

  /// Says what to do about a refused row.
  private static func explained(_ error: StoreError, _ path: String) -> StoreError {
    guard let cause = error.cause, cause.kind.isConstraint else { return error }
    return StoreError(
      error.code, path: path,
      message: "the store has an object that may not be there twice: \(cause.message); say by which attributes such"
        + " objects are found (--find-by ENTITY.ATTRIBUTE)", cause: cause)
  }
}
