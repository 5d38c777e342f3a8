/// Options for reading consecutive JSON values from one file.
public struct JSONSequenceOptions: Sendable, Hashable {
  /// The path, from a record, of an array whose elements become records of their own, see ``EachPath``.
  public var each: String?
  /// The maximum length of a value in bytes, at most 512 MiB.
  public var maxRecordBytes = 16 << 20
  /// The file's encoding; RFC 7464 allows only UTF-8, but files with UTF-16 marks exist.
  public var encoding = TextEncoding.automatic
  /// The treatment of values that are not objects.
  public var scalars = JSONScalars.reject
  /// The treatment of objects with a repeated requested member.
  public var duplicates = JSONDuplicates.reject

  /// Creates the default options.
  public init() {}
}
