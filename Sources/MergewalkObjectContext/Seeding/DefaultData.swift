public import MergewalkObjectModel
public import MergewalkObjectStore

/// Default data, which a store gets once: data that an app ships for a new user, or for a new document.
///
/// ```swift
/// let data = DefaultData(identity: "airports-2026")
/// try data.installIfNeeded(at: "shop.sqlite", copyOf: "default.sqlite")
/// ```
///
/// A mark in the store's metadata (``StoreSeed``) records that it has the data; it is written in the transaction that
/// writes the last of the data. So a store that was created but not filled, because the program died in between, gets
/// the data the next time; and a store that has the data does not get it again, whatever the user did with it.
///
/// Source: Core Data Programming Guide, "Frequently Asked Questions", on initializing a store with default data.
public struct DefaultData: Sendable, Hashable {
  /// The identity of the data; another identity means other data, which a store gets in addition.
  public var identity: String

  /// Names the data.
  public init(identity: String) { self.identity = identity }

  /// The state of a path with regard to this data.
  public enum State: Sendable, Hashable {
    /// There is no file.
    case noStore
    /// There is a store without the data: it is new, or comes from an earlier version of the app.
    case notInstalled
    /// The store has the data.
    case installed(StoreSeed)
  }

  /// The outcome of ``installIfNeeded(at:model:configuration:fill:)`` and its relatives.
  public enum Outcome: Sendable, Hashable {
    /// There was no store; a store with the data was created.
    case created
    /// The data was added to an existing store.
    case added
    /// There was nothing to do.
    case nothing
  }

  /// Checks whether a store has the data, without opening it as a store.
  ///
  /// No entity's table is read, and no model is needed.
  ///
  /// - Throws: `StoreError` as `StoreMetadata.read(path:)` does, except that a missing file is an answer.
  /// - Complexity: O(1): three small statements.
  public func state(ofStore path: String) throws(StoreError) -> State {
    do {
      let metadata = try StoreMetadata.read(path: path)
      guard let seed = metadata.seeds.first(where: { $0.identity == identity }) else { return .notInstalled }
      return .installed(seed)
    } catch {
      if error.code == .notFound { return .noStore }
      throw error
    }
  }

  // MARK: Objects that code makes

  /// Lets code create the data, unless the store already has it.
  ///
  /// The objects of `fill` and the mark are one transaction: an error, or the death of the process, leaves the store
  /// unchanged, or leaves no store if there was none. The context is saved when `fill` returns; it may save earlier,
  /// but must not continue after a save that the database refused. Batch requests need a transaction of their own and
  /// are refused. Do not keep the context.
  ///
  /// - Parameters:
  ///   - path: The store's path; no process may have the store open.
  ///   - model: The model.
  ///   - configuration: The configuration whose entities the store has; `nil` for all.
  ///   - fill: Creates the objects; not called if the store has the data.
  /// - Throws: ``DefaultDataError``, which also wraps the error of `fill`.
  @discardableResult
  public func installIfNeeded(
    at path: String, model: ManagedObjectModel, configuration: String? = nil,
    fill: (ManagedObjectContext) throws -> Void
  ) throws(DefaultDataError) -> Outcome {
    do {
      switch try state(ofStore: path) {
      case .installed: return .nothing
      case .noStore:
        try install(StoreFile.create(path: path, model: model, configuration: configuration), fill)
        return .created
      case .notInstalled:
        let file = try StoreFile.open(path: path, model: model, configuration: configuration)
        // Another process may have installed the data until this one got the store.
        guard !file.metadata.hasSeed(identity) else {
          try file.rollBackRun()
          return .nothing
        }
        try install(file, fill)
        return .added
      }
    } catch {
      if isInstalledMeanwhile(path, error) { return .nothing }
      throw DefaultDataError(error)
    }
  }

  /// Whether another process made the store with the data while this process was about to.
  private func isInstalledMeanwhile(_ path: String, _ error: any Error) -> Bool {
    guard let error = error as? StoreError, error.code == .alreadyExists,
      case .installed? = try? state(ofStore: path)
    else { return false }
    return true
  }

  /// Creates a new document with the data; an existing document is left alone, with or without a mark.
  ///
  /// This is the check for documents, which belong to their users: only a new one gets default data.
  ///
  /// - Throws: ``DefaultDataError``; there is then no document, or the unchanged existing one.
  @discardableResult
  public func installInNewDocument(
    at path: String, model: ManagedObjectModel, configuration: String? = nil,
    fill: (ManagedObjectContext) throws -> Void
  ) throws(DefaultDataError) -> Outcome {
    do {
      guard case .noStore = try state(ofStore: path) else { return .nothing }
      try install(StoreFile.create(path: path, model: model, configuration: configuration), fill)
      return .created
    } catch {
      throw DefaultDataError(error)
    }
  }

  private func install(_ file: StoreFile, _ fill: (ManagedObjectContext) throws -> Void) throws {
    do {
      // The saves of the context take part in this transaction.
      try file.begin()
      let context = ManagedObjectContext(store: try PersistentStore(file: file))
      try fill(context)
      try context.save()
      try file.markSeed(StoreSeed(identity: identity))
      try file.finish()
    } catch {
      try? file.rollBackRun()
      throw error
    }
  }

  // MARK: A prepared store

  /// Installs the data of a prepared store, unless the store already has it.
  ///
  /// If there is no store, the prepared one is copied, byte for byte; otherwise the objects are copied into the store
  /// with new primary keys, in one transaction. The prepared store must have the mark of this data: `mergewalk seed`
  /// builds such stores.
  ///
  /// - Parameters:
  ///   - path: The store's path; no process may have the store open.
  ///   - prepared: The path of the prepared store, which may be in a read-only place.
  ///   - model: The model of the existing store; `nil` for the copy that it carries.
  ///   - options: The treatment of objects that both stores have.
  /// - Throws: ``DefaultDataError`` with a ``DefaultDataError/store(_:)``: `notFound` when the prepared store does not
  ///   have the mark, else as ``StoreCopy/copy(_:to:)`` and ``ObjectCopy/run()``. The store is unchanged.
  @discardableResult
  public func installIfNeeded(
    at path: String, copyOf prepared: String, model: ManagedObjectModel? = nil,
    options: ObjectCopy.Options = ObjectCopy.Options()
  ) throws(DefaultDataError) -> Outcome {
    do {
      let found = try state(ofStore: path)
      if case .installed = found { return .nothing }
      guard case .installed(let seed) = try state(ofStore: prepared) else {
        throw StoreError(
          .notFound, path: prepared,
          message: "there is no store with the default data \(identity); make it with mergewalk seed --identity")
      }
      guard case .notInstalled = found else {
        try StoreCopy.copy(prepared, to: path)
        return .created
      }
      var copy = ObjectCopy(from: prepared, to: path)
      copy.model = model
      copy.options = options
      copy.seed = seed
      return try copy.run().isInstalled ? .nothing : .added
    } catch {
      if isInstalledMeanwhile(path, error) { return .nothing }
      throw DefaultDataError(error)
    }
  }
}
