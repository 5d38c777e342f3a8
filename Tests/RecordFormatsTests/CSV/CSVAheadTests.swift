import CMergewalkScan
import MergewalkDiagnostics
import Foundation
import MergewalkTestSupport
import Testing

@testable import MergewalkRecordFormats

/// Files that a thread reads ahead, against the same bytes read without one.
@Suite struct CSVAheadTests {
  /// All that a reader says, batch by batch.
  private static func dump(
    _ stream: any ByteStream, _ options: CSVOptions, _ limit: BatchLimit, level: cscan_level,
    ahead size: ReadAheadSize = ReadAheadSize()
  ) -> [String] {
    var lines: [String] = []
    do {
      var reader = try CSVReader(
        stream: stream, options: options, columns: .all, index: 0, level: level, ahead: size)
      var batch = RecordBatch()
      while try reader.read(into: &batch, limit: limit) {
        for record in 0..<batch.recordCount {
          let place = batch.records[record]
          let start = "\(place.line):\(place.column):\(place.byteOffset) \(place.rawStart)"
          lines.append("\(start) \(Reading.line(batch, record))")
        }
        lines += batch.errors.map { "\($0) \($0.recordIndex) \($0.raw)" }
        lines.append("batch")
      }
      // Behind a table more may have been read than was needed.
      lines.append("end" + (options.table == nil ? " \(reader.bytesRead)" : ""))
    } catch {
      lines.append("\(error)")
    }
    return lines
  }

  /// Text of a file in which anything may be cut by the end of a buffer.
  private static func text(_ random: inout SeededGenerator) -> [UInt8] {
    let width = Int.random(in: 1..<6, using: &random)
    let lineEnds: [[UInt8]] = [[10], [13, 10], [13]]
    let lineEnd = lineEnds.randomElement(using: &random) ?? [10]
    let faults = [0, 0, 5, 100].randomElement(using: &random) ?? 0
    let words = ["", "a", "words and words", "é€", "😀 smile", "1234.50", "x;y", "日本語の長い文字列"]
    let odd: [[UInt8]] = [
      Array("a\"b".utf8), Array("\"a\"b".utf8), Array("\"".utf8), Array("#,\"".utf8), [], Array(",,,,,,,".utf8), [0],
      [0xC3], [0xF0, 0x9F, 0x98], [0xED, 0xA0, 0x80], [0x80, 0x80, 0x80, 0x80, 0x80], Array("#it's \"odd\n".utf8),
    ]
    var text = Array((0..<width).map { "c\($0)" }.joined(separator: ",").utf8) + lineEnd
    for _ in 0..<Int.random(in: 0..<600, using: &random) {
      if faults > 0, Int.random(in: 0..<faults, using: &random) == 0 {
        text += odd.randomElement(using: &random) ?? []
      } else {
        for field in 0..<width {
          if field > 0 { text.append(44) }
          var word = words.randomElement(using: &random) ?? ""
          if Int.random(in: 0..<300, using: &random) == 0 { word = String(repeating: word, count: 500) }
          switch Int.random(in: 0..<12, using: &random) {
          case 0: word = "\"\(word)\""
          case 1: word = "\"\(word)\"\"\(word)\""
          case 2: word = "\"\n\(word)\r\n,\""
          case 3: word = "\"\"\"\(word)\"\"\""
          default: break
          }
          text += Array(word.utf8)
        }
      }
      text += Int.random(in: 0..<40, using: &random) == 0 ? (lineEnds.randomElement(using: &random) ?? [10]) : lineEnd
    }
    return text
  }

  @Test("what a thread reads ahead is read as anything else", arguments: Soak.readerSeeds(60))
  func aheadAgrees(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let bytes = Self.text(&random)
    var options = CSVOptions()
    if Bool.random(using: &random) { options.comment = "#" }
    options.lenientQuotes = Bool.random(using: &random)
    options.padShortRecords = Bool.random(using: &random)
    if Int.random(in: 0..<4, using: &random) == 0 { options.escape = 92 }
    if Int.random(in: 0..<6, using: &random) == 0 { options.quote = nil }
    if Int.random(in: 0..<6, using: &random) == 0 { options.encoding = .latin1 }
    if Int.random(in: 0..<6, using: &random) == 0 { options.table = 1 }
    if Int.random(in: 0..<6, using: &random) == 0 { options.maxRecordBytes = 900 }
    let limit = BatchLimit(
      records: Int.random(in: 1..<300, using: &random), bytes: Int.random(in: 1..<20_000, using: &random))
    let levels = [CSCAN_NONE] + CSVPlainTests.levels
    let expected = Self.dump(
      MemoryStream(path: "memory", bytes: bytes, chunks: []), options, limit, level: CSCAN_NONE)
    for level in levels {
      for buffer in [1, 64, 77, 4096] {
        let size = ReadAheadSize(direct: Int.random(in: 0..<2000, using: &random), buffer: buffer)
        let chunks = [[], [1, 7, 64, 300]].randomElement(using: &random) ?? []
        let stream = MemoryStream(path: "memory", bytes: bytes, chunks: chunks, canReadAhead: true)
        let found = Self.dump(stream, options, limit, level: level, ahead: size)
        let first = zip(found, expected).first { $0 != $1 }
        #expect(
          found.count == expected.count && first == nil,
          "seed \(seed), level \(level.rawValue), \(size), \(options): \(first ?? ("", "")) of \(found.count)")
      }
    }
  }

  @Test("text is checked to the same byte by a thread and without", arguments: Soak.readerSeeds(60))
  func checksAgree(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let bytes = Self.text(&random)
    var start = 0
    var check = AheadCheck(offset: 0)
    var verified = 0..<0
    var plain = TextCheck()
    var helped = TextCheck()
    var isWhole = true
    while start < bytes.count {
      let count = min(bytes.count - start, Int.random(in: 1..<300, using: &random))
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: AheadCheck.before + count, alignment: 64)
      defer { memory.deallocate() }
      let piece = UnsafeMutableRawBufferPointer(rebasing: memory[AheadCheck.before...])
      piece.copyBytes(from: bytes[start..<start + count])
      if let base = piece.baseAddress { verified = check.advance(base, count) }
      start += count
      isWhole = isWhole && verified == 0..<start
      // Whoever checks gets a part of it later, and goes on behind faults.
      let end = max(start - Int.random(in: 0..<50, using: &random), 0)
      bytes.withUnsafeBufferPointer { all in
        guard let base = all.baseAddress else { return }
        let isLast = end == bytes.count
        plain.advance(base, origin: 0, end: end, isLast: isLast)
        helped.advance(base, origin: 0, end: end, isLast: isLast, verified: verified)
        #expect(plain.fault == helped.fault, "seed \(seed), \(end) of \(bytes.count), verified \(verified)")
        if plain.fault < end {
          let next = plain.fault + 1
          plain.resume(at: next)
          helped.resume(at: next)
        }
      }
    }
    let isValid = String(validating: bytes, as: UTF8.self) != nil && !bytes.contains(0)
    #expect(
      isWhole == isValid || bytes.isEmpty, "seed \(seed): of \(bytes.count) bytes \(verified) is said to be valid")
  }

  /// A file that is long enough for a thread.
  private static func file(_ records: Int) throws -> URL {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("ahead-\(UUID().uuidString).csv")
    var text = "id,name,note\r\n"
    for record in 0..<records {
      text += "\(record),\"Größe \"\"\(record % 97)\"\"\",\(record % 5 == 0 ? "\"two\nlines\"" : "日本語")\r\n"
    }
    try Data(text.utf8).write(to: url)
    return url
  }

  @Test("a long file gives the batches that its bytes give")
  func longFile() throws {
    let url = try Self.file(120_000)
    defer { try? FileManager.default.removeItem(at: url) }
    let bytes = [UInt8](try Data(contentsOf: url))
    #expect(bytes.count > 3 << 20)
    var fromFile = try CSVReader(source: ByteSource(path: url.path))
    var fromMemory = try CSVReader(source: ByteSource(bytes: bytes))
    var one = RecordBatch()
    var other = RecordBatch()
    while try fromMemory.read(into: &other, limit: BatchLimit()) {
      #expect(try fromFile.read(into: &one, limit: BatchLimit()))
      #expect(one.recordCount == other.recordCount && one.byteCount == other.byteCount)
      let (records, fields) = (one.recordCount, one.recordCount * 3)
      #expect(one.records[..<records] == other.records[..<records])
      #expect(one.starts[..<fields] == other.starts[..<fields])
      #expect(one.lengths[..<fields] == other.lengths[..<fields])
      #expect(one.states[..<fields] == other.states[..<fields])
      #expect(one.bytes[..<one.byteCount] == other.bytes[..<other.byteCount])
    }
    #expect(try !fromFile.read(into: &one, limit: BatchLimit()))
    #expect(fromFile.bytesRead == bytes.count)
  }

  @Test("a reader that goes while its thread reads ends the thread")
  func readerGoes() throws {
    let url = try Self.file(60_000)
    defer { try? FileManager.default.removeItem(at: url) }
    for records in [1, 40_000] {
      var reader: CSVReader? = try CSVReader(source: ByteSource(path: url.path))
      var batch = RecordBatch()
      var count = 0
      while count < records, try reader?.read(into: &batch, limit: BatchLimit()) == true { count += batch.recordCount }
      #expect(count >= records)
      let open = try Self.descriptors(of: url)
      withExtendedLifetime(reader) {}
      #expect(open > 0)
      reader = nil
      // The thread was waited for, and the file is closed.
      #expect(try Self.descriptors(of: url) == 0)
    }
  }

  /// How many of the process's descriptors are of a file.
  private static func descriptors(of url: URL) throws -> Int {
    let (all, file) = ("/proc/self/fd/", url.resolvingSymlinksInPath().path)
    return try FileManager.default.contentsOfDirectory(atPath: all).count {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: all + $0)) == file
    }
  }

  @Test("a file that is cut or written to behind the first MiB is still found out")
  func changedFile() throws {
    for isCut in [true, false] {
      let url = try Self.file(120_000)
      defer { try? FileManager.default.removeItem(at: url) }
      var reader = try CSVReader(source: ByteSource(path: url.path))
      var batch = RecordBatch()
      _ = try reader.read(into: &batch, limit: BatchLimit())
      let file = try FileHandle(forUpdating: url)
      if isCut {
        try file.truncate(atOffset: 2 << 20)
      } else {
        try file.seekToEnd()
        try file.write(contentsOf: Data("1,2,3\n".utf8))
      }
      try file.close()
      var fault: ReadError?
      do {
        while try reader.read(into: &batch, limit: BatchLimit()) {}
      } catch {
        fault = error
      }
      #expect(fault?.code == .fileChanged)
    }
  }
}
