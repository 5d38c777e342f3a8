/// Second looks at the text because an option was detected, or quotes are not to be trusted.
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
    eachField(base, start, stop) { _, _ in
      count += 1
      return true
    }
    return count
  }

  /// Calls `body` with the places of the fields of one line, until it returns false.
  func eachField(_ base: UnsafePointer<UInt8>, _ start: Int, _ stop: Int, _ body: (Int, Int) -> Bool) {
    var (at, from) = (start, start)
    var isInside = false
    while at < stop {
      let byte = base[at]
      if byte == escape, escape != delimiter {
        at += 1
      } else if byte == quote, quote != delimiter {
        isInside.toggle()
      } else if !isInside, isDelimiter(base, at, stop) {
        if !body(from, at) { return }
        at += (long?.count ?? 1) - 1
        from = at + 1
      }
      at += 1
    }
    _ = body(from, stop)
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
      return true
    }
    return count == width && fits && values > 0
  }
}
