/// Where a record stood in the file that it was taken out of.
package struct RecordPlace: Hashable, Sendable {
  /// The record's number in its file, from 0.
  package var index = 0
  /// The line it starts on, from 1.
  package var line = 1
  /// The column in bytes at which it starts on its line, from 1.
  package var column = 1
  /// The offset of its first byte in its (unpacked) file.
  package var byteOffset = 0

  /// The place of a record of a batch.
  package init(_ position: RecordPosition) {
    index = position.index
    line = position.line
    column = position.column
    byteOffset = position.byteOffset
  }

  init() {}
}

/// An entry in a file of places for one record of a file of raw records.
package struct SpooledPlace: Hashable, Sendable {
  /// Which part of a whole the record belongs to.
  package var part: Int
  /// The record's raw bytes in the file of records, without its line end.
  package var length: Int
  /// Where it stood.
  package var place: RecordPlace

  package init(part: Int, length: Int, place: RecordPlace) {
    self.part = part
    self.length = length
    self.place = place
  }
}

/// Writes places as numbers of few bytes: what differs from the record before, which stood a little above.
package struct RecordPlaceWriter: Sendable {
  private var last = RecordPlace()

  /// Starts with a run of records.
  package init() {}

  @inline(__always)
  package mutating func append(_ record: SpooledPlace, to bytes: inout [UInt8]) {
    Self.append(UInt64(record.part), to: &bytes)
    Self.append(UInt64(record.length), to: &bytes)
    Self.append(Self.folded(record.place.index &- last.index), to: &bytes)
    Self.append(Self.folded(record.place.line &- last.line), to: &bytes)
    Self.append(UInt64(record.place.column - 1), to: &bytes)
    Self.append(Self.folded(record.place.byteOffset &- last.byteOffset), to: &bytes)
    last = record.place
  }

  @inline(__always)
  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Small numbers of either sign as small numbers without one.
  @inline(__always)
  private static func folded(_ number: Int) -> UInt64 { UInt64(bitPattern: Int64((number << 1) ^ (number >> 63))) }
}

/// Reads what ``RecordPlaceWriter`` wrote, piece by piece.
package struct RecordPlaceReader {
  private var file: FileBytes
  private var last = RecordPlace()

  /// Reads the places of a run of records.
  ///
  /// - Parameter range: Where they stand in the file.
  /// - Throws: what opening throws.
  package init(path: String, range: Range<Int>) throws(ReadError) { file = try FileBytes(path: path, range: range) }

  /// The next place; nil at the end.
  ///
  /// - Throws: `fileChanged` when the file is not as it was written.
  package mutating func next() throws(ReadError) -> SpooledPlace? {
    guard let first = try number() else { return nil }
    guard let length = try number(), let index = try number(), let line = try number(), let column = try number(),
      let byteOffset = try number(), let part = Int(exactly: first), let length = Int(exactly: length)
    else { throw file.damage() }
    last.index &+= Self.unfolded(index)
    last.line &+= Self.unfolded(line)
    last.column = Int(truncatingIfNeeded: column) &+ 1
    last.byteOffset &+= Self.unfolded(byteOffset)
    return SpooledPlace(part: part, length: length, place: last)
  }

  private mutating func number() throws(ReadError) -> UInt64? {
    var result: UInt64 = 0
    var shift: UInt64 = 0
    while let byte = try file.next() {
      result |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return result }
      shift += 7
      if shift > 63 { throw file.damage() }
    }
    if shift > 0 { throw file.damage() }
    return nil
  }

  private static func unfolded(_ number: UInt64) -> Int { Int(bitPattern: UInt(number >> 1)) ^ -Int(number & 1) }
}
