import MergewalkDiagnostics
import Foundation
import MergewalkTestSupport
import Testing

@testable import MergewalkRecordFormats

/// What the C library's iconv makes of the bytes: UTF-8, and the offset of the first byte that it refuses.
func iconv(_ bytes: [UInt8], from: String, to: String = "UTF-8") -> (text: [UInt8], fault: Int?)? {
  guard let handle = iconv_open(to, from), handle != iconv_t(bitPattern: -1) else { return nil }
  defer { iconv_close(handle) }
  var input = bytes.map { CChar(bitPattern: $0) }
  var output = [CChar](repeating: 0, count: 8 * bytes.count + 64)
  var (inputLeft, outputLeft) = (input.count, output.count)
  var fault: Int?
  let (count, capacity) = (input.count, output.count)
  input.withUnsafeMutableBufferPointer { input in
    output.withUnsafeMutableBufferPointer { output in
      var from = input.baseAddress
      var to = output.baseAddress
      if Foundation.iconv(handle, &from, &inputLeft, &to, &outputLeft) == -1 { fault = count - inputLeft }
      if fault == nil { _ = Foundation.iconv(handle, nil, nil, &to, &outputLeft) }
    }
  }
  return (output[..<(capacity - outputLeft)].map { UInt8(bitPattern: $0) }, fault)
}

/// All that a stream decodes.
func decoded(_ source: ByteSource, _ encoding: TextEncoding, pieces: Int = 64) throws -> [UInt8] {
  var text = TextStream(try source.open(), encoding: encoding)
  var result: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: pieces)
  while true {
    let count = try buffer.withUnsafeMutableBytes { try text.read(into: $0) }
    if count == 0 { return result }
    result += buffer[..<count]
  }
}

@Suite struct EncodingTests {
  /// The suite's files: path, and the name that the C library has for the encoding.
  private static let files: [(path: String, name: String)] = {
    guard Locations.shared != nil else { return [] }
    let folder = Locations.shared("suites/encoding/uchardet")
    let paths = (FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? []).sorted()
    return paths.compactMap { path in
      let file = (path as NSString).lastPathComponent
      guard file.contains(".") else { return nil }
      return ("suites/encoding/uchardet/" + path, (file as NSString).deletingPathExtension)
    }
  }()

  private static func read(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: Locations.shared(path))))
  }

  @Test("each file of the suite decodes to what iconv says", .enabled(if: Locations.shared != nil))
  func suite() throws {
    #expect(Self.files.count == 59)
    for (path, name) in Self.files + [("suites/csv/duckdb-encodings/shift_jis.csv", "shift_jis")] {
      let bytes = try Self.read(path)
      let expected = try #require(iconv(bytes, from: name), "\(path)")
      #expect(expected.fault == nil)
      let encoding = try #require(TextEncoding(named: name))
      for chunk in [1, 2, 3, 7, bytes.count] {
        for pieces in [64, 100, 10_000] {
          var text = try decoded(ByteSource(bytes: bytes, chunkSize: chunk), encoding, pieces: pieces)
          // The reader passes over this mark.
          if encoding == .utf8, text.starts(with: [0xEF, 0xBB, 0xBF]), !expected.text.starts(with: [0xEF]) {
            text.removeFirst(3)
          }
          #expect(text == expected.text, "\(path) in pieces of \(chunk)")
        }
      }
    }
  }

  @Test("each file of the suite is told by its bytes", .enabled(if: Locations.shared != nil))
  func detection() throws {
    var misses: [String] = []
    for (path, name) in Self.files {
      let bytes = try Self.read(path)
      let expected = try #require(iconv(bytes, from: name)).text
      let found = try? decoded(ByteSource(bytes: bytes), .detect, pieces: 1000)
      if found == expected || found == [0xEF, 0xBB, 0xBF] + expected { continue }
      let guess = bytes.withUnsafeBytes { EncodingDetector.detect($0, isWhole: true) }
      misses.append("\(path): \(guess.map { "\($0.encoding) \($0.evidence) \($0.confidence)" } ?? "nothing")")
    }
    let thai = "suites/encoding/uchardet/th/iso-8859-11.txt:"
    withKnownIssue("a Thai file with one byte that TIS-620 lacks is taken for a damaged TIS-620", isIntermittent: true)
    {
      #expect(!misses.contains { $0.hasPrefix(thai) })
    }
    #expect(misses.filter { !$0.hasPrefix(thai) } == [])
  }

  /// All names that iconv lists.
  private static let names: [String] = {
    guard let list = try? tool(["iconv", "-l"]) else { return [] }
    return String(decoding: list, as: UTF8.self).split { ",\n ".contains($0) }.map {
      $0.replacingOccurrences(of: "//", with: "").lowercased()
    }
  }()

  @Test("every encoding that iconv knows decodes as iconv does, up to the first fault", arguments: Soak.seeds(4))
  func all(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let texts = [
      "plain text, 1;2\n", "größe ñandú œuvre\r\n", "привет мир\n", "日本語のテキスト\n", "한국어\n", "tiếng Việt\n", "😀,\"\n",
    ]
    var tried = Set<String>()
    var misses: [String] = []
    // A quarter of the names each time.
    for (index, name) in Self.names.enumerated() where UInt64(index) % 4 == seed % 4 {
      // Those with a mark of their own are tested by themselves.
      guard let encoding = TextEncoding(named: name), encoding.kind == .other, tried.insert(name).inserted else {
        continue
      }
      let isOneByte = Converter(from: name, to: "UTF-8").flatMap { ByteTable(asking: $0) } != nil
      let isEBCDIC = isOneByte && iconv([0xC1, 0xF1, 0x15], from: name)?.text == Array("A1\u{85}".utf8)
      let hasSigns = !isOneByte && ["¥", "₩"].contains { iconv([0x5C], from: name)?.text == Array($0.utf8) }
      var inputs: [[UInt8]] = [(0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }]
      for text in texts {
        guard let encoded = iconv(Array(text.utf8), from: "UTF-8", to: name), encoded.fault == nil else { continue }
        inputs.append(encoded.text)
        var damaged = encoded.text + encoded.text
        if !damaged.isEmpty {
          damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        inputs.append(damaged)
        inputs.append(Array(encoded.text.dropLast()))
      }
      for input in inputs {
        var expected = try #require(iconv(input, from: name))
        if isEBCDIC { expected.text = Self.replacing(["\u{85}": "\n"], in: expected.text) }
        if hasSigns { expected.text = Self.replacing(["¥": "\\", "‾": "~", "₩": "\\"], in: expected.text) }
        for chunk in [1, 3, max(1, input.count)] {
          let found = try decoded(ByteSource(bytes: input, chunkSize: chunk), encoding)
          let isRight =
            expected.fault == nil ? found == expected.text : found.starts(with: expected.text) && found.contains(0xFF)
          if !isRight { misses.append("seed \(seed), \(name), pieces of \(chunk), \(input)") }
        }
      }
    }
    #expect(misses.count == 0, "\(misses.prefix(5))")
  }

  /// A text in UTF-8 with other characters in place of some.
  private static func replacing(_ characters: [Unicode.Scalar: Unicode.Scalar], in text: [UInt8]) -> [UInt8] {
    var result = String.UnicodeScalarView()
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars { result.append(characters[scalar] ?? scalar) }
    return Array(String(result).utf8)
  }

  @Test(
    "bytes of ASCII are ASCII where iconv has signs of money for them, and no other bytes are",
    arguments: [("shift_jis", "表"), ("sjis", "表"), ("shift_jisx0213", "表"), ("johab", "한")])
  func ascii(name: String, wide: String) throws {
    let encoding = try #require(TextEncoding(named: name))
    let bytes = try #require(iconv(Array(wide.utf8), from: "UTF-8", to: name)).text
    let json = Array(#"{"a":""#.utf8) + bytes + Array(#"\n\u0041~\\"}"#.utf8)
    for chunk in [1, 2, 3, .max] {
      let source = ByteSource(bytes: json, chunkSize: chunk)
      #expect(try decoded(source, encoding) == Array((#"{"a":""# + wide + #"\n\u0041~\\"}"#).utf8))
    }
    var lines = NDJSONOptions()
    lines.encoding = encoding
    var reader = try NDJSONReader(source: ByteSource(bytes: json), options: lines, columns: .named(["a"]))
    var batch = RecordBatch()
    #expect(try reader.read(into: &batch, limit: BatchLimit()))
    #expect(batch.text(0, 0) == wide + "\nA~\\")
    var options = CSVOptions()
    options.header = .names(["a", "b"])
    options.encoding = encoding
    var rows = try CSVReader(source: ByteSource(bytes: bytes + Array("\\~,x\n".utf8)), options: options)
    #expect(try rows.read(into: &batch, limit: BatchLimit()))
    #expect(batch.text(0, 0) == wide + "\\~" && batch.position(0, 1).byteOffset == bytes.count + 3)
  }

  @Test("lines of EBCDIC end with NL, and where each stands is told in bytes", arguments: ["ibm037", "ibm1047"])
  func linesOfEBCDIC(name: String) throws {
    var bytes: [UInt8] = []
    for line in ["k,a", "1,é", "2,y"] {
      bytes += try #require(iconv(Array(line.utf8), from: "UTF-8", to: name)).text
      bytes.append(0x15)
    }
    let encoding = try #require(TextEncoding(named: name))
    #expect(try decoded(ByteSource(bytes: bytes, chunkSize: 2), encoding) == Array("k,a\n1,é\n2,y\n".utf8))
    var options = CSVOptions()
    options.header = .names(["a", "b"])
    options.encoding = encoding
    var reader = try CSVReader(source: ByteSource(bytes: bytes, chunkSize: 3), options: options)
    var batch = RecordBatch()
    var offsets: [Int] = []
    while try reader.read(into: &batch, limit: BatchLimit(records: 10, bytes: 1 << 20)) {
      for record in 0..<batch.recordCount { offsets.append(batch.records[record].byteOffset) }
    }
    #expect(offsets == [0, 4, 8])
  }

  // MARK: Marks and orders of bytes

  private func units(_ text: String, size: Int, lowFirst: Bool, mark: Bool = false) -> [UInt8] {
    let text = (mark ? "\u{FEFF}" : "") + text
    func bytes(_ value: UInt32, _ count: Int) -> [UInt8] {
      let low = (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
      return lowFirst ? low : low.reversed()
    }
    return size == 2
      ? text.utf16.flatMap { bytes(UInt32($0), 2) } : text.unicodeScalars.flatMap { bytes($0.value, 4) }
  }

  @Test func `byte order marks decide where they may, and are passed over`() throws {
    let text = "id,näme\n1,😀\n"
    for size in [2, 4] {
      for lowFirst in [true, false] {
        let marked = units(text, size: size, lowFirst: lowFirst, mark: true)
        let bare = units(text, size: size, lowFirst: lowFirst)
        let named = try #require(TextEncoding(named: "UTF\(size * 8)\(lowFirst ? "le" : "be")"))
        let either = size == 2 ? TextEncoding.utf16 : .utf32
        for chunk in [1, 2, 3, 5, .max] {
          for encoding in [.automatic, .detect, either, named] {
            #expect(try decoded(ByteSource(bytes: marked, chunkSize: chunk), encoding) == Array(text.utf8))
          }
          for encoding in [.detect, named] + (lowFirst ? [either] : []) {
            #expect(try decoded(ByteSource(bytes: bare, chunkSize: chunk), encoding) == Array(text.utf8))
          }
        }
        var options = CSVOptions()
        options.encoding = .automatic
        let reader = try CSVReader(source: ByteSource(bytes: marked), options: options)
        #expect(reader.header == ["id", "näme"])
      }
    }
    #expect(try decoded(ByteSource(bytes: Array(text.utf8)), .automatic) == Array(text.utf8))
    #expect(try decoded(ByteSource(bytes: []), .utf16) == [])
  }

  @Test(
    "what is no unit of UTF-16 or UTF-32 is a fault",
    arguments: [
      ([0x61, 0, 0x00, 0xD8, 0x62, 0], TextEncoding.utf16LittleEndian, 2),
      ([0x61, 0, 0x00, 0xDC], .utf16LittleEndian, 2), ([0x61, 0, 0x62], .utf16LittleEndian, 2),
      ([0xD8, 0, 0xD8, 0], .utf16BigEndian, 0), ([0x61, 0, 0, 0, 0, 0, 0x11, 0], .utf32LittleEndian, 4),
      ([0, 0, 0xD8, 0], .utf32BigEndian, 0), ([0, 0, 0, 0x61, 0, 0], .utf32BigEndian, 4),
      ([0x61, 0xFF], TextEncoding(named: "us-ascii") ?? .utf8, 1), ([0x61, 0x81, 0x62], .windows1252, 1),
      ([0x61, 0x0D, 0x0A, 0x82], TextEncoding(named: "shift_jis") ?? .utf8, 3),
      ([0x61, 0x82, 0xA0, 0xFF, 0x62], TextEncoding(named: "shift_jis") ?? .utf8, 3),
    ] as [([UInt8], TextEncoding, Int)])
  func faults(_ bytes: [UInt8], _ encoding: TextEncoding, _ offset: Int) throws {
    for chunk in [1, 2, 3, .max] {
      var options = CSVOptions()
      options.header = .names(["a"])
      options.encoding = encoding
      options.blankLines = .record
      var reader = try CSVReader(source: ByteSource(bytes: bytes, chunkSize: chunk), options: options)
      var batch = RecordBatch()
      var found: [Int] = []
      while try reader.read(into: &batch, limit: BatchLimit(records: 1)) {
        found += batch.errors.map { error in
          #expect(error.code == .invalidText)
          return error.position.byteOffset
        }
      }
      #expect(found == [offset])
    }
  }

  /// Found by fuzzing: iconv would write the last line's characters with changes of the state that the file has not.
  @Test func `no fault stands behind the end of a file`() throws {
    let bytes = Array("a,\n'".utf8) + [0, 0, 0, 0, 0, 0] + Array("b\u{0F},\r\n,\"\n\"\na,\n'".utf8) + [0, 0, 0]
    for chunk in [1, 3, .max] {
      var options = CSVOptions()
      options.header = .none
      options.encoding = try #require(TextEncoding(named: "iso-2022-kr"))
      var reader = try CSVReader(source: ByteSource(bytes: bytes, chunkSize: chunk), options: options)
      var batch = RecordBatch()
      var errors = 0
      while try reader.read(into: &batch, limit: BatchLimit()) {
        errors += batch.errors.count
        for error in batch.errors { #expect(error.position.byteOffset <= bytes.count, "\(error)") }
      }
      #expect(errors > 0)
    }
  }

  /// Found by fuzzing: behind a fault, glibc's UTF-7 goes on otherwise when the bytes came one by one.
  @Test func `a fault in UTF-7 does not depend on how the bytes arrive`() throws {
    let bytes = Array("a,+AOQ\n+ZeVn".utf8) + [0xD0] + Array("A,+2D3eAA\r\n+APE,\"+AOk\"\n".utf8)
    for chunk in [1, 2, 3, 7, .max] {
      var options = CSVOptions()
      options.header = .none
      options.encoding = try #require(TextEncoding(named: "utf-7"))
      let reading = Reading.of { () throws(ReadError) in
        try CSVReader(source: ByteSource(bytes: bytes, chunkSize: chunk), options: options)
      }
      #expect(reading.lines == ["a|ä", "invalidText@2:4", "ñ|«é»"] && reading.failure == nil, "\(chunk)")
    }
  }

  @Test func `names are those of iconv, and nothing that loosens it`() {
    #expect(TextEncoding(named: "UTF8") == .utf8)
    #expect(TextEncoding(named: "Latin1") == .latin1)
    #expect(TextEncoding(named: "ISO_8859-1") == .latin1)
    #expect(TextEncoding(named: "CP1252") == .windows1252)
    #expect(TextEncoding(named: "Shift_JIS")?.name == "shift_jis")
    for name in ["", "no-such-encoding", "latin1//TRANSLIT", "utf-8//IGNORE", "../x", "utf-8,", "a b c"] {
      #expect(TextEncoding(named: name) == nil, "\(name)")
    }
    #expect(TextEncoding.nearestName(to: "windows-1253x") == "windows-1253")
    #expect(TextEncoding.nearestName(to: "shift-jis") == "shift_jis")
  }

  // MARK: Offsets

  @Test(
    "offsets are those of the file",
    arguments: [
      "utf-16le", "utf-16be", "utf-32le", "iso-8859-1", "windows-1252", "koi8-r", "shift_jis", "euc-jp",
      "gb18030", "iso-2022-jp", "euc-kr", "windows-1258", "utf-7", "ucs-2be",
    ], Soak.seeds(6))
  func offsets(_ name: String, _ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let encoding = try #require(TextEncoding(named: name))
    let words = [
      "utf-16le": "aß漢😀", "utf-16be": "aß漢😀", "utf-32le": "aß漢😀", "iso-8859-1": "aßñ", "windows-1252": "aß€",
      "koi8-r": "aдЖ", "shift_jis": "aｱ漢か", "euc-jp": "aｱ漢か", "gb18030": "a漢ß😀", "iso-2022-jp": "a漢か",
      "euc-kr": "a한漢", "windows-1258": "ađơ", "utf-7": "a漢b", "ucs-2be": "aßਊ漢",
    ]
    let characters = Array(words[name] ?? "a")
    // Lines as text, some of two records, some refused.
    let lines = (0..<Int.random(in: 1..<300, using: &random)).map { _ -> String in
      let word = String(
        (0..<Int.random(in: 1..<30, using: &random)).compactMap { _ in characters.randomElement(using: &random) })
      return switch Int.random(in: 0..<8, using: &random) {
      case 0: "\(word),x,1\n"
      case 1: "\"\(word)\n\(word)\",x\n"
      case 2: "\(word)\"\(word),x\r\n"
      default: "\(word),\(word)\n"
      }
    }
    func encode(_ text: String) throws -> [UInt8] {
      let result = try #require(iconv(Array(text.utf8), from: "UTF-8", to: name))
      #expect(result.fault == nil)
      return result.text
    }
    // Each line by itself, so that it begins in the initial state.
    let encoded = try lines.map(encode)
    var starts: [Int] = [0]
    for line in encoded { starts.append(starts[starts.count - 1] + line.count) }
    var options = CSVOptions()
    options.header = .names(["a", "b"])
    options.encoding = encoding
    let chunk = [1, 2, 3, 7, Int.max].randomElement(using: &random) ?? 1
    var reader = try CSVReader(source: ByteSource(bytes: encoded.flatMap { $0 }, chunkSize: chunk), options: options)
    var batch = RecordBatch()
    let limit = BatchLimit(records: Int.random(in: 1..<50, using: &random))
    var count = 0
    while try reader.read(into: &batch, limit: limit) {
      for record in 0..<batch.recordCount {
        let position = batch.records[record]
        let clue: Comment = "seed \(seed), \(name), record \(position.index)"
        #expect(position.byteOffset == starts[position.index], clue)
        let line = lines[position.index]
        if !line.hasPrefix("\""), let comma = line.firstIndex(of: ",") {
          let prefix = try encode(String(line[...comma]))
          // Going back to the initial state at the end of what iconv was given is not in the file.
          let back = name == "iso-2022-jp" || name == "utf-7" ? 4 : 0
          #expect(abs(batch.position(record, 1).byteOffset - starts[position.index] - prefix.count) <= back, clue)
        }
      }
      for error in batch.errors {
        let line = lines[error.recordIndex]
        let clue: Comment = "seed \(seed), \(name), record \(error.recordIndex), \(line)"
        let place = error.code == .strayQuote ? line.firstIndex(of: "\"") ?? line.startIndex : line.startIndex
        let prefix = try encode(String(line[..<place]))
        let back = name == "iso-2022-jp" || name == "utf-7" ? 4 : 0
        #expect(abs(error.position.byteOffset - starts[error.recordIndex] - prefix.count) <= back, clue)
      }
      count += batch.recordCount + batch.errors.count
    }
    #expect(count == lines.count)
  }

  @Test func `JSON is read in other encodings when they are named`() throws {
    let text = "[{\"a\":\"ß\"},{\"a\":\"\(String(repeating: "ü", count: 5000))\"},3]"
    var options = JSONOptions()
    options.encoding = .utf16BigEndian
    for chunk in [1, 3, 1000, .max] {
      let source = ByteSource(bytes: units(text, size: 2, lowFirst: false, mark: true), chunkSize: chunk)
      var reader = try JSONReader(source: source, options: options, columns: .named(["a"]))
      var batch = RecordBatch()
      var offsets: [Int] = []
      while try reader.read(into: &batch, limit: BatchLimit(records: 1)) {
        offsets += batch.records[..<batch.recordCount].map(\.byteOffset) + batch.errors.map(\.position.byteOffset)
      }
      #expect(offsets == [4, 24, 2 * (text.utf16.count - 2) + 2])
    }
    var lines = NDJSONOptions()
    lines.encoding = .latin1
    let reading = Reading.of { () throws(ReadError) in
      try NDJSONReader(
        source: ByteSource(bytes: Array("{\"a\":\"".utf8) + [0xFC] + Array("\"}\n".utf8)), options: lines,
        columns: .named(["a"]))
    }
    #expect(reading.lines == ["«ü»"])
  }
}
