/// Options for reading a YAML stream.
public struct YAMLOptions: Sendable, Hashable {
  /// The path of the sequence of records in each document, as for ``JSONOptions/records``; nil if each document is the
  /// sequence, or is itself one record.
  public var records: String?
  /// Whether a stream with nothing at ``records`` has no records; otherwise that is an error.
  public var recordsMayBeMissing = false
  /// The path, from a record, of a sequence whose items become records of their own, see ``EachPath``.
  public var each: String?
  /// The maximum length of a record in bytes, at most 512 MiB; a longer one is refused.
  public var maxRecordBytes = 16 << 20
  /// The maximum size of a document's anchored nodes kept for aliases, in bytes; an alias to a node that was not kept
  /// is refused.
  public var maxAnchorBytes = 8 << 20
  /// Whether anything but a mapping is a record with the one column `value`, instead of being refused.
  public var takesScalars = false
  /// The file's encoding: UTF-8, or that of its byte order mark.
  public var encoding = TextEncoding.automatic

  /// Creates the default options.
  public init() {}
}
