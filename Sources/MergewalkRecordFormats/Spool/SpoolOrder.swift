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

  /// Calls `body` with the records of the batch that the order is of.
  package func withRecords<R, E: Error>(
    of batch: RecordBatch, _ body: (SpoolRecords) throws(E) -> R
  ) throws(E) -> R {
    try batch.withRawRecords { (positions, bytes) throws(E) in
      try firsts.withUnsafeBufferPointer { (firsts) throws(E) in
        try following.withUnsafeBufferPointer { (following) throws(E) in
          try body(SpoolRecords(positions: positions, bytes: bytes, firsts: firsts, following: following))
        }
      }
    }
  }
}

/// The records of a batch by their part, while ``SpoolOrder/withRecords(of:_:)`` is called.
///
/// These are pointers: a closure that takes the batch copies it for each part, with the references of all that it has,
/// which took a tenth of a split into a thousand parts.
package struct SpoolRecords {
  fileprivate let positions: UnsafeBufferPointer<RecordPosition>
  fileprivate let bytes: UnsafeRawBufferPointer
  fileprivate let firsts: UnsafeBufferPointer<Int32>
  fileprivate let following: UnsafeBufferPointer<Int32>

  /// Calls `body` with each record of a part and its position.
  @inline(__always)
  fileprivate func forEach(of part: Int, _ body: (Int, RecordPosition) -> Void) {
    var record = firsts[part]
    while record >= 0 {
      body(Int(record), positions[Int(record)])
      record = following[Int(record)]
    }
  }
}

/// What is written into the files of a spool next.
package struct SpoolText: Sendable {
  /// Records, each with a line feed behind it.
  package var records: [UInt8] = []
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

extension SpoolText {
  /// Appends the records of a part as lines of JSON, and returns how many they are.
  ///
  /// - Parameter keys: See ``SpoolForm/rewrittenKeys``.
  package mutating func append(
    _ all: SpoolRecords, part: Int, of batch: RecordBatch, keys: [[UInt8]], _ hash: inout PlacesHash
  ) -> Int {
    var count = 0
    var out = OutputBytes()
    swap(&out.bytes, &records)
    all.forEach(of: part) { record, position in
      let start = out.bytes.count
      SpoolRow.append(batch, record, keys: keys, to: &out)
      let place = RecordPlace(position)
      writer.append(SpooledPlace(part: part, length: out.bytes.count - start, place: place), to: &places)
      hash.add(place)
      out.bytes.append(10)
      count += 1
    }
    swap(&out.bytes, &records)
    return count
  }

  /// Appends the records of a part as they were read, and returns how many they are; room is made once for all of them.
  package mutating func append(_ all: SpoolRecords, part: Int, _ hash: inout PlacesHash) -> Int {
    var count = 0
    var length = 0
    all.forEach(of: part) { _, position in
      count += 1
      length += Int(position.rawLength) + 1
    }
    records.append(addingCapacity: length) { room in
      room.withUnsafeMutableBufferPointer { room, end in
        all.forEach(of: part) { _, position in
          let start = Int(position.rawStart)
          let bytes = all.bytes[start..<start + Int(position.rawLength)]
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
        all.forEach(of: part) { _, position in
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
