/// How a property list (XML, binary or OpenStep text) is read.
public struct PropertyListOptions: Sendable, Hashable {
  /// Where the array of records is, as for ``JSONOptions/records``; nil when the property list itself is the array.
  public var records: String?
  /// Whether a list without anything at ``records`` has no records; else that is an error.
  public var recordsMayBeMissing = false
  /// The path, from a record, of an array of which each element becomes a record of its own, see ``EachPath``.
  public var each: String?
  /// The longest record in bytes, at most 512 MiB; a longer one is refused.
  public var maxRecordBytes = 16 << 20
  /// The encoding of a text form; nil for what the file says of itself, else UTF-8.
  public var encoding: TextEncoding?

  /// The defaults.
  public init() {}
}
