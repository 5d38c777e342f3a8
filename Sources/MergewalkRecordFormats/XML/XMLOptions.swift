/// Options for reading an XML document.
public struct XMLOptions: Sendable, Hashable {
  /// The treatment of an element with text between its child elements, if it is a column or contains columns.
  public enum MixedContent: String, Sendable, Hashable, CaseIterable {
    /// The record is refused unless the text is white space, or requested as `#text`. As a column, an element with
    /// elements is JSON text.
    case reject
    /// The column of an element with elements is all its text with that of its descendants, as XPath's `string()` gives
    /// it.
    case text
    /// The column of an element with elements is its content as XML.
    case markup
  }

  /// The elements that are records: names from the root separated by slashes, such as `/orders/order`, with `*` for any
  /// name and `//` in place of the first slash for any depth; nil for the children of the root.
  public var records: String?
  /// Whether a document without any element at ``records`` has no records; otherwise that is an error.
  public var recordsMayBeMissing = false
  /// The path, from a record, of elements that become records of their own, see ``EachPath``.
  public var each: String?
  /// The URIs of namespaces for paths and columns, by prefix, `""` for elements without a prefix; if there are none,
  /// names are compared as written.
  public var namespaces: [String: String] = [:]
  /// The treatment of text between child elements.
  public var mixed = MixedContent.reject
  /// The maximum length of a record in bytes, at most 512 MiB; a longer one is refused.
  public var maxRecordBytes = 16 << 20
  /// The file's encoding; nil for the one given by its byte order mark or its declaration, else UTF-8.
  public var encoding: TextEncoding?

  /// Creates the default options.
  public init() {}

  /// Whether ``records`` is a valid path whose prefixes stand for namespaces, or nil.
  public var hasRecordsPath: Bool {
    records.map { XMLRecordsPath($0, XMLNamespaces(namespaces)) != nil } ?? true
  }

  /// Whether ``each`` is a valid path whose prefixes stand for namespaces, or nil.
  public var hasEachPath: Bool {
    guard let each else { return true }
    guard let names = EachPath(each)?.names else { return false }
    return names.enumerated().allSatisfy {
      XMLColumns.isGood($1, isFirst: $0 == 0, isLast: false, XMLNamespaces(namespaces))
    }
  }
}
