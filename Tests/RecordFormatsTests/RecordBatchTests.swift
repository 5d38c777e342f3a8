import MergewalkDiagnostics
import MergewalkTestSupport
import Testing

@testable import MergewalkRecordFormats

@Suite struct RecordBatchTests {
  @Test func `a batch keeps its memory from one filling to the next`() throws {
    let text = "a,b\n" + (0..<20_000).map { "\($0),\"x\"\"\($0)\"\n" }.joined()
    var reader = try CSVReader(source: ByteSource(bytes: text.utf8))
    var batch = RecordBatch()
    let limit = BatchLimit(records: 500)
    // The first batches find out how long records are.
    for _ in 0..<4 { _ = try reader.read(into: &batch, limit: limit) }
    let addresses = [
      batch.bytes.withUnsafeBytes { Int(bitPattern: $0.baseAddress) },
      batch.starts.withUnsafeBytes { Int(bitPattern: $0.baseAddress) },
      batch.records.withUnsafeBytes { Int(bitPattern: $0.baseAddress) },
      batch.escapes.withUnsafeBytes { Int(bitPattern: $0.baseAddress) },
    ]
    var count = 2000
    while try reader.read(into: &batch, limit: limit) {
      count += batch.recordCount
      let now = [
        batch.bytes.withUnsafeBytes { Int(bitPattern: $0.baseAddress) },
        batch.starts.withUnsafeBytes { Int(bitPattern: $0.baseAddress) },
        batch.records.withUnsafeBytes { Int(bitPattern: $0.baseAddress) },
        batch.escapes.withUnsafeBytes { Int(bitPattern: $0.baseAddress) },
      ]
      #expect(now == addresses)
    }
    #expect(count == 20_000)
  }

  @Test func `batches depend on the limit and not on how the bytes arrive`() throws {
    var random = SeededGenerator(seed: 11)
    let text = (0..<500).map { "\($0)," + String(repeating: "y", count: Int.random(in: 0..<50, using: &random)) + "\n" }
    func sizes(chunk: Int, limit: BatchLimit) throws -> [Int] {
      var options = CSVOptions()
      options.header = .none
      var reader = try CSVReader(source: ByteSource(bytes: text.joined().utf8, chunkSize: chunk), options: options)
      var batch = RecordBatch()
      var result: [Int] = []
      while try reader.read(into: &batch, limit: limit) { result.append(batch.recordCount) }
      return result
    }
    for limit in [BatchLimit(records: 7), BatchLimit(records: .max, bytes: 100), BatchLimit(records: 3, bytes: 120)] {
      let whole = try sizes(chunk: .max, limit: limit)
      #expect(whole.reduce(0, +) == 500)
      for chunk in [1, 5, 64, 1000] { #expect(try sizes(chunk: chunk, limit: limit) == whole) }
    }
  }

  @Test func `positions tell file, line, column and byte of records and fields`() throws {
    let text = "a,b,c\n1,\"x\ny\"\"\",z\n\n\"\",é,\"q\"\n"
    var reader = try CSVReader(source: ByteSource(bytes: text.utf8), columns: .named(["c", "b"]))
    var batch = RecordBatch()
    #expect(try reader.read(into: &batch, limit: BatchLimit()))
    #expect(batch.recordCount == 2)
    #expect(batch.records[1].line == 5 && batch.records[1].index == 1)
    #expect(batch.position(0, 1) == SourcePosition(line: 2, column: 3, byteOffset: 8))
    #expect(batch.position(0, 0) == SourcePosition(line: 3, column: 6, byteOffset: 16))
    #expect(batch.position(1, 0) == SourcePosition(line: 5, column: 7, byteOffset: 25))
    #expect(batch.column(1, 1) == 4)
    #expect(batch.raw(0) == Array("1,\"x\ny\"\"\",z".utf8))
    #expect(batch.text(0, 1) == "x\ny\"")
    #expect(text.utf8.dropFirst(batch.records[1].byteOffset).starts(with: batch.raw(1)))
  }

  @Test func `positions of JSON fields are those of their text`() throws {
    let text = "{}\n{\"a\":\r\"x\\n\",\"b\":{\"c\":[1]}}\n"
    var reader = try NDJSONReader(source: ByteSource(bytes: text.utf8), columns: .named(["b.c", "a", "d"]))
    var batch = RecordBatch()
    #expect(try reader.read(into: &batch, limit: BatchLimit()))
    #expect(batch.position(1, 0) == SourcePosition(line: 2, column: 22, byteOffset: 24))
    #expect(batch.position(1, 1) == SourcePosition(line: 2, column: 7, byteOffset: 9))
    #expect(batch.position(1, 2) == SourcePosition(line: 2, column: 1, byteOffset: 3))
    #expect(batch.withField(1, 2) { $0.count } == 0)
  }

  @Test func `refused records carry their raw bytes`() throws {
    var reader = try CSVReader(source: ByteSource(bytes: Array("a,b\r\n1\r\n2,\"x\"y\r\n".utf8)))
    var batch = RecordBatch()
    #expect(try reader.read(into: &batch, limit: BatchLimit()))
    #expect(batch.recordCount == 0)
    #expect(batch.errors.map(\.raw) == [Array("1".utf8), Array("2,\"x\"y".utf8)])
    #expect(batch.errors.map(\.recordIndex) == [0, 1])
    #expect(batch.errors[0].description == "2:2: expected 2 fields, found 1 [fieldCount]")
    #expect(batch.errors[1].position.byteOffset == 13)
  }

  @Test("one field is not “1 fields”") func oneField() throws {
    var reader = try CSVReader(source: ByteSource(bytes: Array("a\n1\n2,3\n".utf8)), options: CSVOptions())
    var batch = RecordBatch()
    _ = try reader.read(into: &batch, limit: BatchLimit())
    #expect(batch.errors.map(\.message) == ["expected 1 field, found 2"])
  }

  @Test func `a quote that is never closed ends the reading at the limit, in linear time`() throws {
    let text = Array("a,b\n1,2\n3,\"".utf8) + [UInt8](repeating: 10, count: 3_000_000)
    var options = CSVOptions()
    options.maxRecordBytes = 1 << 20
    for chunk in [4096, Int.max] {
      var reader = try CSVReader(source: ByteSource(bytes: text, chunkSize: chunk), options: options)
      var batch = RecordBatch()
      #expect(try reader.read(into: &batch, limit: BatchLimit()))
      #expect(batch.recordCount == 1)
      for _ in 0..<2 {
        let error = #expect(throws: ReadError.self) { try reader.read(into: &batch, limit: BatchLimit()) }
        #expect(error?.code == .recordTooLong)
        #expect(error?.position == SourcePosition(line: 3, column: 3, byteOffset: 10))
      }
      #expect(reader.bytesRead < 3_000_000)
    }
  }

  @Test func `small batches do not move a large rest again and again`() throws {
    let text = String(repeating: "1,2" + String(repeating: " ", count: 60) + "\n", count: 100_000)
    var options = CSVOptions()
    options.header = .none
    var reader = try CSVReader(source: ByteSource(bytes: text.utf8), options: options)
    var batch = RecordBatch()
    var count = 0
    let time = try ProcessorTime.measure {
      while try reader.read(into: &batch, limit: BatchLimit(records: 1, bytes: 1 << 30)) { count += 1 }
    }
    #expect(count == 100_000)
    // Moving 6 MB for each record, 3 MB on average, would take more than 15 s on any machine.
    #expect(time < .seconds(10))
  }

  @Test func `a long line of NDJSON is refused and its start kept`() throws {
    let long = Array("{\"a\":\"".utf8) + [UInt8](repeating: 120, count: 300_000) + Array("\"}\n{\"a\":1}\n".utf8)
    var options = NDJSONOptions()
    options.maxRecordBytes = 100_000
    for chunk in [1000, Int.max] {
      var reader = try NDJSONReader(
        source: ByteSource(bytes: long, chunkSize: chunk), options: options, columns: .named(["a"]))
      var batch = RecordBatch()
      #expect(try reader.read(into: &batch, limit: BatchLimit()))
      #expect(batch.recordCount == 0 && batch.errors.count == 1)
      #expect(batch.errors.first?.code == .recordTooLong)
      #expect(batch.errors.first?.raw == Array(long[..<65536]))
      #expect(try reader.read(into: &batch, limit: BatchLimit()))
      #expect(batch.recordCount == 1 && batch.errors.isEmpty)
      #expect(batch.records[0].line == 2 && batch.records[0].index == 1)
      #expect(batch.records[0].byteOffset == 300_009)
    }
  }

  @Test func `batches of very many columns that are mostly empty stay small`() throws {
    let names = (0..<4000).map { "\"k\($0)\":1" }.joined(separator: ",")
    let text = "{\(names)}\n" + (0..<3000).map { "{\"k\($0)\":2}\n" }.joined()
    var reader = try NDJSONReader(source: ByteSource(bytes: text.utf8))
    var batch = RecordBatch()
    var records = 0
    while try reader.read(into: &batch, limit: BatchLimit()) {
      #expect(batch.recordCount * batch.columnCount <= 1 << 19)
      records += batch.recordCount
    }
    #expect(records == 3001 && reader.columns.count == 4000)
  }
}
