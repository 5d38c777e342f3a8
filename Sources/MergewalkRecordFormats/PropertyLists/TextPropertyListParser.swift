import MergewalkBytes

/// Reads OpenStep text: `{ key = value; }`, `( a, b )`, strings, data, GNUstep's `<*I5>`, and `.strings` files.
///
/// It reads value by value with a list of open containers, without recursion. Pairs without braces, as in `.strings`
/// files, are one record each, with the columns `key` and `value`.
///
/// Source: CoreFoundation's `CFOldStylePList.c`; GNUstep's `NSPropertyList.m` for typed values.
final class TextPropertyListParser: PushParser {
  let columnCount: Int
  let text: PropertyListText
  var cursor: TextCursor
  let maxRecordBytes: Int

  private enum Kind { case dictionary, array, pairs }
  private struct Frame {
    var kind: Kind
    /// Whether a value stands before, so that a comma or a semicolon must come.
    var hasValue = false
  }
  private var open: [Frame] = []
  private enum State { case start, inside, behind }
  private var state = State.start
  private var isRecordComplete = false

  /// The scalar that was read last.
  var token: [UInt8] = []
  var tokenStart = 0
  var isTokenLong = false
  /// The error in the scalar, and its place.
  var tokenFault: (code: RecordError.Code, at: Int, message: String)?

  init(_ text: PropertyListText, maxRecordBytes: Int) {
    self.text = text
    self.maxRecordBytes = maxRecordBytes
    cursor = TextCursor(text)
    columnCount = text.tree.columnCount
  }

  func advance(into batch: inout RecordBatch) throws(ReadError) -> Bool {
    try text.filling(&batch) { () throws(ReadError) in
      isRecordComplete = false
      while !isRecordComplete {
        switch state {
        case .start: try start()
        case .inside: try step()
        case .behind:
          try cursor.skipSpace()
          guard try cursor.peek() < 0 else { throw unexpected("the end") }
          try text.finish()
          return false
        }
      }
      return true
    }
  }

  // MARK: Values

  private func start() throws(ReadError) {
    try cursor.skipMark()
    try cursor.skipSpace()
    let byte = try cursor.peek()
    state = .inside
    switch byte {
    case Int(UInt8.openBrace), Int(UInt8.openParenthesis), Int(UInt8.openBracket): try value()
    case -1:
      // A file of strings may have none.
      guard text.window.path.hasSuffix(".strings") else { throw text.damage(cursor.offset, "there is no value") }
      text.tree.beginSequence(at: cursor.offset)
    default:
      try readToken(expected: "a value")
      try cursor.skipSpace()
      let next = try cursor.peek()
      guard next == UInt8.equals || next == UInt8.semicolon else {
        scalar(.quoted)
        break
      }
      text.tree.beginSequence(at: tokenStart)
      open.append(Frame(kind: .pairs))
      try pair()
      return
    }
    if open.isEmpty { state = .behind }
  }

  /// Moves on to the next item of what is open.
  private func step() throws(ReadError) {
    guard let frame = open.last else {
      state = .behind
      return
    }
    text.held = nil
    try cursor.skipSpace()
    let byte = try cursor.peek()
    if frame.hasValue {
      let mark = frame.kind == .array ? UInt8.comma : .semicolon
      if byte == mark {
        cursor.skip()
        open[open.count - 1].hasValue = false
        if frame.kind == .pairs { end() }
        return
      }
      if frame.kind == .pairs { throw unexpected("“;” after a value") }
    }
    switch frame.kind {
    case .array:
      if byte == UInt8.closeParenthesis { return close() }
      if frame.hasValue { throw unexpected("“,” or “)” after an item") }
      open[open.count - 1].hasValue = true
      try value()
    case .dictionary:
      if byte == UInt8.closeBrace { return close() }
      if frame.hasValue { throw unexpected("“;” or “}” after a value") }
      try readToken(expected: "a key or “}”")
      try member()
    case .pairs:
      if byte < 0 {
        open.removeLast()
        _ = text.tree.end(at: cursor.offset)
        state = .behind
        return
      }
      try readToken(expected: "a key")
      try cursor.skipSpace()
      try pair()
    }
  }

  /// Reads on behind the key of a dictionary.
  private func member() throws(ReadError) {
    noteFault()
    token.withUnsafeBytes { text.tree.key($0, at: tokenStart) }
    open[open.count - 1].hasValue = true
    try cursor.skipSpace()
    if try cursor.peek() == UInt8.semicolon {
      // A key alone is its own value.
      scalar(.quoted)
    } else {
      try expect(.equals, "“=” after a key")
      try value()
    }
  }

  /// Reads on behind the key of a pair without braces, which is a record.
  private func pair() throws(ReadError) {
    text.tree.beginMapping(at: tokenStart)
    Self.keyName.withUnsafeBytes { text.tree.key($0, at: tokenStart) }
    scalar(.quoted)
    Self.valueName.withUnsafeBytes { text.tree.key($0, at: tokenStart) }
    open[open.count - 1].hasValue = true
    if try cursor.peek() == UInt8.semicolon {
      scalar(.quoted)
    } else {
      try expect(.equals, "“=” after a key")
      try value()
    }
  }

  private static let keyName = Array("key".utf8)
  private static let valueName = Array("value".utf8)

  private func value() throws(ReadError) {
    try cursor.skipSpace()
    let start = cursor.offset
    switch try cursor.peek() {
    case Int(UInt8.openBrace):
      cursor.skip()
      try push(.dictionary, at: start)
      text.tree.beginMapping(at: start)
    case Int(UInt8.openParenthesis):
      cursor.skip()
      try push(.array, at: start)
      text.tree.beginSequence(at: start)
    case Int(UInt8.openBracket): scalar(try readBracket())
    default:
      scalar(try readToken(expected: "a value"))
    }
  }

  private func push(_ kind: Kind, at start: Int) throws(ReadError) {
    guard open.count < PropertyListText.deepest else {
      throw text.damage(start, "lists nest deeper than \(PropertyListText.deepest)")
    }
    open.append(Frame(kind: kind))
  }

  private func close() {
    cursor.skip()
    open.removeLast()
    end()
    if open.isEmpty { state = .behind }
  }

  private func end() {
    guard text.tree.end(at: cursor.offset) else { return }
    text.emit(to: cursor.offset)
    isRecordComplete = true
  }

  private func scalar(_ state: FieldState) {
    noteFault()
    guard token.withUnsafeBytes({ text.tree.scalar($0, state, at: tokenStart) }) else { return }
    text.emit(to: cursor.offset)
    isRecordComplete = true
  }

  /// Refuses the open record for what is wrong with a scalar in it; what is outside of records does not matter.
  private func noteFault() {
    guard let fault = tokenFault, text.tree.wantsNext else { return }
    if fault.code == .recordTooLong { text.tree.checkLength(to: cursor.offset) }
    text.tree.refuse(fault.code, at: fault.at, fault.message)
  }

  private func expect(_ byte: UInt8, _ what: String) throws(ReadError) {
    guard try cursor.peek() == byte else { throw unexpected(what) }
    cursor.skip()
  }

  /// The failure that something else stands at the cursor.
  func unexpected(_ wanted: String) -> ReadError {
    let found = (try? cursor.peek()) ?? -1
    let what: String
    switch found {
    case -1: what = "the text ends"
    case 0x21...0x7E: what = "there is “\(Character(Unicode.Scalar(UInt8(found))))”"
    default: what = "there is the byte \(found)"
    }
    return text.damage(cursor.offset, "\(wanted) is expected, but \(what)")
  }
}

extension UInt8 {
  static let openBrace = UInt8(ascii: "{")
  static let closeBrace = UInt8(ascii: "}")
  static let openParenthesis = UInt8(ascii: "(")
  static let closeParenthesis = UInt8(ascii: ")")
  static let openBracket = UInt8(ascii: "<")
  static let closeBracket = UInt8(ascii: ">")
  static let equals = UInt8(ascii: "=")
  static let semicolon = UInt8(ascii: ";")
  static let comma = UInt8(ascii: ",")
}

/// A place in the text, byte by byte.
struct TextCursor {
  private let text: PropertyListText
  private var piece = UnsafeRawBufferPointer(start: nil, count: 0)
  private var index = 0
  private var pieceStart = 0
  private var isAtEnd = false
  /// Whether a slash that begins no comment was passed; it belongs to the token that follows.
  var hasSlash = false

  init(_ text: PropertyListText) { self.text = text }

  /// The offset of the next byte.
  var offset: Int { pieceStart + index - (hasSlash ? 1 : 0) }

  /// The next byte, or -1 at the end.
  ///
  /// A slash that was passed counts as next.
  @inline(__always)
  mutating func peek() throws(ReadError) -> Int {
    if hasSlash { return 0x2F }
    return try peekBehindSlash()
  }

  @inline(__always)
  mutating func peekBehindSlash() throws(ReadError) -> Int {
    if index < piece.count { return Int(piece[index]) }
    return try refill() ? Int(piece[index]) : -1
  }

  /// Goes over the next byte, which was looked at.
  @inline(__always)
  mutating func skip() { if hasSlash { hasSlash = false } else { index += 1 } }

  /// Goes over bytes of the piece of text that is here, as long as they are of a kind.
  ///
  /// - Returns: the bytes, until the next call; none when a slash was passed.
  @inline(__always)
  mutating func run(while isInside: (UInt8) -> Bool) -> UnsafeRawBufferPointer {
    var end = index
    if !hasSlash { while end < piece.count, isInside(piece[end]) { end += 1 } }
    defer { index = end }
    return UnsafeRawBufferPointer(rebasing: piece[index..<end])
  }

  private mutating func refill() throws(ReadError) -> Bool {
    if isAtEnd { return false }
    pieceStart += piece.count
    index = 0
    // A slash that was passed and the first byte of a token are needed for positions at most.
    try text.forget(before: max(0, pieceStart - 1))
    let range = try text.window.readPiece()
    piece = text.window.text(range)
    isAtEnd = range.isEmpty
    return !isAtEnd
  }

  /// Goes over a byte order mark at the start.
  mutating func skipMark() throws(ReadError) {
    guard try peek() == 0xEF, piece.starts(with: [0xEF, 0xBB, 0xBF]) else { return }
    index = 3
  }

  /// Goes over white space and comments.
  mutating func skipSpace() throws(ReadError) {
    while !hasSlash {
      let byte = try peek()
      if UInt8(exactly: byte)?.isSpace ?? false {
        index += 1
      } else if byte == 0x2F {
        let start = offset
        index += 1
        switch try peek() {
        case 0x2F: while case let next = try peek(), next >= 0, next != 10, next != 13 { skipLine() }
        case 0x2A: try skipComment(from: start)
        default: hasSlash = true
        }
      } else {
        return
      }
    }
  }

  private mutating func skipLine() { _ = run { $0 != 10 && $0 != 13 } }

  private mutating func skipComment(from start: Int) throws(ReadError) {
    index += 1
    while true {
      let byte = try peek()
      if byte < 0 { throw text.damage(start, "a comment is not closed") }
      if byte != 0x2A {
        _ = run { $0 != 0x2A }
        continue
      }
      index += 1
      if try peek() == 0x2F {
        index += 1
        return
      }
    }
  }
}
