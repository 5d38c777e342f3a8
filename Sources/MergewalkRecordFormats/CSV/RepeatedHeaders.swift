import MergewalkBytes
import MergewalkDiagnostics

extension CSVParser {
  /// Whether a record is the header again, or one of its records: it has the same names, in whatever quotes.
  func isHeaderAgain(_ base: UnsafePointer<UInt8>, _ start: Int, _ stop: Int) -> Bool {
    var text = start
    if trim { while text < stop, base[text] == 32 || base[text] == 9 { text += 1 } }
    let isQuoted = text < stop && base[text] == quote && quote != delimiter
    if isQuoted, trimsQuoted { while text + 1 < stop, base[text + 1] == 32 || base[text + 1] == 9 { text += 1 } }
    return headers.records.contains { names in
      // Nearly all records are told by their first byte.
      if let first = names.first?.first {
        guard text < stop else { return false }
        let begins = base[text] == first || base[text] == escape
        let beginsInside = isQuoted && text + 1 < stop && (base[text + 1] == first || base[text + 1] == escape)
        guard begins || beginsInside else { return false }
      }
      var column = 0
      var isSame = true
      eachField(base, start, stop) { from, to in
        // Where surplus fields are dropped, empty ones behind the names are none of the header either.
        let isNamed = column < names.count
        isSame = (isNamed || longRecords != .refuse) && isText(base, from, to, isNamed ? names[column] : [])
        column += 1
        return isSame
      }
      return isSame && column >= names.count
    }
  }

  /// Whether a record has all names of the header, and in another order; or of four names or more all but one in their
  /// places, and behind the first one what could be a name.
  func isHeaderReordered(_ base: UnsafePointer<UInt8>, _ start: Int, _ stop: Int) -> Bool {
    if headers.places.isEmpty { return false }
    var text = start
    // Nearly all records are told by their first byte.
    while text < stop, base[text] == quote || base[text] == 32 || base[text] == 9 { text += 1 }
    guard text < stop, headers.mayBeName(base[text], nil) || base[text] == escape else { return false }
    var column = 0
    var (isNames, isMoved, isRenamed) = (true, false, false)
    var met: Set<Int> = []
    eachField(base, start, stop) { from, to in
      if let place = headers.place({ use in eachByte(base, from, to, use) }) {
        isNames = met.insert(place).inserted
        isMoved = isMoved || place != column
      } else {
        isNames = column > 0 && !isRenamed && headers.places.count >= 4 && couldBeName(base, from, to)
        isRenamed = true
      }
      column += 1
      return isNames && !(isMoved && isRenamed)
    }
    return isNames && isMoved != isRenamed && column == headers.places.count
  }

  /// The failure of a record that is the header in another order: what follows it would be stored in wrong columns.
  func reordered(_ base: UnsafePointer<UInt8>, _ start: Int, _ stop: Int, origin: Int) -> ParseFailure {
    var names: [[UInt8]] = []
    eachField(base, start, stop) { from, to in
      var name: [UInt8] = []
      eachByte(base, from, to) { name.append($0) }
      names.append(name)
      return true
    }
    let header = headers.records[0]
    let column = header.indices.first { $0 < names.count && header[$0] != names[$0] } ?? 0
    let (above, found) = (Self.words(header[column]), Self.words(names[column]))
    let how =
      headers.places[names[column]] == nil ? "with a column of another name" : "with its columns in another order"
    return ParseFailure(
      code: .reorderedHeader, position: SourcePosition(line: line, column: 1, byteOffset: origin + start),
      message: "the header is repeated here \(how): column \(column + 1) is"
        + " “\(above)” above and “\(found)” here; read each file by itself, or set “repeated_headers: record” if this is"
        + " a record")
  }

  /// A name for a message: its beginning.
  static func words(_ name: [UInt8]) -> String { String(decoding: name.prefix(60), as: UTF8.self) }

  /// The headers to tell again, of their records as they stand in the file.
  func repeatedHeaders(_ records: [[UInt8]]) -> RepeatedHeaders {
    let names: [[[UInt8]]] = records.map { record in
      record.withUnsafeBufferPointer { bytes in
        var names: [[UInt8]] = []
        guard let base = bytes.baseAddress else { return names }
        eachField(base, 0, bytes.count) { from, to in
          var name: [UInt8] = []
          eachByte(base, from, to) { name.append($0) }
          names.append(name)
          return true
        }
        return names
      }
    }
    // A record without any name is no header where it stands again.
    return RepeatedHeaders(
      names.filter { $0.contains { !$0.isEmpty } }, delimiter: delimiter, quote: quote,
      isPlain: !trim && !trimsQuoted && escape == delimiter && long == nil)
  }

  private func isText(_ base: UnsafePointer<UInt8>, _ from: Int, _ to: Int, _ text: [UInt8]) -> Bool {
    var index = 0
    var isSame = true
    eachByte(base, from, to) { byte in
      if isSame { isSame = index < text.count && text[index] == byte }
      index += 1
    }
    return isSame && index == text.count
  }

  /// Calls `body` with the bytes of a field's text, without its quotes and escapes.
  func eachByte(_ base: UnsafePointer<UInt8>, _ from: Int, _ to: Int, _ body: (UInt8) -> Void) {
    func isBlank(_ at: Int) -> Bool { base[at] == 32 || base[at] == 9 }
    var (at, end) = (from, to)
    if trim {
      while at < end, isBlank(at) { at += 1 }
      while at < end, isBlank(end - 1) { end -= 1 }
    }
    let isQuoted = quote != delimiter && end - at >= 2 && base[at] == quote && base[end - 1] == quote
    if isQuoted {
      at += 1
      end -= 1
      if trimsQuoted {
        while at < end, isBlank(at) { at += 1 }
        while at < end, isBlank(end - 1) { end -= 1 }
      }
    }
    while at < end {
      let isPair = isQuoted && base[at] == quote && at + 1 < end && base[at + 1] == quote
      if isPair || (base[at] == escape && escape != delimiter && at + 1 < end) { at += 1 }
      body(base[at])
      at += 1
    }
  }
}

/// The names of the columns, to tell the records in which they stand again.
struct RepeatedHeaders {
  /// The names in each record of the header.
  fileprivate(set) var records: [[[UInt8]]] = []
  /// The first bytes of the only one, in the bytes of the mask: without quotes, and in quotes.
  private(set) var head: UInt64 = 0
  private(set) var mask: UInt64 = 0
  private(set) var quotedHead: UInt64 = 0
  private(set) var quotedMask: UInt64 = 0
  /// The column of each name, of a header of one record.
  private(set) var places: [[UInt8]: Int] = [:]
  /// The columns of names by the hash of their small letters, the last one first.
  private var columns: [UInt64: [Int]] = [:]
  /// The columns of names with letters beyond ASCII, by their small letters; of several the last.
  private var foldedColumns: [String: Int] = [:]
  /// By the first byte of a name, small or capital: bit n is set if one has n bytes, its quotes doubled or not; bit 63 stands for more.
  private var lengths: [UInt64] = []

  init() {}

  /// Those of a header.
  ///
  /// - Parameter isPlain: whether a field is its text, in quotes or not.
  fileprivate init(_ records: [[[UInt8]]], delimiter: UInt8, quote: UInt8, isPlain: Bool) {
    self.records = records
    if records.count == 1 { findPlaces(quote) }
    // Several, and a name with a quote, begin in several ways: each record is looked at.
    guard isPlain, records.count == 1, let name = records[0].first, !name.contains(quote) else { return }
    (head, mask) = Self.head(records[0].count > 1 ? name + [delimiter] : name)
    (quotedHead, quotedMask) = quote == delimiter ? (head, mask) : Self.head([quote] + name + [quote])
  }

  private static func head(_ bytes: [UInt8]) -> (head: UInt64, mask: UInt64) {
    var (head, mask): (UInt64, UInt64) = (0, 0)
    for (index, byte) in bytes.prefix(8).enumerated() {
      head |= UInt64(byte) << UInt64(8 * index)
      mask |= 0xFF << UInt64(8 * index)
    }
    return (head, mask)
  }

  private mutating func findPlaces(_ quote: UInt8) {
    lengths = Array(repeating: 0, count: 256)
    for (column, name) in records[0].enumerated() {
      guard let first = name.first else { continue }
      let doubled = name.count(where: { $0 == quote })
      for length in [name.count, name.count + doubled] {
        for begin in [first.lowercased, first.uppercased] { lengths[Int(begin)] |= 1 << UInt64(min(63, length)) }
      }
      if name.contains(where: { $0 >= 0x80 }) { addFolded(name, column, doubled) }
      places[name] = column
      var hash = FNVHash()
      for byte in name { hash.add(byte.lowercased) }
      columns[hash.value, default: []].insert(column, at: 0)
    }
  }

  /// Notes a name with letters beyond ASCII, whose capitals may have other bytes, and more or fewer of them.
  private mutating func addFolded(_ name: [UInt8], _ column: Int, _ doubled: Int) {
    let text = String(decoding: name, as: UTF8.self)
    foldedColumns[text.lowercased()] = column
    let widest = text.unicodeScalars.count(where: { !$0.isASCII })
    for begin in [text, text.lowercased(), text.uppercased()].compactMap(\.utf8.first) {
      for length in max(1, name.count - 2 * widest)...name.count + doubled + 2 * widest {
        lengths[Int(begin)] |= 1 << UInt64(min(63, length))
      }
    }
  }

  var isEmpty: Bool { records.isEmpty }

  /// Whether a field with this first byte, and so many bytes if that is known, may be a name.
  @inline(__always)
  func mayBeName(_ first: UInt8, _ length: Int?) -> Bool {
    if lengths.isEmpty { return false }
    let known = lengths[Int(first)]
    guard let length else { return known != 0 }
    return known >> UInt64(min(63, length)) & 1 != 0
  }

  /// Whether a record may be one of them, in another order or with other names among theirs, as the first bytes and the
  /// lengths of its fields tell: of nearly all records two or three fields are looked at.
  ///
  /// - Parameter field: where a column's text begins, how many bytes it has, and in which bytes.
  @inline(__always)
  func mayBeHeader(width: Int, _ field: (Int) -> (start: Int, length: Int, base: UnsafePointer<UInt8>)) -> Bool {
    if lengths.isEmpty { return false }
    var (others, column) = (0, 0)
    while column < width {
      let (start, length, base) = field(column)
      if !mayBeName(base[start], length) {
        others += 1
        // One of the first two is a name.
        if others > mostOthers || others == 2 && column == 1 { return false }
      }
      column += 1
    }
    return others < width
  }

  /// So many fields of a header may be other names.
  private var mostOthers: Int { max(1, places.count - max(2, (2 * places.count + 2) / 3)) }

  /// The column whose name a field is; of several the last.
  ///
  /// Case is ignored as where the names of a header are compared with each other: of all letters.
  ///
  /// - Parameter each: calls its parameter with each byte of the field.
  func place(ignoresCase: Bool = false, _ each: ((UInt8) -> Void) -> Void) -> Int? {
    var (first, count, hash, isASCII): (UInt8, Int, FNVHash, Bool) = (0, 0, FNVHash(), true)
    each { byte in
      if count == 0 { first = byte }
      if byte >= 0x80 { isASCII = false }
      hash.add(byte.lowercased)
      count += 1
    }
    guard count > 0, mayBeName(first, count) else { return nil }
    let known = columns[hash.value]?.first { column in
      let name = records[0][column]
      guard name.count == count else { return false }
      var (index, isSame) = (0, true)
      each { byte in
        if isSame { isSame = byte == name[index] || ignoresCase && byte.lowercased == name[index].lowercased }
        index += 1
      }
      return isSame
    }
    if known != nil || isASCII || !ignoresCase || foldedColumns.isEmpty { return known }
    var name: [UInt8] = []
    each { name.append($0) }
    return foldedColumns[String(decoding: name, as: UTF8.self).lowercased()]
  }

  /// Whether one of them may begin here; eight bytes are read.
  @inline(__always)
  func mayBegin(_ bytes: UnsafePointer<UInt8>) -> Bool {
    if isEmpty { return false }
    let begin = UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self).littleEndian
    return begin & mask == head || begin & quotedMask == quotedHead
  }
}
