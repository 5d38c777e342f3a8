/// Reads the part of a JSON document around the array of records, token by token.
///
/// It can stop after any token and continue when more text has arrived, and keeps one bit for each open array and
/// object, so the text that it skips may have any size. Skipped text is checked as RFC 8259 defines it.
struct JSONOutline {
  /// Why it stopped.
  enum Step {
    /// More text is needed behind the cursor.
    case needsInput
    /// The cursor is behind the bracket that opens the array of records.
    case records
    /// The document has ended, and only white space follows.
    case ended
    /// The document cannot be read; `at` is the place in the window.
    case failed(ReadError.Code, at: Int, String)
  }

  /// The tokens that may come next.
  private enum Expectation { case value, valueOrEnd, key, keyOrEnd, colon, commaOrEnd, nothing }

  /// The longest token.
  let maxTokenBytes: Int
  private let path: JSONRecordsPath
  /// Whether a document without the array has no records.
  private let mayBeMissing: Bool
  private var expects = Expectation.value
  /// One bit for each open array (0) or object (1).
  private var kinds = InlineArray<8, UInt64>(repeating: 0)
  private var open = 0
  /// The number of open objects, from the outermost on, that lie on the path.
  private var onPath = 0
  /// The next value lies on the path, or is what it leads to.
  private var valueIsOnPath = true
  /// The number of members of the path that were found.
  private var found = 0
  /// The array of records was read.
  private var isDone = false
  /// Names of members beside the path, for the message that a member is missing.
  private var names: [String] = []
  /// Where the arrays of a document are that should be one itself.
  private var listing = JSONArrayListing()

  init(path: JSONRecordsPath, mayBeMissing: Bool, maxTokenBytes: Int) {
    self.path = path
    self.mayBeMissing = mayBeMissing && !path.names.isEmpty
    self.maxTokenBytes = maxTokenBytes
  }

  /// Notes that the array of records, whose opening bracket it stopped behind, has been closed.
  mutating func leaveRecords() {
    isDone = true
    close()
  }

  /// Moves the cursor on over whole tokens.
  mutating func run(_ base: UnsafePointer<UInt8>, _ cursor: inout Int, _ end: Int, isLast: Bool) -> Step {
    var scanner = JSONScanner(base, from: cursor, end: end)
    scanner.passesLoneSurrogates = true
    while true {
      scanner.skipSpace()
      cursor = scanner.i
      guard cursor < end else {
        if expects == .nothing { return .ended }
        if !isLast { return .needsInput }
        return .failed(
          .invalidDocument, at: end, open == 0 ? "there is no JSON document" : "the JSON document ends too early")
      }
      let byte = base[cursor]
      switch expects {
      case .nothing: return .failed(.invalidDocument, at: cursor, "something follows the JSON document")
      case .colon:
        if byte != UInt8(ascii: ":") { return unexpected(cursor, "a colon") }
        scanner.i += 1
        expects = .value
      case .commaOrEnd:
        let isObject = innermostIsObject
        if byte == UInt8(ascii: ",") {
          scanner.i += 1
          expects = isObject ? .key : .value
        } else if byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
          if let problem = missingMember(cursor) { return problem }
          scanner.i += 1
          close()
        } else {
          return unexpected(cursor, isObject ? "a comma or a closing brace" : "a comma or a closing bracket")
        }
      case .key, .keyOrEnd:
        if expects == .keyOrEnd, byte == UInt8(ascii: "}") {
          if let problem = missingMember(cursor) { return problem }
          scanner.i += 1
          close()
          continue
        }
        if byte != UInt8(ascii: "\"") { return unexpected(cursor, "the name of a member in quotes") }
        let isRead = scanner.string()
        if let stop = checked(scanner, cursor, isRead, end, isLast) { return stop }
        if let problem = key(base, cursor + 1, scanner.i - 1) { return problem }
        expects = .colon
      case .value, .valueOrEnd:
        if expects == .valueOrEnd, byte == UInt8(ascii: "]") {
          scanner.i += 1
          close()
          continue
        }
        if isListing, listing.isFull(before: byte) { return missingArray(cursor) }
        if valueIsOnPath {
          if let step = valueOnPath(byte, &cursor) { return step }
          scanner.i = cursor
          if expects == .keyOrEnd { continue }
        }
        if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
          guard push(isObject: byte == UInt8(ascii: "{")) else {
            return .failed(
              .invalidDocument, at: cursor, "arrays and objects nest deeper than \(JSONScanner.deepest)")
          }
          scanner.i += 1
        } else {
          let isRead = scanner.scalar()
          // A number that touches the end of the text may go on.
          if isRead, scanner.i == end, !isLast, byte != UInt8(ascii: "\"") { return .needsInput }
          if let stop = checked(scanner, cursor, isRead, end, isLast) { return stop }
          expects = open == 0 ? .nothing : .commaOrEnd
        }
      }
    }
  }

  /// The path is empty but the document is an object: its arrays are looked at for a better path.
  private var isListing: Bool { path.names.isEmpty && open > 0 }

  private var innermostIsObject: Bool { kinds[(open - 1) >> 6] >> UInt64((open - 1) & 63) & 1 == 1 }

  /// Stops if a token was not read: the text ends inside it, it is too long, or it is wrong.
  private func checked(_ scanner: JSONScanner, _ start: Int, _ isRead: Bool, _ end: Int, _ isLast: Bool) -> Step? {
    if !isRead, !isLast, scanner.isNearEnd { return .needsInput }
    if scanner.i - start > maxTokenBytes {
      return .failed(.recordTooLong, at: start, RecordError.tooLong("a text or number", maxTokenBytes))
    }
    if isRead { return nil }
    return .failed(
      .invalidDocument, at: scanner.faultAt,
      scanner.i >= end
        ? "the JSON document ends too early"
        : JSONFaultText.message(scanner.base, from: start, at: scanner.faultAt, end: end))
  }

  private func unexpected(_ at: Int, _ what: String) -> Step {
    .failed(.invalidDocument, at: at, "not JSON: \(what) is missing here")
  }

  /// Opens an array or object; false if there are too many.
  private mutating func push(isObject: Bool) -> Bool {
    if open >= JSONScanner.deepest { return false }
    let bit = UInt64(1) << UInt64(open & 63)
    if isObject { kinds[open >> 6] |= bit } else { kinds[open >> 6] &= ~bit }
    if isListing { listing.enter(isObject: isObject) }
    open += 1
    expects = isObject ? .keyOrEnd : .valueOrEnd
    return true
  }

  private mutating func close() {
    if onPath == open { onPath -= 1 }
    open -= 1
    if isListing { listing.leave() }
    expects = open == 0 ? .nothing : .commaOrEnd
  }

  /// Compares a member's name with the path's next one.
  private mutating func key(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Step? {
    let isNext = onPath == open && found >= onPath - 1 && onPath <= path.names.count
    guard isNext || (isListing && listing.needsName) else { return nil }
    let text = [UInt8](unsafeUninitializedCapacity: end - start) { room, count in
      count = room.baseAddress.map { JSONEscape.unescape(base, start, end, to: $0) } ?? 0
    }
    if isListing {
      listing.name = text
    } else if text == path.names[onPath - 1] {
      if found >= onPath {
        return .failed(.invalidDocument, at: start - 1, "\(path.text(onPath)) occurs twice in the document")
      }
      found += 1
      valueIsOnPath = true
    } else if !isDone, names.count < 24 {
      names.append(String(decoding: text.prefix(80), as: UTF8.self))
    }
    return nil
  }

  /// Looks at a value on the path.
  ///
  /// Afterwards the value is skipped as any other, unless an object was entered (`expects` is `keyOrEnd`).
  private mutating func valueOnPath(_ byte: UInt8, _ cursor: inout Int) -> Step? {
    valueIsOnPath = false
    if found == path.names.count, byte == UInt8(ascii: "[") {
      guard push(isObject: false) else { return unexpected(cursor, "an array") }
      cursor += 1
      return .records
    }
    if byte == UInt8(ascii: "{"), found < path.names.count || open == 0 {
      _ = push(isObject: true)
      onPath += 1
      names.removeAll()
      cursor += 1
      return nil
    }
    if mayBeMissing, byte == UInt8(ascii: "n") { return nil }
    let isArray = byte == UInt8(ascii: "[")
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""), UInt8(ascii: "-"), 48...57, UInt8(ascii: "t"),
      UInt8(ascii: "f"), UInt8(ascii: "n"):
      break
    case UInt8(ascii: "<"):
      return .failed(
        .invalidDocument, at: cursor, "not JSON: a value is missing here; this looks like XML or a web page")
    default: return unexpected(cursor, "a value")
    }
    return .failed(
      .missingRecords, at: cursor,
      found == path.names.count
        ? "\(path.text(found)) is not an array, so it has no records"
          + (byte == UInt8(ascii: "{")
            ? "; name an array in it, or use a tool such as jq to make one of its members" : "")
        : "\(path.text(found)) is \(isArray ? "an array" : "not an object"), so it has no member"
          + " “\(String(decoding: path.names[found], as: UTF8.self))”")
  }

  /// The problem that the object that ends here lacks the path's next member.
  private func missingMember(_ at: Int) -> Step? {
    guard onPath == open, !isDone, innermostIsObject else { return nil }
    if path.names.isEmpty { return missingArray(at) }
    guard found < onPath, !mayBeMissing else { return nil }
    return .failed(.missingRecords, at: at, path.missing(onPath - 1, among: names))
  }

  /// The failure that the document is an object, and no path says where its records are.
  private func missingArray(_ at: Int) -> Step {
    guard let first = listing.paths.first else {
      return .failed(
        .missingRecords, at: at,
        "the document is an object and has no array of records; if each line is an object, set “format: ndjson”; if its"
          + " members are the records, make a list of them with a tool such as jq: jq -c '.[]'")
    }
    var message = "the document is an object, not an array of records; set their path, such as “records: \(first)”"
    if listing.paths.count > 1 { message += "; there are also " + listing.paths.dropFirst().joined(separator: ", ") }
    return .failed(.missingRecords, at: at, message)
  }
}
