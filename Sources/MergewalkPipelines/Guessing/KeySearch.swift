import MergewalkRecordFormats

/// Looks for repeated keys in all records of a source.
///
/// Memory is bounded: if there are more keys than it can hold, one range of hashes is checked after the other, each in
/// a separate reading.
struct KeySearch {
  /// The result of the search.
  enum Answer: Equatable {
    /// So many records have keys, all of them different.
    case unique(records: Int)
    /// The record on this line has the key of an earlier one.
    case repeated(line: Int)
    /// The record on this line lacks a part of the key.
    case missing(line: Int)
    /// Not all records could be looked at, for this reason.
    case unknown(String)
  }

  /// Sources of at most so many bytes are looked at.
  static let mostBytes = 1 << 30
  /// At most so many hashes are held, 8 bytes each, and as much room again.
  static let mostHashes = 1 << 22

  let definition: SourceDefinition
  var mostHashes = Self.mostHashes

  /// Looks at the key that some columns are together.
  ///
  /// - Complexity: O(bytes of the source), once for each ``mostHashes`` records.
  func look(_ columns: [String]) -> Answer {
    var bytes = 0
    for source in definition.sources {
      guard let size = source.fileSize else { return .unknown("it can be read only once") }
      bytes += size
    }
    if bytes > Self.mostBytes { return .unknown("it has more than 1 GiB") }
    var low: UInt64 = 0
    var records = 0
    while true {
      var range = HashRange(from: low, most: mostHashes)
      do throws(ReadError) {
        let (answer, count) = try pass(columns, &range)
        if let answer { return answer }
        records = count
      } catch {
        return .unknown("it cannot be read to its end: \(error.message)")
      }
      if range.high == .max { return .unique(records: records) }
      low = range.high + 1
    }
  }

  /// Reads all records once.
  private func pass(_ columns: [String], _ range: inout HashRange) throws(ReadError) -> (Answer?, records: Int) {
    var batch = RecordBatch()
    var records = 0
    for (index, source) in definition.sources.enumerated() where source.fileSize != 0 {
      var reader = try definition.format.reader(source: source, columns: .named(columns), index: index)
      while try reader.read(into: &batch, limit: BatchLimit()) {
        records += batch.recordCount
        for record in 0..<batch.recordCount {
          var hasher = Hasher()
          for column in columns.indices {
            let state = batch.state(record, column)
            let isThere = batch.withField(record, column) { text in
              hasher.combine(bytes: text)
              hasher.combine(text.count)
              return state != .absent && state != .null && !text.isEmpty
            }
            if !isThere { return (.missing(line: batch.records[record].line), records) }
          }
          if !range.insert(UInt64(bitPattern: Int64(hasher.finalize()))) {
            return (.repeated(line: batch.records[record].line), records)
          }
        }
      }
    }
    return (nil, records)
  }
}

/// The hashes of one range that were seen; the range becomes smaller when there are too many.
private struct HashRange {
  private let low: UInt64
  private(set) var high = UInt64.max
  private let most: Int
  /// Open addressing; 0 is a free slot, and the hash 0 is taken for 1.
  private var slots: ContiguousArray<UInt64>
  private var count = 0

  init(from low: UInt64, most: Int) {
    self.low = low
    self.most = most
    slots = ContiguousArray(repeating: 0, count: 1 << 10)
  }

  /// Notes a hash of the range; false if it is there already.
  mutating func insert(_ hash: UInt64) -> Bool {
    let hash = max(1, hash)
    if hash < low || hash > high { return true }
    if 2 * count >= slots.count {
      if count >= most {
        high = low + (high - low) / 2
        rebuild(slots.count)
        if hash > high { return true }
      } else {
        rebuild(2 * slots.count)
      }
    }
    return place(hash)
  }

  private mutating func place(_ hash: UInt64) -> Bool {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: hash &* 0x9E37_79B9_7F4A_7C15 >> 20) & mask
    while slots[slot] != 0 {
      if slots[slot] == hash { return false }
      slot = (slot + 1) & mask
    }
    slots[slot] = hash
    count += 1
    return true
  }

  /// Keeps the hashes of the range in so many slots.
  private mutating func rebuild(_ size: Int) {
    let before = slots
    slots = ContiguousArray(repeating: 0, count: size)
    count = 0
    for hash in before where hash != 0 && hash <= high { _ = place(hash) }
  }
}
