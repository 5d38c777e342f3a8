/// How JSON values that follow each other in one file are read.
public struct JSONSequenceOptions: Sendable, Hashable {
  /// The path, from a record, of an array of which each element becomes a record of its own, see ``EachPath``.
  public var each: String?
  /// The longest value in bytes, at most 512 MiB.
  public var maxRecordBytes = 16 << 20
  /// The file's encoding; RFC 7464 has no other than UTF-8, but files with marks of UTF-16 there are.
  public var encoding = TextEncoding.automatic
  /// The treatment of values that are not objects.
  public var scalars = JSONScalars.reject
  /// The treatment of objects that have a requested member twice.
  public var duplicates = JSONDuplicates.reject

  /// The defaults.
  public init() {}
}
