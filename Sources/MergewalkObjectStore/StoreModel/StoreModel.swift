public import MergewalkDiagnostics
public import MergewalkObjectModel
package import MergewalkSQLite

/// The model of a store, found automatically.
///
/// A model is used only if its version hashes are those of the store. The sources are:
///
/// 1. the caller, who gets an error if it does not fit;
/// 2. the copy that this project leaves in the metadata of the stores it makes;
/// 3. the copy that Core Data leaves in `Z_MODELCACHE`.
public struct StoreModel: Sendable {
  /// The source of a model.
  public enum Source: String, Sendable, Hashable {
    /// From the caller.
    case given
    /// From the metadata of a store that this project created.
    case metadata
    /// From the copy that Core Data left.
    case cache
  }

  /// The model.
  public let model: ManagedObjectModel
  /// The configuration whose entities the store has; `nil` for all entities.
  public let configuration: String?
  /// The source of the model.
  public let source: Source

  /// Finds the model of the store at a path.
  ///
  /// - Parameters:
  ///   - path: The store's path.
  ///   - explicit: The model that must be the store's; `nil` to search for it.
  /// - Throws: ``StoreError`` with `incompatibleModel` if the given model is another one, `noModel` if there is none,
  ///   and as ``StoreMetadata/read(path:)``.
  public static func find(path: String, explicit: ManagedObjectModel? = nil) throws(StoreError) -> StoreModel {
    try ReadableStore.withConnection(path) { connection throws(StoreError) in
      try find(connection, explicit: explicit, path: path)
    }
  }

  /// Finds the model of the store at a path, reading the caller's file, if any.
  ///
  /// In an `.xcdatamodeld` with several versions, the store's version is used, unless one is named.
  ///
  /// - Parameters:
  ///   - path: The store's path.
  ///   - modelPath: A path for ``ModelReader``; `nil` to search for the store's own.
  ///   - version: The version of an `.xcdatamodeld` or `.momd`.
  /// - Throws: Findings about the model, or one with the code and the text of a ``StoreError``.
  public static func find(
    path: String, modelAt modelPath: String?, version: String? = nil
  ) throws(DiagnosticList) -> StoreModel {
    var failure: DiagnosticList?
    do throws(StoreError) {
      let found: StoreModel? = try ReadableStore.withConnection(path) { connection throws(StoreError) in
        do throws(DiagnosticList) {
          return try find(connection, path: path, modelAt: modelPath, version: version)
        } catch {
          failure = error
          return nil
        }
      }
      if let found { return found }
    } catch {
      throw DiagnosticList(error)
    }
    throw failure ?? DiagnosticList([])
  }

  /// Finds the model of an open store, reading the one that the caller names; as ``find(path:modelAt:version:)``.
  package static func find(
    _ connection: Connection, path: String, modelAt modelPath: String?, version: String?
  ) throws(DiagnosticList) -> StoreModel {
    do throws(StoreError) {
      guard let modelPath else { return try find(connection, explicit: nil, path: path) }
      let metadata = try StoreMetadata.read(connection)
      for name in versions(of: modelPath, named: version) {
        guard let draft = try? draft(at: modelPath, version: name),
          let model = try? ManagedObjectModel(draft), let fitting = fit(model, metadata, .given)
        else { continue }
        return fitting
      }
    } catch {
      throw DiagnosticList(error)
    }
    // None fits: the current version, or the one that is named, says why.
    let model = try ManagedObjectModel(draft(at: modelPath ?? "", version: version))
    do throws(StoreError) {
      return try find(connection, explicit: model, path: path)
    } catch {
      throw DiagnosticList(error)
    }
  }

  /// The versions to try; one without a name for a model that has only itself.
  private static func versions(of path: String, named version: String?) -> [String?] {
    if version != nil || !ModelReader.mayHaveVersions(path) { return [version] }
    guard let versions = try? ModelReader.versions(path) else { return [nil] }
    return versions.names
  }

  /// Finds the model of an open store.
  ///
  /// - Parameter path: The path that errors name.
  package static func find(
    _ connection: Connection, explicit: ManagedObjectModel?, path: String
  ) throws(StoreError) -> StoreModel {
    let metadata = try StoreMetadata.read(connection)
    if let explicit {
      if let found = fit(explicit, metadata, .given) { return found }
      let differences = ModelHashes(StoreSchema(model: explicit)).differences(fromStore: metadata.hashes)
      throw StoreError(
        .incompatibleModel, path: path, message: "the store was made with another version of the model: \(differences)",
        differences: differences)
    }
    if let found = metadata[ModelCopy.key].flatMap(ModelCopy.model).flatMap({ fit($0, metadata, .metadata) }) {
      return found
    }
    let cached = try ModelCache.read(connection)
    if let found = cached.flatMap({ fit($0, metadata, .cache) }) { return found }
    let message: String
    if metadata[ModelCopy.key] != nil || cached != nil {
      message = "the copy of the model in the store is not that of its data; name the model with --model"
    } else if try ModelCache.content(connection) != nil {
      message = "the copy of the model in the store cannot be read; name the model with --model"
    } else {
      message = "the store carries no copy of its model; name the model with --model (an .xcdatamodeld or a YAML model)"
    }
    throw StoreError(.noModel, path: path, message: message)
  }

  /// Notes about the parts that the reader of a compiled model left out; empty for complete models.
  public var notes: [String] { model.draft.isCompiled ? model.draft.readerFindings.map(\.message) : [] }

  /// The model with the configuration that has the store's hashes; `nil` when there is none.
  static func fit(_ model: ManagedObjectModel, _ metadata: StoreMetadata, _ source: Source) -> StoreModel? {
    let hashes = metadata.hashes
    guard !hashes.entities.isEmpty else { return nil }
    for configuration in [nil] + model.draft.configurations.map({ Optional($0.name) }) {
      guard let schema = StoreSchema(model: model, configuration: configuration) else { continue }
      let own = ModelHashes(schema)
      // Where something was left out of the store's own copy, only the entity's hash tells of it.
      if own == hashes
        || model.draft.isCompiled && source == .cache
          && own.differences(fromStore: hashes).isConfined(to: model.incompleteEntities)
      {
        return StoreModel(model: model, configuration: configuration, source: source)
      }
    }
    return nil
  }
}

extension DiagnosticList {
  /// Creates a finding about a store's file from its error, with the cure.
  public init(_ error: StoreError) {
    let hint: String? =
      switch error.code {
      case .notFound:
        FileKind(error.path) == .missing ? NearestFile.advice(for: error.path, preferring: [".sqlite"]) : nil
      // The message says how a model is named.
      case .noModel: nil
      default: error.advice
      }
    self.init([
      Diagnostic(
        .error, code: error.code.rawValue, path: error.path, position: .file, message: error.message, hint: hint)
    ])
  }
}
