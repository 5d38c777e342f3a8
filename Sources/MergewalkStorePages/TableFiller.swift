import MergewalkSystem

/// Makes the pages of a table and the keys of its indexes from encoded rows.
///
/// It belongs to the background thread while that has rows to add, and then to the writer's. A key consists of the
/// record's own bytes: a column is stored in the index as in the table.
final class TableFiller {
  let tree: TreeWriter
  private let keys: UnsafeMutableBufferPointer<IndexKeys>
  /// Where the columns of a row are that come in keys, and behind them its row ID.
  private let parts: UnsafeMutableBufferPointer<Part>
  /// The bytes of the row ID as they come in keys.
  private let rowIDBytes: Bytes

  /// A value in a record.
  private struct Part: BitwiseCopyable {
    var serial: UInt64
    var start: UnsafePointer<UInt8>
  }

  /// The parts of an index's keys, and where these go.
  private struct IndexKeys {
    let parts: UnsafeMutableBufferPointer<Int>
    let intake: UnsafeMutablePointer<KeyIntake>
  }

  /// - Parameter sorters: One for each index.
  init(_ tree: TreeWriter, rowIDColumn: Int?, indexes: [IndexShape], sorters: [KeySorter]) {
    self.tree = tree
    let columns = (indexes.flatMap(\.columns).max() ?? -1) + 1
    rowIDBytes = .allocate(capacity: 8)
    rowIDBytes.initialize(repeating: 0, count: 8)
    parts = .allocate(capacity: columns + 1)
    parts.initialize(repeating: Part(serial: 0, start: rowIDBytes))
    keys = .allocate(capacity: indexes.count)
    _ = keys.initialize(
      from: zip(indexes, sorters).map { index, sorter in
        let list = index.columns.map { $0 == rowIDColumn ? columns : $0 } + [columns]
        let parts = UnsafeMutableBufferPointer<Int>.allocate(capacity: list.count)
        _ = parts.initialize(from: list)
        return IndexKeys(parts: parts, intake: sorter.intake)
      })
  }

  deinit {
    for index in keys { index.parts.deallocate() }
    keys.deallocate()
    parts.deallocate()
    rowIDBytes.deallocate()
  }

  /// Adds the rows of a block.
  func add(_ bytes: UnsafePointer<UInt8>, _ count: Int) throws(PageError) {
    var place = bytes
    let end = bytes + count
    while place < end {
      let head = UnsafeRawPointer(place)
      let rowID = head.loadUnaligned(as: Int64.self)
      let size = Int(head.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
      let record = place + RowBlock.head
      if let page = try tree.place(rowID: rowID, count: size) {
        memcpy(page, record, size)
      } else {
        try tree.add(rowID: rowID, long: record, count: size)
      }
      if !keys.isEmpty { try addKeys(rowID, record) }
      place = record + size
    }
  }

  @inline(__always) private func addKeys(_ rowID: Int64, _ record: UnsafePointer<UInt8>) throws(PageError) {
    let parts = parts
    let last = parts.count - 1
    var header = record
    var body = record + Int(Varint.take(&header))
    for i in 0..<last {
      let serial = Varint.take(&header)
      parts[i] = Part(serial: serial, start: body)
      body += StoredValue.size(serial)
    }
    let number = StoredValue.integer(rowID)
    RecordEncoding.put(number.bits, number.size, rowIDBytes)
    parts[last].serial = number.serial
    for index in keys {
      var (types, size) = (0, 0)
      for i in index.parts {
        let serial = parts[i].serial
        types += serial < 0x80 ? 1 : Varint.size(serial)
        size += StoredValue.size(serial)
      }
      let header = RecordEncoding.headerSize(types: types)
      var place = Varint.put(UInt64(header), try index.intake.pointee.place(header + size))
      for i in index.parts { place = Varint.put(parts[i].serial, place) }
      for i in index.parts {
        let size = StoredValue.size(parts[i].serial)
        Self.copy(parts[i].start, size, to: place)
        place += size
      }
    }
  }

  /// Copies bytes; both sides have room for eight more.
  @inline(__always) private static func copy(_ bytes: UnsafePointer<UInt8>, _ count: Int, to place: Bytes) {
    if count <= 8 {
      let word = UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self)
      UnsafeMutableRawPointer(place).storeBytes(of: word, as: UInt64.self)
    } else {
      memcpy(place, bytes, count)
    }
  }
}

@available(*, unavailable, message: "it belongs to one thread at a time")
extension TableFiller: Sendable {}
