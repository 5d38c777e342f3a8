/// How a YAML stream is read.
public struct YAMLOptions: Sendable, Hashable {
  /// Where the sequence of records is in each document, as for ``JSONOptions/records``; nil when each document is the
  /// sequence, or is itself one record.
  public var records: String?
  /// Whether a stream without anything at ``records`` has no records; else that is an error.
  public var recordsMayBeMissing = false
  /// The path, from a record, of a sequence of which each item becomes a record of its own, see ``EachPath``.
  public var each: String?
  /// The longest record in bytes, at most 512 MiB; a longer one is refused.
  public var maxRecordBytes = 16 << 20
  /// How much of a document's anchored nodes is kept for its aliases, in bytes; an alias to what was not kept is refused.
  public var maxAnchorBytes = 8 << 20
  /// Whether what is no mapping is a record with the one column `value`, instead of being refused.
  public var takesScalars = false
  /// The file's encoding: UTF-8, or what its byte order mark says.
  public var encoding = TextEncoding.automatic

  /// The defaults.
  public init() {}
}
