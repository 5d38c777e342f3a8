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
  package var place: RecordPlace
}

/// Writes places as numbers of few bytes: what differs from the record before, which stood a little above.
package struct RecordPlaceWriter: Sendable {
  private var last = RecordPlace()

  /// Starts with a run of records.
  package init() {}

  /// The most bytes of a place: six numbers of at most ten bytes.
  static let mostBytes = 60

  package mutating func append(_ record: SpooledPlace, to bytes: inout [UInt8]) {
    bytes.append(addingCapacity: Self.mostBytes) { room in
      room.withUnsafeMutableBufferPointer { append(record, to: $0, &$1) }
    }
  }

  /// Appends a place to room for ``mostBytes``.
  @inline(__always)
  mutating func append(_ record: SpooledPlace, to room: UnsafeMutableBufferPointer<UInt8>, _ end: inout Int) {
    Self.put(UInt64(record.part), room, &end)
    Self.put(UInt64(record.length), room, &end)
    Self.put(Self.folded(record.place.index &- last.index), room, &end)
    Self.put(Self.folded(record.place.line &- last.line), room, &end)
    Self.put(UInt64(record.place.column - 1), room, &end)
    Self.put(Self.folded(record.place.byteOffset &- last.byteOffset), room, &end)
    last = record.place
  }

  @inline(__always)
  private static func put(_ number: UInt64, _ piece: UnsafeMutableBufferPointer<UInt8>, _ end: inout Int) {
    var rest = number
    while rest >= 0x80 {
      piece[end] = UInt8(truncatingIfNeeded: rest) | 0x80
      end += 1
      rest >>= 7
    }
    piece[end] = UInt8(rest)
    end += 1
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
    let bytes = try file.ahead(RecordPlaceWriter.mostBytes)
    if bytes.isEmpty { return nil }
    var at = 0
    guard let first = Self.number(bytes, &at), let length = Self.number(bytes, &at),
      let index = Self.number(bytes, &at), let line = Self.number(bytes, &at), let column = Self.number(bytes, &at),
      let byteOffset = Self.number(bytes, &at), let part = Int(exactly: first), let length = Int(exactly: length)
    else { throw file.damage() }
    file.skip(at)
    last.index &+= Self.unfolded(index)
    last.line &+= Self.unfolded(line)
    last.column = Int(truncatingIfNeeded: column) &+ 1
    last.byteOffset &+= Self.unfolded(byteOffset)
    return SpooledPlace(part: part, length: length, place: last)
  }

  /// The number at an offset, which goes past it; nil for what is none.
  @inline(__always)
  private static func number(_ bytes: UnsafeRawBufferPointer, _ at: inout Int) -> UInt64? {
    var result: UInt64 = 0
    var shift: UInt64 = 0
    while at < bytes.count, shift < 64 {
      let byte = bytes[at]
      at &+= 1
      result |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return result }
      shift += 7
    }
    return nil
  }

  private static func unfolded(_ number: UInt64) -> Int { Int(bitPattern: UInt(number >> 1)) ^ -Int(number & 1) }
}
