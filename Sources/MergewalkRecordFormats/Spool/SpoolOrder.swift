/// The records of a batch by the part that they go to, so that those of one part are written one behind the other.
///
/// Written one by one, the records of a thousand parts would bring another buffer into the processor's cache each.
package struct SpoolOrder {
  /// The parts that records go to, in the order of their first ones.
  package private(set) var parts: [Int32] = []
  /// The first and the last record of each part; -1 for one without.
  private var firsts: [Int32] = []
  private var lasts: [Int32] = []
  /// The next record of the same part; -1 behind the last one.
  private var following: [Int32] = []

  /// Starts with no memory.
  package init() {}

  /// Forgets the last batch.
  ///
  /// - Parameters:
  ///   - records: How many the next one has.
  ///   - parts: How many there are so far.
  package mutating func begin(records: Int) {
    for part in parts { firsts[Int(part)] = -1 }
    parts.removeAll(keepingCapacity: true)
    if following.count < records { following += Array(repeating: -1, count: records - following.count) }
  }

  /// Adds a record, which comes behind those that were added before.
  @inline(__always)
  package mutating func add(_ record: Int, to part: Int) {
    if part >= firsts.count {
      let more = Array(repeating: Int32(-1), count: max(part + 1, firsts.count * 2) - firsts.count)
      firsts += more
      lasts += more
    }
    following[record] = -1
    if firsts[part] < 0 {
      firsts[part] = Int32(record)
      parts.append(Int32(part))
    } else {
      following[Int(lasts[part])] = Int32(record)
    }
    lasts[part] = Int32(record)
  }

  /// Calls `body` with each record of a part.
  @inline(__always)
  func forEach(of part: Int, _ body: (Int) -> Void) {
    var record = firsts[part]
    while record >= 0 {
      body(Int(record))
      record = following[Int(record)]
    }
  }
}

/// What is written into the files of a spool next.
package struct SpoolText: Sendable {
  /// Records, each with a line feed behind it.
  package var records: [UInt8] = []
  /// Their places.
  package var places: [UInt8] = []
  package var writer = RecordPlaceWriter()

  /// Starts with nothing.
  package init() {}

  /// Appends a record without its line end.
  package mutating func append(_ bytes: UnsafeRawBufferPointer, part: Int, at place: RecordPlace) {
    records.append(contentsOf: bytes)
    records.append(10)
    writer.append(SpooledPlace(part: part, length: bytes.count, place: place), to: &places)
  }
}

extension SpoolForm {
  /// Appends the records of a batch that go to a part, rewritten, and returns how many they are.
  package func append(
    _ order: SpoolOrder, part: Int, of batch: RecordBatch, to text: inout SpoolText, _ places: inout PlacesHash
  ) -> Int {
    var count = 0
    var out = OutputBytes()
    swap(&out.bytes, &text.records)
    order.forEach(of: part) { record in
      let start = out.bytes.count
      append(record, of: batch, to: &out)
      let place = RecordPlace(batch.records[record])
      text.writer.append(SpooledPlace(part: part, length: out.bytes.count - start, place: place), to: &text.places)
      places.add(place)
      out.bytes.append(10)
      count += 1
    }
    swap(&out.bytes, &text.records)
    return count
  }
}

/// The raw records of a batch with the order in which they are written; valid within a call of
/// ``SpoolOrder/withRawRecords(of:_:)``.
///
/// The code for a part holds pointers, and not the batch: a closure that takes a batch copies it, with the references of all
/// that it has, which took a tenth of the time of a split into a thousand parts.
package struct RawSpoolRecords {
  fileprivate let positions: UnsafeBufferPointer<RecordPosition>
  fileprivate let bytes: UnsafeRawBufferPointer
  fileprivate let firsts: UnsafeBufferPointer<Int32>
  fileprivate let following: UnsafeBufferPointer<Int32>

  /// Calls `body` with the position of each record of a part.
  @inline(__always)
  fileprivate func forEach(of part: Int, _ body: (RecordPosition) -> Void) {
    var record = firsts[part]
    while record >= 0 {
      body(positions[Int(record)])
      record = following[Int(record)]
    }
  }
}

extension SpoolOrder {
  /// Calls `body` with the raw records of the batch that the order is of.
  package func withRawRecords<R, E: Error>(
    of batch: RecordBatch, _ body: (RawSpoolRecords) throws(E) -> R
  ) throws(E) -> R {
    try batch.withRawRecords { (positions, bytes) throws(E) in
      try firsts.withUnsafeBufferPointer { (firsts) throws(E) in
        try following.withUnsafeBufferPointer { (following) throws(E) in
          try body(RawSpoolRecords(positions: positions, bytes: bytes, firsts: firsts, following: following))
        }
      }
    }
  }
}

extension SpoolText {
  /// Appends the records of a batch that go to a part as they were read, and returns how many they are; room is made once
  /// for all of them.
  package mutating func append(_ raw: RawSpoolRecords, part: Int, _ hash: inout PlacesHash) -> Int {
    var count = 0
    var length = 0
    raw.forEach(of: part) { position in
      count += 1
      length += Int(position.rawLength) + 1
    }
    records.append(addingCapacity: length) { room in
      room.withUnsafeMutableBufferPointer { room, end in
        raw.forEach(of: part) { position in
          let start = Int(position.rawStart)
          let bytes = raw.bytes[start..<start + Int(position.rawLength)]
          UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(room)[end...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes))
          end += bytes.count
          room[end] = 10
          end += 1
        }
      }
    }
    var writer = writer
    places.append(addingCapacity: count * RecordPlaceWriter.mostBytes) { room in
      room.withUnsafeMutableBufferPointer { room, end in
        raw.forEach(of: part) { position in
          let place = RecordPlace(position)
          writer.append(SpooledPlace(part: part, length: Int(position.rawLength), place: place), to: room, &end)
          hash.add(place)
        }
      }
    }
    self.writer = writer
    return count
  }
}
