import CMergewalkSQLite
import MergewalkSQLite

/// The cells of rows as bytes: a tag, then a number or a length in groups of seven bits, or eight bytes, or the bytes of
/// a text or blob.
enum PackedRow {
  private static let null: UInt8 = 0
  private static let integer: UInt8 = 1
  private static let real: UInt8 = 2
  private static let text: UInt8 = 3
  private static let blob: UInt8 = 4

  /// Packs cells.
  struct Writer {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ statement: Statement, _ column: Int32) {
      switch statement.type(column) {
      case SQLITE_INTEGER:
        bytes.append(PackedRow.integer)
        let value = statement.integer(column)
        // The sign goes into the lowest bit, so that small negative numbers are short too.
        append(UInt64(bitPattern: value << 1 ^ value >> 63))
      case SQLITE_FLOAT:
        bytes.append(PackedRow.real)
        let bits = statement.double(column).bitPattern
        for i in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(8 * i))) }
      case SQLITE_TEXT, SQLITE_BLOB:
        let value = statement.bytes(column)
        bytes.append(statement.type(column) == SQLITE_TEXT ? PackedRow.text : PackedRow.blob)
        append(UInt64(value.count))
        bytes.append(contentsOf: value)
      default: bytes.append(PackedRow.null)
      }
    }

    private mutating func append(_ number: UInt64) {
      var rest = number
      while rest >= 0x80 {
        bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
        rest >>= 7
      }
      bytes.append(UInt8(rest))
    }
  }

  /// Takes cells apart; any bytes are safe to read.
  struct Reader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Whether all cells were read.
    var isAtEnd: Bool { position >= bytes.count }

    /// Binds the next cell to a parameter; `false` when there is none or it has no sense.
    ///
    /// The bytes must stay in place until the statement has run.
    mutating func bind(_ statement: Statement, _ parameter: Int32) -> Bool {
      guard position < bytes.count else { return false }
      let tag = bytes[position]
      position += 1
      switch tag {
      case PackedRow.null: statement.bindNull(parameter)
      case PackedRow.integer:
        guard let number = number() else { return false }
        statement.bind(parameter, Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1))
      case PackedRow.real:
        guard bytes.count - position >= 8 else { return false }
        var bits: UInt64 = 0
        for i in 0..<8 { bits |= UInt64(bytes[position + i]) << UInt64(8 * i) }
        position += 8
        statement.bind(parameter, Double(bitPattern: bits))
      case PackedRow.text, PackedRow.blob:
        guard let length = number(), length <= UInt64(bytes.count - position) else { return false }
        let value = UnsafeRawBufferPointer(rebasing: bytes[position..<position + Int(length)])
        position += Int(length)
        if tag == PackedRow.text {
          statement.bind(parameter, textBytes: value)
        } else {
          statement.bind(parameter, blob: value)
        }
      default: return false
      }
      return true
    }

    private mutating func number() -> UInt64? {
      var value: UInt64 = 0
      var shift: UInt64 = 0
      while position < bytes.count, shift < 64 {
        let byte = bytes[position]
        position += 1
        if shift == 63, byte > 1 { return nil }
        value |= UInt64(byte & 0x7F) << shift
        if byte < 0x80 { return value }
        shift += 7
      }
      return nil
    }
  }
}
