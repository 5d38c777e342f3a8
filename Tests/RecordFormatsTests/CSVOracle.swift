import MergewalkRecordFormats

/// A slow, obvious CSV parser: one byte after the other over the whole text, for files without a header.
struct CSVOracle {
  let bytes: [UInt8]
  let options: CSVOptions
  private var i = 0
  /// Whether the last quoted field had text behind its closing quote.
  private var hasTextBehind = false
  private var fault: (code: RecordError.Code, at: Int)?
  /// A quote that opens on a line and is not closed there as it should be, where quotes are not trusted.
  private var brokenLine: Int?

  init(_ bytes: [UInt8], _ options: CSVOptions) {
    self.bytes = bytes
    self.options = options
  }

  /// The same lines as `Reading`.
  mutating func lines() -> [String] {
    var result: [String] = []
    var width: Int?
    while i < bytes.count {
      if options.blankLines == .skip, isLineEnd(i) {
        skipLineEnd()
        continue
      }
      if let comment = options.comment, bytes[i...].starts(with: comment.utf8) {
        while i < bytes.count, !isLineEnd(i) { i += 1 }
        skipLineEnd()
        continue
      }
      let start = i
      fault = nil
      var areEmpty: [Bool] = []
      var fields: [String] = []
      brokenLine = nil
      repeat {
        if !fields.isEmpty { i += options.delimiter.count }
        let from = i
        fields.append(field())
        areEmpty.append(bytes[from..<i].allSatisfy { options.trim && ($0 == 32 || $0 == 9) })
      } while isDelimiter(i)
      if let open = brokenLine {
        // Only the line of the quote is refused.
        fault = (.unterminatedQuote, open)
        i = open
        while i < bytes.count, !isLineEnd(i) { i += 1 }
      }
      let end = i
      skipLineEnd()
      if let at = Self.textFault(bytes[start..<end]), at <= fault?.at ?? .max {
        fault = (bytes[at] == 0 ? .nulByte : .invalidText, at)
      }
      let wanted = width ?? fields.count
      width = wanted
      if fault == nil, fields.count < wanted, !options.padShortRecords { fault = (.fieldCount, end) }
      let isCut =
        options.longRecords == .truncate
        || (options.longRecords == .dropEmpty && areEmpty.dropFirst(wanted).allSatisfy { $0 })
      if fault == nil, fields.count > wanted, !isCut { fault = (.fieldCount, start) }
      if let fault {
        result.append("\(fault.code.rawValue)@\(place(fault.at))")
      } else {
        let padded = fields.prefix(wanted) + Array(repeating: "·", count: max(0, wanted - fields.count))
        result.append(padded.joined(separator: "|"))
      }
    }
    return result
  }

  private func isLineEnd(_ at: Int) -> Bool { bytes[at] == 10 || bytes[at] == 13 }

  private mutating func skipLineEnd() {
    if i < bytes.count, bytes[i] == 13 {
      i += i + 1 < bytes.count && bytes[i + 1] == 10 ? 2 : 1
    } else if i < bytes.count {
      i += 1
    }
  }

  private func isBlank(_ at: Int) -> Bool {
    at < bytes.count && !isDelimiter(at) && (bytes[at] == 32 || bytes[at] == 9)
  }

  private func isDelimiter(_ at: Int) -> Bool { bytes[at...].starts(with: options.delimiter.text.utf8) }

  private var endsField: Bool { i == bytes.count || isDelimiter(i) || isLineEnd(i) }

  private mutating func note(_ code: RecordError.Code, _ at: Int) { if fault == nil { fault = (code, at) } }

  /// Takes an escape and what it escapes.
  private mutating func escaped() -> [UInt8] {
    let at = i
    i += 1
    if i == bytes.count {
      note(.danglingEscape, at)
      return [bytes[at]]
    }
    if bytes[i...].starts(with: [13, 10]) {
      i += 2
      return [13, 10]
    }
    i += 1
    return [bytes[i - 1]]
  }

  private mutating func field() -> String {
    let start = i
    if options.trim { while isBlank(i) { i += 1 } }
    if i < bytes.count, bytes[i] == options.quote {
      var value = quoted()
      if options.trimQuoted, !hasTextBehind {
        while value.first?.isBlank == true { value.removeFirst() }
        while value.last?.isBlank == true { value.removeLast() }
      }
      return "«\(Self.show(value.flatMap(\.bytes)))»"
    }
    i = start
    return unquoted()
  }

  private func element(_ byte: UInt8) -> (bytes: [UInt8], isBlank: Bool) { ([byte], byte == 32 || byte == 9) }

  private mutating func quoted() -> [(bytes: [UInt8], isBlank: Bool)] {
    let open = i
    var value: [(bytes: [UInt8], isBlank: Bool)] = []
    i += 1
    while true {
      if i == bytes.count {
        note(.unterminatedQuote, open)
        if options.lenientQuotes { brokenLine = brokenLine ?? open }
        return value
      }
      if bytes[i] == options.quote {
        if i + 1 < bytes.count, bytes[i + 1] == options.quote {
          value.append(element(bytes[i]))
          i += 2
          continue
        }
        i += 1
        break
      }
      if bytes[i] == options.escape {
        value.append((escaped(), false))
        continue
      }
      value.append(element(bytes[i]))
      i += 1
    }
    let close = i
    hasTextBehind = false
    if options.trim || options.lenientQuotes { while isBlank(i) { i += 1 } }
    if endsField { return value }
    if !options.lenientQuotes { note(.textAfterQuote, i) }
    if options.lenientQuotes, bytes[open..<close].contains(where: { $0 == 10 || $0 == 13 }) {
      brokenLine = brokenLine ?? open
    }
    i = close
    hasTextBehind = true
    while !endsField {
      if bytes[i] == options.escape {
        value.append((escaped(), false))
      } else {
        value.append(element(bytes[i]))
        i += 1
      }
    }
    return value
  }

  private mutating func unquoted() -> String {
    let start = i
    /// Each element is what one byte, or one escape, stands for, and whether trimming may take it.
    var value: [(bytes: [UInt8], isBlank: Bool)] = []
    while !endsField {
      if bytes[i] == options.escape {
        value.append((escaped(), false))
        continue
      }
      if bytes[i] == options.quote, !options.lenientQuotes { note(.strayQuote, i) }
      value.append(([bytes[i]], isBlank(i)))
      i += 1
    }
    var raw = bytes[start..<i]
    if options.trim {
      while value.first?.isBlank == true {
        value.removeFirst()
        raw.removeFirst()
      }
      while value.last?.isBlank == true {
        value.removeLast()
        raw.removeLast()
      }
    }
    if options.nullTokens.contains(where: { raw.elementsEqual($0.utf8) }) { return "∅" }
    return Self.show(value.flatMap(\.bytes))
  }

  static func show(_ value: [UInt8]) -> String {
    String(
      String(decoding: value, as: UTF8.self).unicodeScalars.map { $0 == "\n" ? "⏎" : $0 == "\r" ? "␍" : Character($0) })
  }

  /// The index of the first NUL, or first byte at which no valid character starts.
  static func textFault(_ text: ArraySlice<UInt8>) -> Int? {
    var at = text.startIndex
    while at < text.endIndex {
      if text[at] == 0 { return at }
      let length = (1...4).first {
        at + $0 <= text.endIndex && String(validating: text[at..<at + $0], as: UTF8.self) != nil
      }
      guard let length else { return at }
      at += length
    }
    return nil
  }

  private func place(_ at: Int) -> String {
    var line = 1
    var lineStart = 0
    for k in 0..<at where bytes[k] == 10 || (bytes[k] == 13 && !(k + 1 < bytes.count && bytes[k + 1] == 10)) {
      line += 1
      lineStart = k + 1
    }
    return "\(line):\(at - lineStart + 1)"
  }
}
