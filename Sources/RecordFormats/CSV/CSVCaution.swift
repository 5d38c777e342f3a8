/// What keeps text from being lost by options that were detected: where one of them would pass over or join what could be
/// records, these are refused.
public struct CSVCaution: Sendable, Hashable {
  /// Whether a line that begins with the comment prefix is refused if it has as many fields as a record.
  public var doubtsComments = false
  /// Whether the records of other tables than the one that is read are refused, instead of passed over.
  public var refusesOtherTables = false
  /// The header as it stands in the file that was looked at, in UTF-8: it is none of the lines to skip. Empty: unknown.
  public var header: [UInt8] = []
  /// The number of fields of a record where there is no header: a line with so many is none of those to skip. 0: unknown.
  public var width = 0
  /// Which columns hold numbers, dates or the like. A quoted field that takes in lines which are such records is refused.
  public var typedColumns: [Bool] = []

  /// Nothing is doubted.
  public init() {}
}
