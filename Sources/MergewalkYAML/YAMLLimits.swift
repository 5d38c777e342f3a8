/// The limits on the cost of reading a document that people write; beyond them reading fails with the code `yamlLimit`.
package enum YAMLLimits {
  /// The greatest size in bytes.
  package static let maximumBytes = 16 << 20
  /// The greatest depth of nesting.
  static let maximumDepth = 64
  /// The greatest number of nodes, copies made by aliases included.
  static let maximumNodes = 1_000_000
}
