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
  /// Appends the records of a batch that go to a part, and returns how many they are.
  package func append(
    _ order: SpoolOrder, part: Int, of batch: RecordBatch, to text: inout SpoolText, _ places: inout PlacesHash
  ) -> Int {
    var count = 0
    order.forEach(of: part) { record in
      let length = append(record, of: batch, to: &text.records)
      text.records.append(10)
      let place = RecordPlace(batch.records[record])
      text.writer.append(SpooledPlace(part: part, length: length, place: place), to: &text.places)
      places.add(place)
      count += 1
    }
    return count
  }
}
