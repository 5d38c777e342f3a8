public import MergewalkDiagnostics

/// Models made of several.
extension ManagedObjectModel {
  /// Creates a model with the contents of several models, typically from different packages.
  ///
  /// - Throws: `duplicateEntity`, with both positions, for an entity that two of them define differently, and all
  ///   findings of lint about the result.
  /// - Complexity: O(entities × properties).
  /// - Source: Apple, [NSManagedObjectModel
  ///   init(byMerging:)](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodel/init(bymerging:)).
  public convenience init(merging models: [ManagedObjectModel]) throws(DiagnosticList) {
    try self.init(.merging(models.map(\.draft)))
  }

  /// Creates a model with the contents of the models in several files.
  ///
  /// - Parameter paths: files for ``ModelReader/read(_:version:)``, in `.xcdatamodeld` folders the current version;
  ///   also other folders, which stand for all the `.xcdatamodeld` and `.xcdatamodel` in them. Models may refer to each
  ///   other.
  /// - Throws: as ``ModelReader/read(_:version:)`` and ``init(merging:)``.
  /// - Source: Apple,
  ///   [mergedModel(from:)](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodel/mergedmodel(from:)).
  public convenience init(mergingFilesAt paths: [String]) throws(DiagnosticList) {
    var drafts: [ModelDraft] = []
    for path in try ModelReader.modelPaths(paths) { drafts.append(try ModelReader.read(path)) }
    try self.init(.merging(drafts))
  }

  /// Creates the model of a store from the versions of the models in several files.
  ///
  /// A model belongs to the store if one of its versions has only entities of the store, each with the store's hash;
  /// those versions are merged. Among versions with equal hashes, the current one counts, then the last by name. Models
  /// that refer to each other's entities cannot be judged separately; of these, the current versions are tried.
  ///
  /// - Parameters:
  ///   - paths: as for ``init(mergingFilesAt:)``.
  ///   - hashes: the version hash of each of the store's entities, from its metadata.
  /// - Throws: `noMatchingVersion` with the entities that no version has, and as ``ModelReader/read(_:version:)``.
  /// - Complexity: O(versions × size).
  /// - Source: Apple,
  ///   [mergedModel(from:forStoreMetadata:)](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodel/mergedmodel(from:forstoremetadata:)).
  public convenience init(
    mergingFilesAt paths: [String], forVersionHashes hashes: [String: [UInt8]]
  ) throws(DiagnosticList) {
    var drafts: [ModelDraft] = []
    for path in try ModelReader.modelPaths(paths) {
      if let draft = try Self.version(at: path, for: hashes) { drafts.append(draft) }
    }
    let found = Set(drafts.flatMap { $0.entities.map(\.name) })
    let missing = hashes.keys.filter { !found.contains($0) }.sorted(by: CodePointOrder.precedes)
    try Self.require(missing, paths)
    try self.init(.merging(drafts))
    // Versions that were taken without being judged are judged here.
    let mine = Dictionary(versionHashes.map { ($0.name, $0.hash) }) { first, _ in first }
    try Self.require(hashes.keys.filter { mine[$0] != hashes[$0] }.sorted(by: CodePointOrder.precedes), paths)
  }

  private static func require(_ missing: [String], _ paths: [String]) throws(DiagnosticList) {
    guard !missing.isEmpty else { return }
    let names = missing.prefix(10).map { "“\($0)”" }.joined(separator: ", ") + (missing.count > 10 ? " …" : "")
    throw DiagnosticList(
      error: "noMatchingVersion", path: paths.first ?? "model",
      message: "no version of the models has these entities as the store has them: \(names)",
      hint: "the store was made with a model that is not among them")
  }

  /// The version of a model that fits a store, or `nil` when none does.
  private static func version(at path: String, for hashes: [String: [UInt8]]) throws(DiagnosticList) -> ModelDraft? {
    var names: [String?] = [nil]
    if let versions = try? ModelReader.versions(path) {
      // The current version comes first, then the last by name.
      let others = versions.names.filter { $0 != versions.current }.reversed()
      names = ([versions.current].compactMap { $0 } + others).map(Optional.some)
    }
    var open: ModelDraft?
    for name in names {
      let draft = try ModelReader.read(path, version: name)
      guard let model = try? ManagedObjectModel(draft) else {
        if open == nil, draft.entities.contains(where: { hashes[$0.name] != nil }) { open = draft }
        continue
      }
      if !model.entities.isEmpty, model.versionHashes.allSatisfy({ hashes[$0.name] == $0.hash }) { return draft }
    }
    return open
  }

  /// Whether a configuration's entities (all entities for `nil`) are those of a store with these version hashes, so
  /// that the store can be opened with this model.
  ///
  /// - Returns: false also if there is no such configuration.
  /// - Source: Apple,
  ///   [isConfiguration(withName:compatibleWithStoreMetadata:)](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodel/isconfiguration(withname:compatiblewithstoremetadata:)).
  public func isConfiguration(_ name: String?, compatibleWithVersionHashes hashes: [String: [UInt8]]) -> Bool {
    guard let entities = entities(forConfiguration: name) else { return false }
    let mine = Dictionary(versionHashes.map { ($0.name, $0.hash) }) { first, _ in first }
    return entities.count == hashes.count && entities.allSatisfy { mine[$0.name] == hashes[$0.name] }
  }
}

extension ModelReader {
  /// The models that paths stand for: folders that are no models stand for the models in them.
  static func modelPaths(_ paths: [String]) throws(DiagnosticList) -> [String] {
    let kinds = [".xcdatamodeld", ".xcdatamodel", ".momd", ".mom"]
    var models: [String] = []
    for path in paths {
      let trimmed = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
      guard !kinds.contains(where: trimmed.hasSuffix), FileKind(trimmed) == .folder else {
        models.append(trimmed)
        continue
      }
      let inside = FileKind.entries(of: trimmed).filter { entry in kinds.contains { entry.hasSuffix($0) } }
      guard !inside.isEmpty else {
        throw DiagnosticList(
          error: "notAModel", path: trimmed, message: "the folder holds no model",
          hint: "give an .xcdatamodeld, .xcdatamodel or .momd folder, or a .mom or .yaml file")
      }
      models += inside.map { trimmed + "/" + $0 }
    }
    return models
  }
}
