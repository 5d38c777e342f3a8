import Foundation
import MergewalkRecordFormats

/// Reads the same bytes in ways that must not matter, and traps where they do, which libFuzzer reports with the input.
///
/// What is checked of each reading: it ends; records and refused records have the numbers 0, 1, 2 ..., so that none is
/// lost; raw texts and positions lie inside the input. What is compared: every field, position, raw text, refused
/// record and the failure at the end, however the bytes arrive and whatever a batch may hold.
public enum ReaderCheck {
  /// Reads bytes by a format, with all columns and with named ones.
  ///
  /// - Parameters:
  ///   - offsetsAreOfInput: whether byte offsets cannot be beyond the input; false for what is unpacked.
  public static func run(
    _ format: RecordFormat, _ bytes: [UInt8], named columns: [String], container: ContainerOptions? = nil,
    offsetsAreOfInput: Bool = true
  ) {
    for request in [ColumnRequest.all, .named(columns)] {
      let whole = Reading(
        format, bytes, request, container, chunks: [.max], BatchLimit(), limit: offsetsAreOfInput ? bytes.count : .max)
      for (chunks, batch) in ways {
        let other = Reading(
          format, bytes, request, container, chunks: chunks, batch, limit: offsetsAreOfInput ? bytes.count : .max)
        require(
          whole == other, "read differently in pieces of \(chunks) and batches of \(batch):\n\(whole)\n\(other)")
      }
    }
  }

  /// Sizes of pieces, of which the last repeats, and of batches.
  private static let ways: [(chunks: [Int], batch: BatchLimit)] = [
    ([1], BatchLimit()), ([7], BatchLimit(records: 1)), ([3, 64, 1, 1000], BatchLimit(records: 3, bytes: 40)),
  ]
}

/// All that a reader gave.
struct Reading: Equatable {
  struct Record: Equatable {
    var index: Int
    var line: Int
    var column: Int
    var byteOffset: Int
    var raw: [UInt8]
    var states: [FieldState]
    var fields: [[UInt8]]
  }

  var columns: [String] = []
  var records: [Record] = []
  var errors: [RecordError] = []
  var failure: ReadError?
  /// The numbers of records and refused records, of each member of an archive.
  private var numbers: [[Int]] = []
  private var member: String?

  init(
    _ format: RecordFormat, _ bytes: [UInt8], _ request: ColumnRequest, _ container: ContainerOptions?, chunks: [Int],
    _ batchLimit: BatchLimit, limit: Int
  ) {
    var source = ByteSource(bytes: bytes, chunkSizes: chunks)
    if let container { source.container = container }
    do throws(ReadError) {
      var reader = try format.reader(source: source, columns: request, index: 0)
      columns = reader.columns
      var batch = RecordBatch()
      while try reader.read(into: &batch, limit: batchLimit) {
        require(batch.recordCount + batch.errors.count > 0, "a batch without records")
        require(batch.recordCount + batch.errors.count <= batchLimit.records, "more records than asked for")
        take(batch)
      }
      require(batch.recordCount == 0, "records behind the end")
    } catch {
      failure = error
      require(!error.message.isEmpty, "a failure that says nothing")
    }
    numbers = numbers.map { $0.sorted() }
    check(limit)
  }

  private mutating func take(_ batch: RecordBatch) {
    let found = batch.records[..<batch.recordCount].map(\.index) + batch.errors.map(\.recordIndex)
    // Members begin anew, also those that have the name of the one before.
    if numbers.isEmpty || member != batch.member || found.contains(0) { numbers.append([]) }
    member = batch.member
    numbers[numbers.count - 1] += found
    for record in 0..<batch.recordCount {
      let position = batch.records[record]
      let columns = 0..<batch.columnCount
      for column in columns { _ = batch.position(record, column) }
      records.append(
        Record(
          index: position.index, line: position.line, column: position.column, byteOffset: position.byteOffset,
          raw: batch.raw(record), states: columns.map { batch.state(record, $0) },
          fields: columns.map { batch.bytes(record, $0) }))
    }
    errors += batch.errors
  }

  private func check(_ limit: Int) {
    for numbers in numbers {
      require(numbers == Array(0..<numbers.count), "record numbers are \(numbers)")
    }
    for record in records {
      require(record.line >= 1 && record.column >= 1, "a record stands at \(record.line):\(record.column)")
      require((0...limit).contains(record.byteOffset), "a record stands at byte \(record.byteOffset)")
      for (state, field) in zip(record.states, record.fields) {
        if state == .absent || state == .null { continue }
        require(String(validating: field, as: UTF8.self) != nil, "a field is no text: \(field)")
      }
    }
    for error in errors {
      require((0...limit).contains(error.position.byteOffset), "a fault stands at \(error.position)")
    }
  }
}

/// Says on standard error what is wrong and traps; a precondition of a release build says nothing.
public func require(_ isRight: Bool, _ message: @autoclosure () -> String) {
  if isRight { return }
  FileHandle.standardError.write(Data((message() + "\n").utf8))
  preconditionFailure()
}
