import MergewalkDiagnostics

/// How many bytes of the file a piece of decoded text was.
enum EncodedWidth {
  /// Each character was one byte.
  case bytes
  /// Each character was one unit of this size; with size 2 those beyond the basic plane were two.
  case units(Int)
  /// The converter that encodes the text again.
  case converted(Converter)

  /// The encoding's way of counting; nil where the text is as it was.
  init?(_ encoding: TextEncoding) {
    switch encoding.kind {
    case .automatic, .detect, .utf8: return nil
    case .utf16: self = .units(2)
    case .utf32: self = .units(4)
    case .latin1, .windows1252: self = .bytes
    case .other:
      guard let converter = Converter(from: "UTF-8", to: encoding.name) else { return nil }
      self = .converted(converter)
    }
  }

  /// The number of bytes.
  ///
  /// Exact where each character has one way of being written, and the text begins in the encoding's initial state.
  ///
  /// - Complexity: O(length of the text).
  func count(_ text: UnsafeRawBufferPointer) -> Int {
    switch self {
    case .bytes: return text.count { $0 & 0xC0 != 0x80 }
    case .units(let size):
      let wide = size == 2 ? text.count { $0 & 0xF8 == 0xF0 } : 0
      return size * (text.count { $0 & 0xC0 != 0x80 } + wide)
    case .converted(let converter):
      var rest = text
      var total = 0
      converter.reset()
      return withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 16) { room in
        while !rest.isEmpty {
          let step = converter.step(rest, into: room)
          total += step.written
          rest = UnsafeRawBufferPointer(rebasing: rest[step.used...])
          // Where iconv has another sign for a byte of ASCII, see `Converter.readASCII()`.
          if step.end == .invalid, let first = rest.first, first < 0x80 {
            total += 1
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst())
            continue
          }
          if step.end == .input || (step.used == 0 && step.written == 0) { break }
        }
        return total + rest.count
      }
    }
  }
}

/// Where the decoded text that is on its way stands in the file.
///
/// There are marks: offsets in the decoded text whose offsets in the file are known, among them the start of each line
/// of an encoding that iconv decodes, and each fault. What lies between two marks is counted, which does not depend on
/// how the bytes arrive.
struct OffsetMap {
  fileprivate struct Mark {
    var decoded: Int
    var raw: Int
  }

  private let width: EncodedWidth
  private var marks: ContiguousArray<Mark>

  /// Starts with a text whose first byte has the offset `start` in the file.
  init(_ width: EncodedWidth, start: Int) {
    self.width = width
    marks = [Mark(decoded: 0, raw: start)]
  }

  /// Adds a mark behind all others.
  ///
  /// Of several bytes in a row that make no character, such as a change of the state, the first is where the next
  /// character begins; a fault is where it is.
  mutating func mark(_ decoded: Int, at raw: Int, isFault: Bool = false) {
    if let last = marks.last, last.decoded >= decoded {
      if isFault { marks[marks.count - 1].raw = raw }
      return
    }
    marks.append(Mark(decoded: decoded, raw: raw))
  }

  /// The decoded offset of the last mark.
  var end: Int { marks[marks.count - 1].decoded }

  /// A place in the map, for look-ups in ascending order.
  struct Cursor {
    fileprivate var index = 0
    fileprivate var known: Mark

    fileprivate init(_ first: Mark) { known = first }
  }

  func cursor() -> Cursor { Cursor(marks[0]) }

  /// The offset in the file of a place of the decoded text.
  ///
  /// - Parameter text: Decoded text with the offset `origin` that goes from the first mark to the place at least.
  func raw(of decoded: Int, _ cursor: inout Cursor, _ text: UnsafeRawBufferPointer, origin: Int) -> Int {
    if decoded < cursor.known.decoded { cursor = self.cursor() }
    while cursor.index + 1 < marks.count, marks[cursor.index + 1].decoded <= decoded {
      cursor.index += 1
      cursor.known = marks[cursor.index]
    }
    if decoded <= cursor.known.decoded { return cursor.known.raw }
    let start = cursor.known.decoded - origin
    let end = min(decoded - origin, text.count)
    guard start >= 0, start <= end else { return cursor.known.raw }
    var raw = cursor.known.raw + width.count(UnsafeRawBufferPointer(rebasing: text[start..<end]))
    if cursor.index + 1 < marks.count { raw = min(raw, marks[cursor.index + 1].raw) }
    // A piece that iconv counts starts in the initial state only where a mark is.
    if case .converted = width { return raw }
    cursor.known = Mark(decoded: decoded, raw: raw)
    return raw
  }

  /// Forgets what is before a place of the decoded text, which becomes the first mark.
  mutating func forget(before decoded: Int, _ text: UnsafeRawBufferPointer, origin: Int) {
    var cursor = cursor()
    let raw = raw(of: decoded, &cursor, text, origin: origin)
    marks.removeFirst(cursor.index)
    marks[0] = Mark(decoded: decoded, raw: raw)
  }
}

extension RecordBatch {
  /// Puts offsets in the file where the parsers put offsets in the decoded text.
  mutating func mapOffsets(_ map: OffsetMap, origin: Int, end: Int) {
    bytes.withUnsafeBytes { all in
      let text = UnsafeRawBufferPointer(rebasing: all[..<end])
      var cursor = map.cursor()
      for i in 0..<recordCount {
        records[i].byteOffset = map.raw(of: records[i].byteOffset, &cursor, text, origin: origin)
      }
      cursor = map.cursor()
      for i in errors.indices {
        errors[i].position.byteOffset = map.raw(of: errors[i].position.byteOffset, &cursor, text, origin: origin)
      }
    }
  }
}
