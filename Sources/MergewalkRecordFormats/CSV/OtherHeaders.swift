import MergewalkDiagnostics

extension CSVParser {
  /// Whether so many of the names of a header tell it: two thirds, and two at least.
  static func isMet(_ names: Int, of count: Int) -> Bool { names >= max(2, (2 * count + 2) / 3) }

  /// Whether a record with as many fields as the header seems to be the header of another file: it has all of its names,
  /// in whatever case, or most of them in their places beside what could be names.
  ///
  /// It is a record all the same; whoever reads it is told.
  func isNearlyHeader(_ base: UnsafePointer<UInt8>, _ start: Int, _ stop: Int) -> Bool {
    let count = headers.places.count
    if count == 0 || !mayBeHeader(base, start, stop) { return false }
    // Without an array or a hash for a field: in some files each record comes as far as this.
    func place(_ from: Int, _ to: Int) -> Int? {
      headers.place(ignoresCase: true) { use in eachByte(base, from, to, use) }
    }
    var (column, kept, others) = (0, 0, 0)
    var met: Set<Int> = []
    eachField(base, start, stop) { from, to in
      let place = place(from, to)
      if place == column { kept += 1 } else { others += 1 }
      if let place { met.insert(place) }
      column += 1
      return met.count == column || Self.isMet(count - others, of: count)
    }
    if column != count || met.count == count { return column == count }
    guard Self.isMet(kept, of: count) else { return false }
    (column, others) = (0, 0)
    eachField(base, start, stop) { from, to in
      if place(from, to) != column, !couldBeName(base, from, to) { others += 1 }
      column += 1
      return others == 0
    }
    return others == 0
  }

  /// Whether the first field or the second one may be the name of a column, as their first bytes tell: nearly all
  /// records are told by these.
  private func mayBeHeader(_ base: UnsafePointer<UInt8>, _ start: Int, _ stop: Int) -> Bool {
    func mayBegin(_ from: Int) -> Bool {
      var at = from
      while at < stop, base[at] == quote || base[at] == 32 || base[at] == 9 { at += 1 }
      return at < stop && (headers.mayBeName(base[at], nil) || base[at] == escape)
    }
    if mayBegin(start) { return true }
    var result = false
    var column = 0
    eachField(base, start, stop) { from, _ in
      result = column == 1 && mayBegin(from)
      column += 1
      return column < 2
    }
    return result
  }

  private func text(_ base: UnsafePointer<UInt8>, _ from: Int, _ to: Int) -> [UInt8] {
    var text: [UInt8] = []
    eachByte(base, from, to) { text.append($0) }
    return text
  }

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
    // Nearly all records are told by their first fields.
    var met: Set<Int> = []
    var others = 0
    eachField(base, start, stop) { from, to in
      if let place = headers.place({ use in eachByte(base, from, to, use) }), met.insert(place).inserted { return true }
      others += 1
      return others <= fields - fewest
    }
    if met.count < fewest { return nil }
    var more: [[UInt8]] = []
    eachField(base, start, stop) { from, to in
      let name = text(base, from, to)
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
      message: "the header is repeated here with other columns: \(found.joined(separator: " and "));"
        + " what follows would be stored in wrong columns; read each file by itself,"
        + " or set “repeated_headers: record” if this is a record")
  }

  /// Whether a field could be the name of a column: it has text, and is no number, date or the like.
  private static func couldBeName(_ name: [UInt8]) -> Bool {
    name.withUnsafeBufferPointer { CellKind($0, 0, $0.count).couldBeName }
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
