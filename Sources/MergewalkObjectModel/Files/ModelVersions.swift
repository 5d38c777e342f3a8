/// The versions in an `.xcdatamodeld` folder.
public struct ModelVersions: Sendable, Hashable {
  /// The names of the versions (folder names without `.xcdatamodel`), sorted by code points.
  public let names: [String]
  /// The name of the current version: the one that `.xccurrentversion` names, or the only one; `nil` if this is
  /// undecided.
  public let current: String?
}
