public import MergewalkObjectModel
public import MergewalkObjectStore

/// Default data that a store gets once: data that an app brings along for a new user, or for a new document.
///
/// ```swift
/// let data = DefaultData(identity: "airports-2026")
/// try data.installIfNeeded(at: "shop.sqlite", copyOf: "default.sqlite")
/// ```
///
/// Whether a store has got them is a mark in its metadata (``StoreSeed``), written in the transaction that writes the
/// last of the data. So a store that was created and then not filled, because the program died in between, gets them
/// the next time; and one that has got them does not get them again, whatever the user made of them.
///
/// Source: Core Data Programming Guide, "Frequently Asked Questions", on initializing a store with default data.
public struct DefaultData: Sendable, Hashable {
  /// Which data they are; another name is other data, which a store gets beside those it has.
  public var identity: String

  /// Names the data.
  public init(identity: String) { self.identity = identity }

  /// The state of a path, as far as these data are concerned.
  public enum State: Sendable, Hashable {
    /// There is no file.
    case noStore
    /// There is a store, and it has not got the data: it is new, or comes from an earlier version of the app.
    case notInstalled
    /// The store has got the data.
    case installed(StoreSeed)
  }

  /// The outcome of ``installIfNeeded(at:model:configuration:fill:)`` and its relatives.
  public enum Outcome: Sendable, Hashable {
    /// There was no store; there is one with the data now.
    case created
    /// There was a store; the data are in it now.
    case added
    /// There was nothing to do.
    case nothing
  }

  /// Looks whether a store has got the data, without opening it as one.
  ///
  /// No entity's table is read, and no model is needed.
  ///
  /// - Throws: `StoreError` as `StoreMetadata.read(path:)` does, except that no file is an answer.
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

  /// Lets code make the data, unless the store has got them.
  ///
  /// What `fill` makes and the mark are one transaction: an error, or the death of the process, leaves the store as it
  /// was, and no store where there was none. The context is saved when `fill` returns; it may save before, but must not
  /// go on after a save that the database refused. Batch requests want a transaction of their own and are refused. The
  /// context must not be kept.
  ///
  /// - Parameters:
  ///   - path: The store's path; no process may have the store open.
  ///   - model: The model.
  ///   - configuration: The configuration whose entities the store has; `nil` for all.
  ///   - fill: Makes the objects; is not called when the store has got the data.
  /// - Throws: ``DefaultDataError``; what `fill` throws is in it.
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
        try install(StoreFile.open(path: path, model: model, configuration: configuration), fill)
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

  /// Makes a new document with the data; a document that is there is left alone, with or without a mark.
  ///
  /// This is the check for documents, which belong to their users: only a new one gets default data.
  ///
  /// - Throws: ``DefaultDataError``; there is no document then, or the one that was.
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

  /// Installs the data of a prepared store, unless the store has got them.
  ///
  /// Where there is no store, the prepared one is copied, byte for byte; where there is one, the objects are copied
  /// into it with new primary keys, in one transaction. The prepared store must bear the mark of these data: `mergewalk
  /// seed` makes such stores.
  ///
  /// - Parameters:
  ///   - path: The store's path; no process may have the store open.
  ///   - prepared: The path of the prepared store, which may lie where nothing can be written.
  ///   - model: The model of the store that is there; `nil` for the copy that it carries.
  ///   - options: What becomes of objects that both stores have.
  /// - Throws: ``DefaultDataError`` with a ``DefaultDataError/store(_:)``: `notFound` when the prepared store does not
  ///   bear the mark, else as ``StoreCopy/copy(_:to:)`` and ``ObjectCopy/run()``. The store is as it was.
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
      _ = try copy.run()
      return .added
    } catch {
      if isInstalledMeanwhile(path, error) { return .nothing }
      throw DefaultDataError(error)
    }
  }
}
