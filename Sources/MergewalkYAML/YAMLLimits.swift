/// The limits on the cost of reading a document; beyond them reading fails with the code `yamlLimit`.
package struct YAMLLimits: Sendable, Hashable {
  /// The greatest size in bytes.
  package var maximumBytes: Int
  /// The greatest depth of nesting.
  package var maximumDepth: Int
  /// The greatest number of nodes, copies made by aliases included.
  package var maximumNodes: Int

  /// Limits for files that people write: 16 MiB, 64 levels, a million nodes.
  package static let standard = YAMLLimits(maximumBytes: 16 << 20, maximumDepth: 64, maximumNodes: 1_000_000)
}
