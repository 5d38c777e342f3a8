public import MergewalkDiagnostics
public import MergewalkObjectModel

/// Versions of one model, oldest first, with the migration routes between them.
public struct ModelVersionList: Sendable {
  /// One version.
  public struct Version: Sendable {
    /// The version's name.
    public var name: String
    /// The model.
    public var model: ManagedObjectModel

    /// Creates a version; by default, its name is the model's.
    public init(_ model: ManagedObjectModel, name: String? = nil) {
      self.model = model
      let known = name ?? model.draft.name
      self.name =
        known.isEmpty ? (model.draft.versionIdentifier.isEmpty ? "the model" : model.draft.versionIdentifier) : known
    }

    /// Whether both have the same stored entities, whatever their names: versions of a YAML model often share a name.
    ///
    /// - Complexity: O(properties).
    public func isSame(as other: Version) -> Bool {
      model === other.model || model.versionHashesDigest == other.model.versionHashesDigest
    }
  }

  /// A version that cannot be read.
  public struct UnreadableVersion: Sendable {
    /// The version's name.
    public let name: String
    /// The findings about it.
    public let findings: DiagnosticList
  }

  /// The versions, oldest first.
  public let versions: [Version]
  /// The versions that were left out because they cannot be read.
  public let unreadable: [UnreadableVersion]
  /// The current version, if the file defines it.
  public let current: Version?

  /// Creates a list of versions in their order.
  public init(_ versions: [Version]) {
    self.init(versions, current: versions.last)
  }

  private init(_ versions: [Version], current: Version?, unreadable: [UnreadableVersion] = []) {
    self.versions = versions
    self.current = current
    self.unreadable = unreadable
  }

  /// The list with the versions of another one before its own.
  public func preceded(by older: ModelVersionList) -> ModelVersionList {
    ModelVersionList(older.versions + versions, current: current, unreadable: older.unreadable + unreadable)
  }

  /// Reads a model with all its versions.
  ///
  /// The versions of an `.xcdatamodeld` are ordered by name, with numbers by value: `Model`, `Model 2`, `Model 10`.
  /// Versions that cannot be read are left out (``unreadable``), except the current one.
  ///
  /// - Parameter path: A path for ``ModelReader``.
  /// - Throws: Findings about the path or the current version.
  public init(path: String) throws(DiagnosticList) {
    guard ModelReader.mayHaveVersions(path) else {
      self.init([Version(try ManagedObjectModel(StoreModel.draft(at: path)))])
      return
    }
    let names = try ModelReader.versions(path)
    var found: [Version] = []
    var unreadable: [UnreadableVersion] = []
    for name in names.names.sorted(by: Self.precedes) {
      do throws(DiagnosticList) {
        found.append(Version(try ManagedObjectModel(StoreModel.draft(at: path, version: name)), name: name))
      } catch {
        if name == names.current { throw error }
        unreadable.append(UnreadableVersion(name: name, findings: error))
      }
    }
    self.init(
      found, current: names.current.flatMap { name in found.first { $0.name == name } }, unreadable: unreadable)
  }

  /// Where a version is in the list, or ``Version/isSame(as:)`` one; `nil` when it does not exist.
  func index(of version: Version) -> Int? { versions.firstIndex { $0.isSame(as: version) } }

  /// Whether a version, or one that is the same, is in the list.
  package func contains(_ version: Version) -> Bool { index(of: version) != nil }

  /// The version with a name; the first one if several have it.
  public func version(named name: String) -> Version? { versions.first { $0.name == name } }

  /// The version of a store; `nil` if none has its hashes.
  public func version(fitting metadata: StoreMetadata) -> Version? {
    versions.first { StoreModel.fit($0.model, metadata, .given) != nil }
  }

  /// The error about a store that was made with none of the versions.
  func noneFits(_ path: String) -> MigrationError {
    let tried = versions.map(\.name).joined(separator: ", ")
    return MigrationError(
      .noSourceModel, path: path,
      message:
        "the store was made with none of the versions at hand (\(tried.isEmpty ? "none given" : tried)), and it"
        + " carries no copy of its model; give the version that it was made with\(unreadableNote)")
  }

  /// What messages add, as a version that cannot be read may be the one that is missing.
  private var unreadableNote: String {
    unreadable.map { version in
      let reason = version.findings.diagnostics.first { $0.severity == .error }?.message ?? ""
      return "; the version \(version.name) cannot be read: \(reason)"
    }.joined()
  }

  /// Whether a name comes first when runs of digits are compared as numbers.
  static func precedes(_ left: String, _ right: String) -> Bool {
    let (one, two) = (parts(left), parts(right))
    for (a, b) in zip(one, two) where a != b {
      if let first = Int(a), let second = Int(b), first != second { return first < second }
      return CodePointOrder.precedes(a, b)
    }
    return one.count < two.count
  }

  private static func parts(_ name: String) -> [String] {
    var result: [String] = []
    for character in name {
      let isDigit = character.isASCII && character.isNumber
      if let last = result.last?.last, (last.isASCII && last.isNumber) == isDigit {
        result[result.count - 1].append(character)
      } else {
        result.append(String(character))
      }
    }
    return result
  }

  // MARK: - Ways

  /// The versions of a migration: directly if that can be inferred, otherwise through as few versions as possible.
  ///
  /// - Parameter path: The path for errors.
  /// - Throws: ``MigrationError`` with `notInferable` and the findings of the direct migration.
  /// - Complexity: O(versions²) comparisons of models if there is no direct way.
  public func route(from start: Version, to end: Version, path: String = "") throws(MigrationError) -> [Version] {
    let straight = InferredMapping(from: start.model, to: end.model).findings
    if straight.isEmpty { return [start, end] }
    let failure = MigrationError(
      .notInferable, path: path,
      message: "the mapping of the data cannot be inferred from \(start.name) to \(end.name)\(unreadableNote)",
      findings: straight)
    guard let last = index(of: end) else { throw failure }
    let nodes = [start] + between(index(of: start), last) + [end]
    var previous: [Int: Int] = [:]
    var reached = [0]
    var next = 0
    while next < reached.count, previous[nodes.count - 1] == nil {
      let node = reached[next]
      next += 1
      for other in (node + 1)..<nodes.count where previous[other] == nil {
        guard InferredMapping(from: nodes[node].model, to: nodes[other].model).findings.isEmpty else { continue }
        previous[other] = node
        reached.append(other)
      }
    }
    guard previous[nodes.count - 1] != nil else { throw failure }
    var route = [nodes.count - 1]
    while let before = previous[route[0]] { route.insert(before, at: 0) }
    return route.map { nodes[$0] }
  }
  /// The versions between two others, in the order of the way; all before the second when the first is not in the list.
  ///
  /// Only what lies between: a way back through an old version would lose what that has no place for.
  private func between(_ first: Int?, _ last: Int) -> [Version] {
    guard let first, first != last else { return first == nil ? Array(versions[..<last]) : [] }
    let inner = versions[(min(first, last) + 1)..<max(first, last)]
    return first < last ? Array(inner) : inner.reversed()
  }
}
