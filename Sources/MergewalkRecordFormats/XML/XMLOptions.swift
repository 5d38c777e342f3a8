/// How an XML document is read.
public struct XMLOptions: Sendable, Hashable {
  /// The treatment of an element with text between its child elements, when it is a column or has columns inside.
  public enum MixedContent: String, Sendable, Hashable, CaseIterable {
    /// The record is refused unless the text is white space, or asked for as `#text`. An element with elements is JSON
    /// text as a column.
    case reject
    /// The column of an element with elements is all its text with that of its descendants, as XPath's `string()` gives
    /// it.
    case text
    /// The column of an element with elements is its content as XML.
    case markup
  }

  /// Which elements are records: names from the root with slashes between them, such as `/orders/order`, with `*` for any
  /// name and `//` in place of the first slash for any depth; nil for the children of the root.
  public var records: String?
  /// Whether a document without any element at ``records`` has no records; else that is an error.
  public var recordsMayBeMissing = false
  /// The path, from a record, of elements of which each becomes a record of its own, see ``EachPath``.
  public var each: String?
  /// The URIs of namespaces that paths and columns may name, by prefix, `""` for elements without a prefix; without any,
  /// names are compared as they are written.
  public var namespaces: [String: String] = [:]
  /// The treatment of text between child elements.
  public var mixed = MixedContent.reject
  /// The longest record in bytes, at most 512 MiB; a longer one is refused.
  public var maxRecordBytes = 16 << 20
  /// The file's encoding; nil for what its byte order mark or its declaration says, else UTF-8.
  public var encoding: TextEncoding?

  /// The defaults.
  public init() {}

  /// Whether ``records`` is a path whose prefixes stand for namespaces, or nil.
  public var hasRecordsPath: Bool {
    records.map { XMLRecordsPath($0, XMLNamespaces(namespaces)) != nil } ?? true
  }

  /// Whether ``each`` is a path whose prefixes stand for namespaces, or nil.
  public var hasEachPath: Bool {
    guard let each else { return true }
    guard let names = EachPath(each)?.names else { return false }
    return names.enumerated().allSatisfy {
      XMLColumns.isGood($1, isFirst: $0 == 0, isLast: false, XMLNamespaces(namespaces))
    }
  }
}
