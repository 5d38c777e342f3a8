/// Dates as ISO 8601 and RFC 3339 write them.
///
/// Grammar: `YYYY-MM-DD [(T|t|blank) hh:mm[:ss[(.|,)digits]] [[blank] zone]]`, zone: `Z|z|±hh[[:]mm]`.
@usableFromInline package enum ISODateText {
  /// Returns the instant in seconds since 2001-01-01 00:00:00 UTC.
  ///
  /// A date alone is its midnight in the default zone.
  ///
  /// - Parameter defaultOffset: the zone of dates that name none, in seconds east of UTC.
  /// - Throws: `form` when the text has another form, `calendar` when there is no such day or time, `range` when the
  ///   instant is outside the years 0000...9999 of UTC.
  /// - Complexity: O(length).
  @inlinable @inline(__always)
  package static func seconds(_ bytes: UnsafeBufferPointer<UInt8>, defaultOffset: Int) throws(DateFailure) -> Double {
    guard bytes.count >= 10, let start = bytes.baseAddress else { throw .form }
    var cursor = DateCursor(start, start + bytes.count)
    var time = CivilTime()
    time.year = try cursor.fourDigitsUnchecked(at: 0)
    time.month = try cursor.twoDigitsUnchecked(at: 5)
    time.day = try cursor.twoDigitsUnchecked(at: 8)
    guard start[4] == UInt8(ascii: "-"), start[7] == UInt8(ascii: "-") else { throw .form }
    cursor.advance(10)
    time.offset = defaultOffset
    if !cursor.isAtEnd { try timeAndZone(&cursor, &time) }
    return try time.secondsSince2001()
  }

  @inlinable @inline(__always)
  static func timeAndZone(_ cursor: inout DateCursor, _ time: inout CivilTime) throws(DateFailure) {
    guard cursor.remaining >= 6 else { throw .form }
    let mark = cursor.byte(at: 0)
    guard mark == UInt8(ascii: "T") || mark == UInt8(ascii: " ") || mark == UInt8(ascii: "t"),
      cursor.byte(at: 3) == UInt8(ascii: ":")
    else { throw .form }
    time.hour = try cursor.twoDigitsUnchecked(at: 1)
    time.minute = try cursor.twoDigitsUnchecked(at: 4)
    cursor.advance(6)
    if cursor.remaining >= 3, cursor.byte(at: 0) == UInt8(ascii: ":") {
      time.second = try cursor.twoDigitsUnchecked(at: 1)
      cursor.advance(3)
      if !cursor.isAtEnd, cursor.byte(at: 0) == UInt8(ascii: ".") || cursor.byte(at: 0) == UInt8(ascii: ",") {
        cursor.advance(1)
        try cursor.fraction(&time)
      }
    }
    guard !cursor.isAtEnd else { return }
    if cursor.byte(at: 0) == UInt8(ascii: " ") { cursor.advance(1) }
    time.offset = try cursor.zone()
    guard cursor.isAtEnd else { throw .form }
  }
}

/// A place in a date's text.
@usableFromInline package struct DateCursor {
  @usableFromInline var position: UnsafePointer<UInt8>
  @usableFromInline let end: UnsafePointer<UInt8>

  @inlinable @inline(__always) package init(_ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) {
    position = start
    self.end = end
  }

  @inlinable @inline(__always) package var remaining: Int { end - position }
  @inlinable @inline(__always) package var isAtEnd: Bool { position == end }
  @inlinable @inline(__always) package mutating func advance(_ count: Int) { position += count }
  /// The byte `offset` bytes ahead, which must be there.
  @inlinable @inline(__always) package func byte(at offset: Int) -> UInt8 { position[offset] }

  /// Two digits `offset` bytes ahead, which must be there.
  @inlinable @inline(__always) package func twoDigitsUnchecked(at offset: Int) throws(DateFailure) -> Int {
    let high = position[offset] &- UInt8(ascii: "0")
    let low = position[offset + 1] &- UInt8(ascii: "0")
    guard high <= 9, low <= 9 else { throw .form }
    return Int(high) &* 10 &+ Int(low)
  }

  /// Four digits `offset` bytes ahead, which must be there.
  @inlinable @inline(__always) package func fourDigitsUnchecked(at offset: Int) throws(DateFailure) -> Int {
    try twoDigitsUnchecked(at: offset) &* 100 &+ twoDigitsUnchecked(at: offset + 2)
  }

  /// Reads one or more digits as a fraction of the second; digits behind the 18th are far below what a Double of
  /// this size holds and only have to be digits.
  @inlinable @inline(__always) package mutating func fraction(_ time: inout CivilTime) throws(DateFailure) {
    var count = 0
    var value: UInt64 = 0
    while position < end {
      let digit = position[0] &- UInt8(ascii: "0")
      guard digit <= 9 else { break }
      if count < 18 {
        value = value &* 10 &+ UInt64(digit)
        count += 1
      }
      position += 1
    }
    guard count > 0 else { throw .form }
    time.fraction = value
    time.fractionDigits = count
  }

  /// Reads `Z`, `±hh`, `±hhmm` or `±hh:mm`; the result is in seconds east of UTC.
  @inlinable @inline(__always) package mutating func zone() throws(DateFailure) -> Int {
    guard position < end else { throw .form }
    let sign = position[0]
    position += 1
    if sign | 0x20 == UInt8(ascii: "z") { return 0 }
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), remaining >= 2 else { throw .form }
    let hours = try twoDigitsUnchecked(at: 0)
    position += 2
    var minutes = 0
    if position < end {
      let hasColon = position[0] == UInt8(ascii: ":")
      if hasColon { position += 1 }
      if hasColon || (position < end && position[0] &- UInt8(ascii: "0") <= 9) {
        guard remaining >= 2 else { throw .form }
        minutes = try twoDigitsUnchecked(at: 0)
        position += 2
      }
    }
    guard hours < 24, minutes < 60 else { throw .calendar }
    let offset = hours * 3_600 + minutes * 60
    return sign == UInt8(ascii: "-") ? -offset : offset
  }
}
