/// What is looked at twice because an option was detected, or quotes are not to be trusted.
extension CSVParser {
  /// Whether a quote that takes in several lines may be one that was left open.
  var quotesAreDoubted: Bool { lenient || caution != nil }

  /// Whether a line among those to skip is where the table begins.
  func isBelowPreamble(_ base: UnsafePointer<UInt8>, _ start: Int, _ stop: Int) -> Bool {
    guard let caution else { return false }
    let line = UnsafeBufferPointer(start: base + start, count: stop - start)
    let isHeader = !caution.header.isEmpty && line.elementsEqual(caution.header)
    return caution.width > 0 ? !isHeader && fieldCount(base, start, stop) == caution.width : isHeader
  }

  /// Whether the byte behind an escape is one that needs it, or both are `\N` as a field that stands for nothing.
  func isEscaped(_ base: UnsafePointer<UInt8>, _ at: Int, _ end: Int) -> Bool {
    let next = base[at + 1]
    switch next {
    case 10, 13, UInt8(ascii: "\""), UInt8(ascii: "'"), quote, escape, delimiter: return true
    case UInt8(ascii: "N") where caution?.allowsEscapedNull ?? nullTokens.contains([UInt8(ascii: "\\"), next]):
      let before = at > 0 ? base[at - 1] : 10
      let length = long?.count ?? 1
      return (before == 10 || before == 13 || (at >= length && isDelimiter(base, at - length, end)))
        && (at + 2 >= end || base[at + 2] == 10 || base[at + 2] == 13 || isDelimiter(base, at + 2, end))
    default: return next == comment.first
    }
  }

  /// How many escapes of a record stand before what needs none, and are left out of its fields.
  func needlessEscapes(_ base: UnsafePointer<UInt8>, _ start: Int, _ stop: Int) -> Int {
    var count = 0
    var at = start
    while at + 1 < stop {
      if base[at] == escape {
        // A blank is kept from being trimmed.
        let isKept = trim && (base[at + 1] == 32 || base[at + 1] == 9)
        if !isKept, !isEscaped(base, at, stop) { count += 1 }
        at += 1
      }
      at += 1
    }
    return count
  }

  /// The number of fields of one line, if all its quotes are right.
  func fieldCount(_ base: UnsafePointer<UInt8>, _ start: Int, _ stop: Int) -> Int {
    var count = 0
    eachField(base, start, stop) { _, _ in count += 1 }
    return count
  }

  /// Calls `body` with the places of the fields of one line.
  private func eachField(_ base: UnsafePointer<UInt8>, _ start: Int, _ stop: Int, _ body: (Int, Int) -> Void) {
    var (at, from) = (start, start)
    var isInside = false
    while at < stop {
      let byte = base[at]
      if byte == escape, escape != delimiter {
        at += 1
      } else if byte == quote, quote != delimiter {
        isInside.toggle()
      } else if !isInside, isDelimiter(base, at, stop) {
        body(from, at)
        at += (long?.count ?? 1) - 1
        from = at + 1
      }
      at += 1
    }
    body(from, stop)
  }

  /// The quote of a field that takes in lines which are records by themselves, as far as columns of numbers and the
  /// like tell; nil if the record has none.
  ///
  /// The last line inside the quotes counts where the field is the last one of its record.
  func quoteAroundRecords(_ base: UnsafePointer<UInt8>, _ start: Int, _ at: Int) -> Int? {
    guard let caution, width > 1, caution.typedColumns.count == width, caution.typedColumns.contains(true) else {
      return nil
    }
    var i = start
    var isFieldStart = true
    while i < at {
      if isFieldStart, base[i] == quote, quote != delimiter {
        let open = i
        let close = closingQuote(base, open, at)
        var line = open + 1
        var isFirst = true
        while line < close {
          var stop = line
          while stop < close, base[stop] != 10, base[stop] != 13 { stop += 1 }
          let isWhole = stop < close || close + 1 >= at
          if !isFirst, isWhole, isRecord(base, line, stop, caution.typedColumns) { return open }
          isFirst = false
          line = stop + 1
        }
        i = close
        isFieldStart = false
      } else {
        isFieldStart = isDelimiter(base, i, at)
        if isFieldStart { i += (long?.count ?? 1) - 1 }
      }
      i += 1
    }
    return nil
  }

  private func closingQuote(_ base: UnsafePointer<UInt8>, _ open: Int, _ end: Int) -> Int {
    var i = open + 1
    while i < end {
      if base[i] == escape, escape != delimiter {
        i += 1
      } else if base[i] == quote {
        if i + 1 < end, base[i + 1] == quote { i += 1 } else { return i }
      }
      i += 1
    }
    return min(i, end)
  }

  /// Whether a line has a value of its kind in each column of numbers, dates and the like that is not empty.
  private func isRecord(_ base: UnsafePointer<UInt8>, _ start: Int, _ stop: Int, _ typed: [Bool]) -> Bool {
    var count = 0
    var fits = true
    var values = 0
    let bytes = UnsafeBufferPointer(start: base, count: stop)
    eachField(base, start, stop) { from, to in
      if count < typed.count, typed[count] {
        let kind = CellKind(bytes, from, to)
        if kind.isTyped { values += 1 } else if kind != .empty, kind != .missing { fits = false }
      }
      count += 1
    }
    return count == width && fits && values > 0
  }
}

// MARK: Headers that stand again

extension CSVParser {
  /// Whether a record is the header again, or one of its records: it has the same names, in whatever quotes, perhaps
  /// behind the mark of a file that was put behind another.
  func isHeaderAgain(_ base: UnsafePointer<UInt8>, _ start: Int, _ stop: Int) -> Bool {
    let hasMark = stop - start >= 3 && base[start] == 0xEF && base[start + 1] == 0xBB && base[start + 2] == 0xBF
    let start = hasMark ? start + 3 : start
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
        if isSame { isSame = column < names.count && isText(base, from, to, names[column]) }
        column += 1
      }
      return isSame && column == names.count
    }
  }

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
  private func eachByte(_ base: UnsafePointer<UInt8>, _ from: Int, _ to: Int, _ body: (UInt8) -> Void) {
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
  fileprivate var records: [[[UInt8]]] = []
  /// What the only one begins with, in the bytes of the mask: without quotes, and in quotes.
  private(set) var head: UInt64 = 0
  private(set) var mask: UInt64 = 0
  private(set) var quotedHead: UInt64 = 0
  private(set) var quotedMask: UInt64 = 0

  /// None.
  init() {}

  /// Those of a header.
  ///
  /// - Parameter isPlain: whether a field is its text, in quotes or not.
  fileprivate init(_ records: [[[UInt8]]], delimiter: UInt8, quote: UInt8, isPlain: Bool) {
    self.records = records
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

  var isEmpty: Bool { records.isEmpty }

  /// Whether one of them may begin here; eight bytes are read.
  @inline(__always)
  func mayBegin(_ bytes: UnsafePointer<UInt8>) -> Bool {
    if isEmpty { return false }
    let begin = UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self).littleEndian
    return begin & mask == head || begin & quotedMask == quotedHead || bytes[0] == 0xEF
  }
}
