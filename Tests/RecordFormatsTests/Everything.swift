import MergewalkDiagnostics

@testable import MergewalkRecordFormats

/// Everything that a reader gave, to compare ways of reading that must not matter.
struct Everything: Equatable {
  struct Record: Equatable {
    var position: RecordPosition
    var raw: [UInt8]
    var states: [FieldState]
    var fields: [[UInt8]]
    var places: [SourcePosition]
  }

  var columns: [String] = []
  var records: [Record] = []
  var errors: [RecordError] = []
  /// How many records and errors each batch had.
  var batches: [[Int]] = []
  var surplus: [Int] = []
  var failure: ReadError?

  static func of(_ open: () throws(ReadError) -> some RecordReader, limit: BatchLimit = BatchLimit()) -> Everything {
    var all = Everything()
    do throws(ReadError) {
      var reader = try open()
      all.columns = reader.columns
      var batch = RecordBatch()
      while try reader.read(into: &batch, limit: limit) { all.append(batch) }
    } catch {
      all.failure = error
    }
    return all
  }

  private mutating func append(_ batch: RecordBatch) {
    batches.append([batch.recordCount, batch.errors.count])
    errors += batch.errors
    if let surplus = batch.surplus { self.surplus.append(surplus.index) }
    for record in 0..<batch.recordCount {
      let columns = 0..<batch.columnCount
      var position = batch.records[record]
      // Where the raw text stands in the batch is the batch's matter.
      position.rawStart = 0
      records.append(
        Record(
          position: position, raw: batch.raw(record), states: columns.map { batch.state(record, $0) },
          fields: columns.map { batch.withField(record, $0) { Array($0) } },
          places: columns.map { batch.position(record, $0) }))
    }
  }
}

/// An input whose reading fails behind its bytes.
final class FailingStream: ByteStream {
  let path = "failing"
  private let bytes: [UInt8]
  private(set) var bytesRead = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    guard bytesRead < bytes.count else { throw ReadError(.inputFailed, path: path, message: "the disk has failed") }
    let count = min(buffer.count, bytes.count - bytesRead)
    buffer.copyBytes(from: bytes[bytesRead..<bytesRead + count])
    bytesRead += count
    return count
  }
}
