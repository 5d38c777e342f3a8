/// The limits on the cost of reading a document; beyond them reading fails with the code `yamlLimit`.
public struct YAMLLimits: Sendable, Hashable {
  /// The greatest size in bytes.
  public var maximumBytes: Int
  /// The greatest depth of nesting.
  public var maximumDepth: Int
  /// The greatest number of nodes, copies made by aliases included.
  public var maximumNodes: Int

  /// Creates limits.
  public init(maximumBytes: Int, maximumDepth: Int, maximumNodes: Int) {
    self.maximumBytes = maximumBytes
    self.maximumDepth = maximumDepth
    self.maximumNodes = maximumNodes
  }

  /// Limits for files that people write: 16 MiB, 64 levels, a million nodes.
  public static let standard = YAMLLimits(maximumBytes: 16 << 20, maximumDepth: 64, maximumNodes: 1_000_000)
}
