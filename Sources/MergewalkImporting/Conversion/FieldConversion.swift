import MergewalkBytes
import MergewalkObjectStore

/// How the bytes of one field become a cell; the loop over a column is specialised for each conforming type.
protocol FieldConversion {
  typealias Failure = ConversionFailureCode

  /// Whether JSON objects, arrays, `true` and `false` convert by their raw text.
  var takesAnyJSON: Bool { get }
  /// The cell of JSON `true` or `false`, or `nil` when they convert as text or not at all.
  func cell(of literal: Bool) -> ConvertedCell?
  /// Whether values are numbers, so that those of YAML in hexadecimal and octal digits are taken.
  var takesNumbers: Bool { get }
  /// Whether values are written to the arena.
  var decodes: Bool { get }
  /// How many bytes the value of a field of `length` bytes may add to the arena.
  func room(for length: Int) -> Int
  /// Converts `bytes`, which start at `offset` in the arena and are not empty.
  func convert(_ bytes: FieldBytes, offset: Int, output: inout ArenaOutput) throws(Failure) -> ConvertedCell
}

extension FieldConversion {
  @inline(__always) var takesAnyJSON: Bool { false }
  @inline(__always) func cell(of literal: Bool) -> ConvertedCell? { nil }
  @inline(__always) var takesNumbers: Bool { false }
  @inline(__always) var decodes: Bool { false }
  @inline(__always) func room(for length: Int) -> Int { 0 }
}

/// Where decoded bytes go: behind what the arena holds.
struct ArenaOutput {
  /// The arena's first byte.
  let base: UnsafeMutablePointer<UInt8>
  /// The end of what is in use.
  var count: Int

  @inline(__always) var cursor: UnsafeMutablePointer<UInt8> { base + count }

  /// Takes `length` bytes written at the cursor into use.
  @inline(__always) mutating func append(_ length: Int, tag: UInt8) -> ConvertedCell {
    let cell = ConvertedCell(tag: tag, payload: ByteRange(offset: count, length: length).payload)
    count += length
    return cell
  }
}

/// Integer 16, 32 and 64.
struct IntegerConversion: FieldConversion, Sendable {
  let range: ClosedRange<Int64>

  @inline(__always) var takesNumbers: Bool { true }

  @inline(__always)
  func convert(_ bytes: FieldBytes, offset: Int, output: inout ArenaOutput) throws(Failure) -> ConvertedCell {
    let value = try IntegerText.parse(bytes)
    guard range.contains(value) else { throw .range }
    return ConvertedCell(integer: value)
  }
}

struct DoubleConversion: FieldConversion, Sendable {
  let decimalMark: UInt8

  @inline(__always) var takesNumbers: Bool { true }

  @inline(__always)
  func convert(_ bytes: FieldBytes, offset: Int, output: inout ArenaOutput) throws(Failure) -> ConvertedCell {
    ConvertedCell(real: try DoubleText.parse(bytes, decimalMark: decimalMark))
  }
}

struct FloatConversion: FieldConversion, Sendable {
  let decimalMark: UInt8

  @inline(__always) var takesNumbers: Bool { true }

  @inline(__always)
  func convert(_ bytes: FieldBytes, offset: Int, output: inout ArenaOutput) throws(Failure) -> ConvertedCell {
    ConvertedCell(real: try DoubleText.parseFloat(bytes, decimalMark: decimalMark))
  }
}

struct DecimalConversion: FieldConversion, Sendable {
  let decimalMark: UInt8

  @inline(__always) var takesNumbers: Bool { true }

  @inline(__always)
  func convert(_ bytes: FieldBytes, offset: Int, output: inout ArenaOutput) throws(Failure) -> ConvertedCell {
    try DecimalText.parse(bytes, decimalMark: decimalMark)
  }
}

/// Numbers with marks between groups of digits, which are checked and removed first.
struct GroupedConversion<Base: FieldConversion & Sendable>: FieldConversion, Sendable {
  let base: Base
  let mark: UInt8
  let malformed: ConversionFailureCode

  @inline(__always) var takesNumbers: Bool { true }

  @inline(__always)
  func convert(_ bytes: FieldBytes, offset: Int, output: inout ArenaOutput) throws(Failure) -> ConvertedCell {
    guard bytes.contains(mark) else { return try base.convert(bytes, offset: offset, output: &output) }
    var unused = output
    return try NumberText.withoutGroupMarks(bytes, mark: mark, malformed: malformed) {
      (plain) throws(ConversionFailureCode) in
      try base.convert(plain, offset: offset, output: &unused)
    }
  }
}

struct BooleanConversion: FieldConversion, Sendable {
  let spellings: BooleanSpellings

  @inline(__always) func cell(of literal: Bool) -> ConvertedCell? { ConvertedCell(integer: literal ? 1 : 0) }

  @inline(__always)
  func convert(_ bytes: FieldBytes, offset: Int, output: inout ArenaOutput) throws(Failure) -> ConvertedCell {
    ConvertedCell(integer: try spellings.parse(bytes) ? 1 : 0)
  }
}

/// Dates in ISO 8601.
struct ISODateConversion: FieldConversion, Sendable {
  let defaultOffset: Int

  @inline(__always)
  func convert(_ bytes: FieldBytes, offset: Int, output: inout ArenaOutput) throws(Failure) -> ConvertedCell {
    ConvertedCell(real: try ISODateText.parse(bytes, defaultOffset: defaultOffset))
  }
}

/// Dates by a pattern.
struct PatternDateConversion: FieldConversion, Sendable {
  let pattern: DatePattern
  let defaultOffset: Int

  @inline(__always)
  func convert(_ bytes: FieldBytes, offset: Int, output: inout ArenaOutput) throws(Failure) -> ConvertedCell {
    ConvertedCell(real: try pattern.parse(bytes, defaultOffset: defaultOffset))
  }
}

/// Dates as a count of seconds or milliseconds.
struct EpochConversion: FieldConversion, Sendable {
  let decimalMark: UInt8
  let scale: Int
  let epoch: Int64

  @inline(__always)
  func convert(_ bytes: FieldBytes, offset: Int, output: inout ArenaOutput) throws(Failure) -> ConvertedCell {
    ConvertedCell(real: try EpochText.parse(bytes, decimalMark: decimalMark, scale: scale, epoch: epoch))
  }
}

/// String: the field's own bytes.
struct TextConversion: FieldConversion, Sendable {
  @inline(__always) var takesAnyJSON: Bool { true }

  @inline(__always)
  func convert(_ bytes: FieldBytes, offset: Int, output: inout ArenaOutput) throws(Failure) -> ConvertedCell {
    ConvertedCell(tag: CellTag.text, payload: ByteRange(offset: offset, length: bytes.count).payload)
  }
}

/// URI: the field's own bytes, checked.
struct URIConversion: FieldConversion, Sendable {
  @inline(__always)
  func convert(_ bytes: FieldBytes, offset: Int, output: inout ArenaOutput) throws(Failure) -> ConvertedCell {
    try URIText.check(bytes)
    return ConvertedCell(tag: CellTag.text, payload: ByteRange(offset: offset, length: bytes.count).payload)
  }
}

/// Binary and Transformable as they are.
struct RawConversion: FieldConversion, Sendable {
  @inline(__always) var takesAnyJSON: Bool { true }

  @inline(__always)
  func convert(_ bytes: FieldBytes, offset: Int, output: inout ArenaOutput) throws(Failure) -> ConvertedCell {
    ConvertedCell(tag: CellTag.blob, payload: ByteRange(offset: offset, length: bytes.count).payload)
  }
}

/// Binary and Transformable in hexadecimal digits.
struct HexConversion: FieldConversion, Sendable {
  @inline(__always) var decodes: Bool { true }
  @inline(__always) func room(for length: Int) -> Int { length / 2 }

  @inline(__always)
  func convert(_ bytes: FieldBytes, offset: Int, output: inout ArenaOutput) throws(Failure) -> ConvertedCell {
    guard let count = Hexadecimal.decode(bytes, into: output.cursor) else { throw .hex }
    return output.append(count, tag: CellTag.blob)
  }
}

/// Binary and Transformable in base64.
struct Base64Conversion: FieldConversion, Sendable {
  @inline(__always) var decodes: Bool { true }
  @inline(__always) func room(for length: Int) -> Int { length / 4 * 3 + 3 }

  @inline(__always)
  func convert(_ bytes: FieldBytes, offset: Int, output: inout ArenaOutput) throws(Failure) -> ConvertedCell {
    guard let count = Base64.decode(bytes, .exact, into: output.cursor) else { throw .base64 }
    return output.append(count, tag: CellTag.blob)
  }
}

/// UUID: its 16 bytes.
struct UUIDConversion: FieldConversion, Sendable {
  @inline(__always) var decodes: Bool { true }
  @inline(__always) func room(for length: Int) -> Int { 16 }

  @inline(__always)
  func convert(_ bytes: FieldBytes, offset: Int, output: inout ArenaOutput) throws(Failure) -> ConvertedCell {
    guard UUIDText.decode(bytes, into: output.cursor) else { throw .uuid }
    return output.append(16, tag: CellTag.blob)
  }
}
