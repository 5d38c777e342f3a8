/// The values to read from each JSON record, and the handling of records that JSON allows and tables do not.
struct JSONRequest {
  /// The number of columns of a record.
  let columnCount: Int
  /// The columns; with `each` those of a whole record, and behind them, as another column, the part with its elements.
  let paths: JSONPaths
  /// The elements of the part of the record that become records of their own.
  var each: JSONEach?
  /// Whether what is no object is a record, instead of a reject.
  let takesScalars: Bool
  /// The column that such a record has, or -1 when it was not asked for.
  let valueColumn: Int
  /// Whether of members that stand twice the last one counts, instead of the record being refused.
  let keepsLast: Bool

  /// Column i is what path i leads to.
  init(
    _ paths: [[[UInt8]]], each: EachPath? = nil, scalars: JSONScalars = .reject, duplicates: JSONDuplicates = .reject,
    takesText: Bool = false
  ) {
    columnCount = paths.count
    takesScalars = scalars == .value
    keepsLast = duplicates == .last
    valueColumn = paths.firstIndex { $0 == [Array("value".utf8)] } ?? -1
    guard let each else {
      self.paths = JSONPaths(paths, takesText: takesText)
      self.each = nil
      return
    }
    let own = paths.indices.filter { !paths[$0].starts(with: each.names) }
    let parts = paths.indices.filter { paths[$0].starts(with: each.names) }
    self.paths = JSONPaths(own.map { paths[$0] } + [each.names], columns: own + [paths.count])
    self.each = JSONEach(
      JSONPaths(parts.map { Array(paths[$0].dropFirst(each.names.count)) }, columns: parts), ownColumns: own,
      columnCount: paths.count)
  }

  /// The number of entries that the fields of one record take where it is parsed.
  var width: Int { each == nil ? columnCount : columnCount + 1 }
  /// Where they begin, for the record that will be row `count` of a batch.
  func row(_ count: Int) -> Int { each == nil ? count * columnCount : 0 }
}

/// The treatment of records that are JSON but not objects.
public enum JSONScalars: String, Sendable, Hashable, CaseIterable {
  /// They are rejected, `notAnObject`.
  case reject
  /// They are records with the one column `value`. A document that is not an array is one record, whatever it is.
  case value
}

/// The treatment of objects with a repeated requested member.
public enum JSONDuplicates: String, Sendable, Hashable, CaseIterable {
  /// They are rejected, `duplicateMember`.
  case reject
  /// The last one counts.
  case last
}
