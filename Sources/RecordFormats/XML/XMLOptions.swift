/// How an XML document is read.
public struct XMLOptions: Sendable, Hashable {
  /// What happens to text between the child elements of one element.
  public enum MixedContent: String, Sendable, Hashable, CaseIterable {
    /// The record is refused unless the text is white space.
    case reject
    /// The element's column is all its text with that of its descendants, as XPath's `string()` gives it.
    case text
    /// The element's column is its content as XML.
    case markup
  }

  /// Which elements are records: names from the root with slashes between them, such as `/orders/order`, `*` for any;
  /// nil for the children of the root.
  public var records: String?
  /// The path, from a record, of elements of which each becomes a record of its own, see ``EachPath``.
  public var each: String?
  /// Namespaces that paths and columns may name, by prefix; without any, names are compared as they are written.
  public var namespaces: [String: String] = [:]
  /// What happens to text between child elements.
  public var mixed = MixedContent.reject
  /// The longest record in bytes, at most 512 MiB; a longer one is refused.
  public var maxRecordBytes = 16 << 20
  /// The file's encoding; nil for what its byte order mark or its declaration says, else UTF-8.
  public var encoding: TextEncoding?

  /// The defaults.
  public init() {}
}
