import MergewalkDiagnostics

extension CSVParser {
  /// Whether a record with so many fields is one, and not refused for their number.
  @inline(__always)
  func takes(fields count: Int, hasSurplus: Bool) -> Bool {
    if count == width || width == 0 { return true }
    if count < width { return pads }
    return longRecords == .truncate || (longRecords == .dropEmpty && !hasSurplus)
  }

  /// The failure of a record that is the header of a table with more columns, or fewer; nil if it is none.
  ///
  /// Padded or cut, what follows it would be stored in wrong columns. It is a header if it has two of the names, and all
  /// of them, or half of them beside what could be names. A record that is refused for its width needs none of this.
  ///
  /// - Parameter fields: the number of fields of the record.
  @inline(never)
  func headerOfOtherColumns(
    _ base: UnsafePointer<UInt8>, _ start: Int, _ stop: Int, fields: Int, origin: Int
  ) -> ParseFailure? {
    let count = headers.places.count
    let fewest = max(2, (count + 1) / 2)
    if count == 0 || fields < fewest { return nil }
    let begin = Self.behindMark(base, start, stop)
    // Nearly all records are told by their first fields.
    var met: Set<Int> = []
    var others = 0
    eachField(base, begin, stop) { from, to in
      if let place = headers.place({ use in eachByte(base, from, to, use) }), met.insert(place).inserted { return true }
      others += 1
      return others <= fields - fewest
    }
    if met.count < fewest { return nil }
    var more: [[UInt8]] = []
    eachField(base, begin, stop) { from, to in
      var name: [UInt8] = []
      eachByte(base, from, to) { name.append($0) }
      if headers.places[name] == nil { more.append(name) }
      return true
    }
    guard met.count == count || more.allSatisfy(Self.couldBeName) else { return nil }
    let fewer = headers.records[0].indices.filter { !met.contains($0) }.map { headers.records[0][$0] }
    var found: [String] = []
    if !fewer.isEmpty { found.append("without \(Self.list(fewer))") }
    if !more.isEmpty { found.append("with \(Self.list(more)) besides") }
    if found.isEmpty { found.append("with a name twice") }
    return ParseFailure(
      code: .reorderedHeader, position: SourcePosition(line: line, column: 1, byteOffset: origin + start),
      message: "the header stands here again with other columns: \(found.joined(separator: " and "));"
        + " what follows would be stored in wrong columns; read each file by itself,"
        + " or say “repeated_headers: record” if this is a record")
  }

  /// Whether a field could be the name of a column: it has text, and is no number, date or the like.
  private static func couldBeName(_ name: [UInt8]) -> Bool {
    let kind = name.withUnsafeBufferPointer { CellKind($0, 0, $0.count) }
    return kind != .empty && kind != .missing && !kind.isTyped
  }

  /// Whether a field of a record could be the name of a column.
  func couldBeName(_ base: UnsafePointer<UInt8>, _ from: Int, _ to: Int) -> Bool {
    var name: [UInt8] = []
    eachByte(base, from, to) { name.append($0) }
    return Self.couldBeName(name)
  }

  /// Three names at most, for a message.
  private static func list(_ names: [[UInt8]]) -> String {
    let shown = names.prefix(3).map { "“\(words($0))”" }.joined(separator: ", ")
    return names.count > 3 ? "\(shown) and \(names.count - 3) more" : shown
  }
}
