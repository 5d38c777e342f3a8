import MergewalkDiagnostics
public import MergewalkObjectModel
import MergewalkSQLite

/// Copies all objects of a prepared store into an existing one, with their relationships.
///
/// Objects get new primary keys. Objects that the store already has, and that the options can find, are not copied
/// again; references lead to the existing ones. Everything is one transaction of a few SQL statements per table,
/// including the mark (``StoreSeed``). `docs/default-data.md` has the rules.
public struct ObjectCopy: Sendable {
  /// The treatment of objects that are in both stores.
  public struct Options: Sendable {
    /// The attributes that identify the objects of an entity.
    ///
    /// They also apply to subentities without an entry of their own. An object matches only objects of its own entity;
    /// an attribute without a value matches nothing. Entities without an entry are copied; if the store already has some
    /// of the prepared store's marks, only those of which it has no objects.
    public var findBy: [String: [String]] = [:]
    /// Whether matching objects take over the attributes of the prepared ones; otherwise they do not change.
    public var updates = false
    /// SQLite's page cache in KiB, which is all the memory that the copy needs.
    public var cacheKiB = 16 * 1024

    /// Creates options that copy every object.
    public init() {}
  }

  /// Counts of the objects of one entity, by outcome.
  public struct Counts: Sendable, Hashable {
    /// Copied with a new primary key.
    public internal(set) var inserted = 0
    /// Found in the store, whether changed or not.
    public internal(set) var found = 0
    /// Found and changed.
    public internal(set) var updated = 0
  }

  /// The result of a copy.
  public struct Result: Sendable {
    /// The counts by the name of the objects' own entity, without entities that have no objects.
    public internal(set) var entities: [String: Counts] = [:]
    /// The number of copied files of external data.
    public internal(set) var externalFiles = 0
    /// The number of references that are not copied, by field, such as `Order.customer`.
    ///
    /// The prepared store does not have the objects that they lead to, or these do not refer back in a one-to-one
    /// relationship.
    public internal(set) var danglingReferences: [(field: String, count: Int)] = []
    /// The number of values of found objects that an update has kept, by field, such as `Person.name`.
    ///
    /// They are mandatory, and the prepared objects have none, against the rules of their model.
    public internal(set) var keptValues: [(field: String, count: Int)] = []
    /// The mark in the store's metadata; of several, the last one.
    public internal(set) var seed: StoreSeed?
    /// Facts about the store that a writer should know.
    public internal(set) var warnings: [StoreWarning] = []
    /// Whether nothing was done because the store already has the mark.
    public internal(set) var isInstalled = false
  }

  /// The path of the prepared store, which is only read.
  public var source: String
  /// The path of the store that receives the objects.
  public var target: String
  /// The model of the target; `nil` for the copy that it carries.
  public var model: ManagedObjectModel?
  /// The model of the prepared store; `nil` for the copy that it carries.
  public var sourceModel: ManagedObjectModel?
  /// The treatment of objects that are in both stores.
  public var options = Options()
  /// The mark for the target; `nil` for those of the prepared store, if any.
  ///
  /// A target that already has it, or all of them, is left alone. All objects are copied in any case, so the other marks
  /// of the prepared store are written as well.
  public var seed: StoreSeed?

  /// Prepares a copy.
  public init(from source: String, to target: String) {
    self.source = StorePath.resolved(source)
    self.target = StorePath.resolved(target)
  }

  /// Copies everything or nothing.
  ///
  /// - Throws: ``StoreError``: `invalidOption` if the prepared store is the target; `alreadyExists` if the target has
  ///   some of its marks, and objects that ``Options/findBy`` does not find; `damagedFile` if prepared objects belong to no
  ///   entity, have values of other types, or name files that are not there; `incompatibleModel` with all incompatibilities
  ///   of the models; `sqlite` with a constraint as its cause if a copied object violates a uniqueness constraint; as
  ///   opening a store, and as ``StoreModel/find(path:explicit:)``. The target is unchanged, byte for byte.
  /// - Complexity: O(objects log objects), on disk; memory is ``Options/cacheKiB``.
  public func run() throws(StoreError) -> Result {
    var result = Result()
    let prepared = try StoreMetadata.read(path: source).seeds
    let wanted = seed.map { [$0] } ?? prepared
    result.seed = wanted.last
    func isInstalled(_ present: StoreMetadata) -> Bool {
      !wanted.isEmpty && wanted.allSatisfy { present.hasSeed($0.identity) }
    }
    result.isInstalled = isInstalled(try StoreMetadata.read(path: target))
    if result.isInstalled { return result }
    try requireOther()
    let staging = try StagingFolder(forStore: target)
    let found = try StoreModel.find(path: target, explicit: model)
    // A log beside the prepared store would be left out of what is attached.
    let plain = try Self.plainSource(source, staging)
    let plan = try makePlan(plain)
    let file = try StoreFile.open(
      path: target, model: found.model, configuration: found.configuration, cacheKiB: options.cacheKiB)
    do {
      // Another process may have installed the data until this one got the store.
      result.isInstalled = isInstalled(file.metadata)
      if result.isInstalled {
        try file.rollBackRun()
        return result
      }
      result.warnings = file.warnings
      let mode: Connection.Mode = plain.isImmutable ? .immutable : .readOnly
      let attach = try file.connection.prepare("ATTACH ? AS seed")
      attach.bind(1, text: Connection.uri(plain.path, mode))
      try attach.run()
      try file.begin()
      let matched = try plan.matched(to: file.schema, at: file.path, options: options)
      try requireNone(of: prepared.map(\.identity).filter(file.metadata.hasSeed), matched, file)
      let writer = try ObjectCopyWriter(plan: matched, file: file, options: options)
      result.entities = try writer.run()
      result.danglingReferences = plan.dangling.counts
      result.keptValues = writer.keptValues
      result.externalFiles = try copyExternalData(writer, file, staging)
      for mark in prepared.filter({ $0.identity != seed?.identity }) + (seed.map { [$0] } ?? []) {
        try file.markSeed(mark)
      }
      try file.commit()
      try file.finish()
    } catch {
      try? file.rollBackRun()
      throw Self.explained(error, file)
    }
    return result
  }

  /// A store that is its own source would have each object twice.
  private func requireOther() throws(StoreError) {
    guard let file = FileID(source), file == FileID(target) else { return }
    throw StoreError(.invalidOption, path: target, message: "the prepared store is this store; name another one")
  }

  /// All prepared objects are copied, so a store that has some of the default data would have these twice.
  private func requireNone(
    of known: [String], _ plan: ObjectCopyPlan, _ file: StoreFile
  ) throws(StoreError) {
    guard !known.isEmpty else { return }
    let repeats = try ObjectCopyRepeats(plan, file.connection).names
    guard !repeats.isEmpty else { return }
    throw StoreError(
      .alreadyExists, path: source,
      message: "the prepared store also contains \(known.joined(separator: ", ")), which the store already has: its"
        + " objects would be copied again (\(repeats.joined(separator: ", "))); name the attributes by which they are"
        + " found (--find-by ENTITY.ATTRIBUTE), or prepare a store without them")
  }

  /// Where the prepared store is read: at its place, or from a single file that was made of it.
  private static func plainSource(
    _ source: String, _ staging: StagingFolder
  ) throws(StoreError) -> (path: String, isImmutable: Bool) {
    try StoreCopy.requireNoJournal(source)
    let header = try DatabaseHeader(source)
    guard LogFiles.areUsed(source, header) else { return (source, false) }
    if !LogFiles.hasLog(source), !FileSystem.exists(source + "-shm") { return (source, true) }
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
      return try ObjectCopySource(adapted, connection, path: source)
    }
  }

  /// Copies the files that cells of copied objects name, before the transaction is committed.
  private func copyExternalData(
    _ writer: ObjectCopyWriter, _ file: StoreFile, _ staging: StagingFolder
  ) throws(StoreError) -> Int {
    let names = try writer.externalNames()
    guard !names.isEmpty else { return 0 }
    let files = try StoreCopy.stageExternalData(of: source, to: target, staging: staging, names: names)
    file.externalFiles.willMake(files.map { FileSystem.name(of: $0.to) })
    try StoreCopy.place(files)
    return files.count
  }

  /// Says what to do about a refused row.
  private static func explained(_ error: StoreError, _ file: StoreFile) -> StoreError {
    guard let cause = error.cause, cause.kind == .unique else { return error }
    let names = file.schema.propertyNames(ofColumns: cause.columns)
    let reason = names.isEmpty ? cause.message : names.joined(separator: ", ")
    return StoreError(
      error.code, path: file.path,
      message: "the store already has an object with the same unique values: \(reason); name the attributes by"
        + " which such objects are found (--find-by ENTITY.ATTRIBUTE)", cause: cause)
  }
}
