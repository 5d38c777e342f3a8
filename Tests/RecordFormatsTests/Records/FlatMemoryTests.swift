import MergewalkTestSupport
import Testing

@testable import MergewalkRecordFormats

/// Text that yields no record takes no memory, however long it is.
@Suite struct FlatMemoryTests {
  /// The same bytes again and again, behind a start and before an end.
  private final class RepeatingStream: ByteStream {
    let path = "repeating"
    private(set) var bytesRead = 0
    private let start: [UInt8]
    /// The pattern, as often as a read can take it.
    private let block: [UInt8]
    private let end: [UInt8]
    private let total: Int

    init(_ pattern: String, from start: String = "", to end: String = "", bytes: Int = 8 << 20) {
      self.start = Array(start.utf8)
      let length = pattern.utf8.count
      block = Array(String(repeating: pattern, count: (1 << 16) / length + 1).utf8)
      self.end = Array(end.utf8)
      total = self.start.count + bytes / length * length
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
      let room = min(buffer.count, 1 << 16)
      var count = 0
      while count < room, bytesRead < total + end.count {
        let rest: ArraySlice<UInt8>
        if bytesRead < start.count {
          rest = start[bytesRead...]
        } else if bytesRead < total {
          rest = block[((bytesRead - start.count) % block.count)...].prefix(total - bytesRead)
        } else {
          rest = end[(bytesRead - total)...]
        }
        let part = rest.prefix(room - count)
        UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyBytes(from: part)
        count += part.count
        bytesRead += part.count
      }
      return count
    }
  }

  /// The longest memory of the batches, and the records with `|` between their fields, codes of refused ones.
  private static func read(_ stream: RepeatingStream, _ format: RecordFormat) throws -> (bytes: Int, records: [String])
  {
    var reader = try format.reader(stream: stream, columns: .all, index: 0)
    var batch = RecordBatch()
    var bytes = 0
    var records: [String] = []
    var account = TextAccount()
    while try reader.read(into: &batch, limit: BatchLimit()) {
      bytes = max(bytes, batch.bytes.count)
      account += batch.account
      for record in 0..<batch.recordCount {
        records.append((0..<batch.columnCount).map { batch.text(record, $0) ?? "" }.joined(separator: "|"))
      }
      records += batch.errors.map(\.code.rawValue)
    }
    account += batch.account
    #expect(account.isBalanced && account.bytes == stream.bytesRead)
    return (max(bytes, batch.bytes.count), records)
  }

  @Test("blank lines and comments of a CSV file take no memory", arguments: ["\n", "\r\n", "# remark\n", "#\r"])
  func csv(_ line: String) throws {
    var options = CSVOptions()
    options.comment = "#"
    for stream in [
      RepeatingStream(line, to: "a,b\n1,2\n"), RepeatingStream(line, from: "a,b\n1,2\n", to: "3,4\n"),
    ] {
      let (bytes, records) = try Self.read(stream, .csv(options))
      #expect(bytes <= 4 << 20 && records.first == "1|2", "\(bytes)")
    }
  }

  @Test func `lines to skip take no memory`() throws {
    var options = CSVOptions()
    options.skippedLines = (8 << 20) / 16
    let (bytes, records) = try Self.read(RepeatingStream("0123456789,abcd\n", to: "a,b\n1,2\n"), .csv(options))
    #expect(bytes <= 4 << 20 && records == ["1|2"], "\(bytes)")
  }

  @Test func `a fixed-width line without an end is refused by a limit that has a name, and takes no memory`() throws {
    var options = FixedWidthOptions(columns: [.init(name: "a", start: 1, width: 2)])
    options.maxRecordBytes = 1 << 20
    let (bytes, records) = try Self.read(RepeatingStream("abcd", to: "\nxy\n"), .fixedWidth(options))
    #expect(bytes <= 5 << 20 && records == ["recordTooLong", "xy"], "\(bytes)")
    options.skippedLines = 1
    #expect(try Self.read(RepeatingStream("abcd", to: "\nxy\n"), .fixedWidth(options)).records == ["xy"])
  }

  @Test func `NDJSON's blank lines and lines without an end take no memory`() throws {
    var options = NDJSONOptions()
    options.maxRecordBytes = 1 << 20
    let blank = try Self.read(RepeatingStream(" \n", to: "{\"a\":1}\n"), .ndjson(options))
    #expect(blank.bytes <= 4 << 20 && blank.records == ["1"], "\(blank.bytes)")
    let long = try Self.read(RepeatingStream("abcd", from: "{\"a\":1}\n", to: "\n{\"a\":2}\n"), .ndjson(options))
    #expect(long.bytes <= 5 << 20 && long.records == ["1", "recordTooLong", "2"], "\(long.bytes)")
  }

  @Test func `a header that is too long or too wide is refused by a limit that has a name`() throws {
    var options = CSVOptions()
    options.maxRecordBytes = 1 << 20
    for text in ["abcdefgh", "\0"] {
      let error = #expect(throws: ReadError.self) {
        _ = try CSVReader(stream: RepeatingStream(text), options: options, columns: .all, index: 0)
      }
      #expect(error?.code == .recordTooLong && error?.message.contains("max_record") == true)
    }
    let error = #expect(throws: ReadError.self) {
      _ = try CSVReader(
        stream: RepeatingStream("ab,", to: "\n", bytes: 3 << 17), options: CSVOptions(), columns: .all, index: 0)
    }
    #expect(error?.code == .invalidHeader && error?.message.contains("65536") == true)
  }
}
