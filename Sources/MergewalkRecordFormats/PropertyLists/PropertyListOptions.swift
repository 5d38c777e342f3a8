/// Options for reading a property list (XML, binary or OpenStep text).
public struct PropertyListOptions: Sendable, Hashable {
  /// The path of the array of records, as for ``JSONOptions/records``; nil if the property list itself is the array.
  public var records: String?
  /// Whether a list with nothing at ``records`` has no records; otherwise that is an error.
  public var recordsMayBeMissing = false
  /// The path, from a record, of an array whose elements become records of their own, see ``EachPath``.
  public var each: String?
  /// The maximum length of a record in bytes, at most 512 MiB; a longer one is refused.
  public var maxRecordBytes = 16 << 20
  /// The encoding of a text form; nil for the one that the file declares, else UTF-8.
  public var encoding: TextEncoding?

  /// Creates the default options.
  public init() {}
}
