import CMergewalkZlib
import MergewalkDiagnostics
import Foundation
import MergewalkTestSupport
import Testing

@testable import MergewalkRecordFormats

@Suite struct CompressionTests {
  static let streams: [ContainerFormat] = [.gzip, .zstd, .bzip2, .xz]

  /// Text that compresses in places.
  static func text(_ random: inout SeededGenerator, _ size: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < size {
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        for _ in 0..<Int.random(in: 1..<200, using: &random) { bytes.append(UInt8(truncatingIfNeeded: random.next())) }
      case 1:
        bytes += [UInt8](
          repeating: UInt8.random(in: 0...255, using: &random), count: Int.random(in: 1..<9000, using: &random))
      default: bytes += bytes.suffix(Int.random(in: 0..<3000, using: &random)) + Array("a line of text\n".utf8)
      }
    }
    return Array(bytes.prefix(size))
  }

  @Test("what a compressor packs is unpacked, however it arrives", arguments: streams, Soak.seeds(6))
  func roundTrips(_ format: ContainerFormat, _ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let sizes = [0, 1, 100, 70_000, Int.random(in: 0..<400_000, using: &random)]
    for size in sizes {
      let bytes = Self.text(&random, size)
      let packed = Packing.pack(bytes, format)
      for chunk in size > 1000 ? [1009, .max] : [1, 2, 3, 7, .max] {
        for pieces in [64, 100_000] {
          for options in [ContainerOptions(), .packed(format)] {
            let source = ByteSource(packed: packed, chunkSize: chunk, options)
            #expect(try unpack(source, pieces: pieces) == bytes, "seed \(seed), \(size) bytes in pieces of \(chunk)")
          }
        }
      }
    }
  }

  @Test("several members are one file", arguments: streams)
  func members(_ format: ContainerFormat) throws {
    let parts = [Array("first\n".utf8), [], Array("second".utf8), Array(" and third\n".utf8)]
    let packed = parts.flatMap { Packing.pack($0, format) }
    for chunk in [1, 2, 3, 7, .max] {
      #expect(try unpack(ByteSource(packed: packed, chunkSize: chunk)) == parts.flatMap { $0 })
    }
  }

  @Test("a file cut anywhere is an error", arguments: streams)
  func truncation(_ format: ContainerFormat) {
    let one = Packing.pack(Array("id,name\n1,Ann\n2,Ben\n".utf8), format)
    for packed in [one, one + one] {
      for length in 0..<packed.count where length != one.count {
        let part = Array(packed[..<length])
        for chunk in [1, .max] {
          #expect(
            fault(ByteSource(packed: part, chunkSize: chunk, .packed(format))) == .truncated, "\(length) bytes")
          // The name tells where no signature is left.
          #expect(fault(ByteSource(packed: part, chunkSize: chunk, path: "a.csv.\(Self.suffix(format))")) == .truncated)
        }
      }
    }
  }

  @Test("what a signature's first bytes are all of is cut, whatever the name", arguments: streams + [.zip])
  func cutSignature(_ format: ContainerFormat) throws {
    var signature = format == .zip ? [0x50, 0x4B, 0x03, 0x04] : format.magic
    if format == .bzip2 { signature += Array("91AY&SY".utf8) }
    for length in 1..<signature.count {
      let part = Array(signature[..<length])
      let isText = length < 4 && part.allSatisfy { (0x20..<0x7F).contains($0) }
      for chunk in [1, .max] {
        // A file of one to three letters may be a text, a pipe is none.
        #expect(fault(ByteSource(packed: part, chunkSize: chunk)) == (isText ? nil : .truncated), "\(part)")
      }
      let folder = TemporaryFolder()
      try Data(part).write(to: URL(fileURLWithPath: folder.file("a")))
      #expect(fault(ByteSource(path: folder.file("a"))) == (isText ? nil : .truncated), "\(part)")
    }
    #expect(try unpack(ByteSource(packed: [0x42, 0x5A, 0x21])) == [0x42, 0x5A, 0x21])
    #expect(try unpack(ByteSource(packed: [0x50, 0x4B, 10])) == [0x50, 0x4B, 10])
  }

  @Test("a changed bit never passes in silence", arguments: streams)
  func damage(_ format: ContainerFormat) {
    let bytes = Array("id,name\n1,Ann\n2,Ben\n1,Ann\n2,Ben\n".utf8)
    let packed = Packing.pack(bytes, format)
    var refused = 0
    for index in packed.indices {
      for bit in 0..<8 {
        var damaged = packed
        damaged[index] ^= 1 << UInt8(bit)
        do {
          // What gzip's header says of the file's time and system is not part of the data.
          #expect(try unpack(ByteSource(packed: damaged, .packed(format))) == bytes, "bit \(bit) of byte \(index)")
        } catch {
          refused += 1
          #expect([.corrupt, .checksumMismatch, .truncated, .unsupportedContainer].contains(error.code))
        }
      }
    }
    #expect(refused > packed.count * 4)
  }

  @Test("a damaged file is refused for one reason, however it arrives", arguments: streams, Soak.seeds(4))
  func oneReason(_ format: ContainerFormat, _ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let packed = Packing.pack(Self.text(&random, 3000), format)
    for _ in 0..<100 {
      var damaged = packed
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let faults = Set([1, 7, 100, .max].map { place(ByteSource(packed: damaged, chunkSize: $0, .packed(format))) })
      #expect(faults.count == 1, "seed \(seed): \(faults)")
    }
  }

  @Test("a damaged frame of zstd is refused for one reason, whole and in pieces")
  func zstdFinding() throws {
    let path = Locations.repository + "/Tests/Fuzz/Corpus/containers/found-zstd-code"
    let damaged = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    for chunk in [1, 3, 64, 1000, .max] {
      #expect(fault(ByteSource(packed: damaged, chunkSize: chunk)) == .checksumMismatch, "pieces of \(chunk)")
    }
  }

  @Test("what stands behind the end is an error", arguments: streams)
  func trailing(_ format: ContainerFormat) throws {
    let bytes = Array("id\n1\n".utf8)
    let packed = Packing.pack(bytes, format)
    for rest in [[1], Array("garbage".utf8), [0, 0, 0, 0, 7], Array(packed.reversed())] as [[UInt8]] {
      for chunk in [1, .max] {
        let code = fault(ByteSource(packed: packed + rest, chunkSize: chunk))
        // liblzma looks at a header when its 12 bytes are there.
        let seemsToBegin = format == .xz && rest.count < 12
        #expect(code == (seemsToBegin ? .truncated : .corrupt), "\(rest)")
      }
    }
    let zeros = [UInt8](repeating: 0, count: 100_000)
    let padded = Result { () throws(ReadError) in try unpack(ByteSource(packed: packed + zeros)) }
    switch format {
    // xz pads streams to four bytes.
    case .gzip, .xz: #expect(try padded.get() == bytes)
    default: #expect(throws: ReadError.self) { try padded.get() }
    }
  }

  @Test func `all fields of a gzip header are passed over, and its checksum is looked at`() throws {
    let bytes = Array("a,b\n1,2\n".utf8)
    var extra: [UInt8] = [1, 2, 3, 4]
    var name = Array("orders.csv\0".utf8)
    var comment = Array("a comment\0".utf8)
    var header = gz_header()
    let packed = extra.withUnsafeMutableBufferPointer { extra in
      name.withUnsafeMutableBufferPointer { name in
        comment.withUnsafeMutableBufferPointer { comment in
          header.extra = extra.baseAddress
          header.extra_len = 4
          header.name = name.baseAddress
          header.comment = comment.baseAddress
          header.hcrc = 1
          return withUnsafeMutablePointer(to: &header) { header in
            Packing.deflate(bytes, windowBits: 31) { deflateSetHeader($0, header) }
          }
        }
      }
    }
    #expect(packed.count > 40)
    for chunk in [1, 3, .max] { #expect(try unpack(ByteSource(packed: packed, chunkSize: chunk)) == bytes) }
    for index in 4..<30 {
      var damaged = packed
      damaged[index] ^= 1
      #expect(fault(ByteSource(packed: damaged)) != nil, "byte \(index)")
    }
    for length in 0..<packed.count {
      #expect(fault(ByteSource(packed: Array(packed[..<length]), .packed(.gzip))) == .truncated)
    }
  }

  @Test func `zstd's skippable frames are passed over and frames without a checksum are read`() throws {
    let bytes = Array("a\n1\n".utf8)
    let skippable: [UInt8] = [0x5E, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 9, 9, 9]
    let frame = Packing.zstd(bytes, checksum: false)
    for chunk in [1, 2, .max] {
      let packed = skippable + frame + skippable + frame
      #expect(try unpack(ByteSource(packed: packed, chunkSize: chunk)) == bytes + bytes)
    }
    #expect(fault(ByteSource(packed: skippable + frame + skippable.dropLast())) == .truncated)
  }

  @Test("the system's tools are understood", arguments: streams, Soak.seeds(2))
  func tools(_ format: ContainerFormat, _ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let bytes = Self.text(&random, 300_000)
    let commands: [ContainerFormat: [[String]]] = [
      .gzip: [["gzip", "-1"], ["gzip", "-9"]], .bzip2: [["bzip2", "-9"]],
      .xz: [
        ["xz", "-0"], ["xz", "-6e"], ["xz", "--check=sha256"], ["xz", "--block-size=10000"], ["xz", "--check=none"],
      ],
      .zstd: [["zstd", "-1"], ["zstd", "-19", "--no-check"], ["zstd", "--long=27"]],
    ]
    for words in commands[format] ?? [] {
      guard let packed = try tool(words + ["-c"], bytes) else { continue }
      #expect(packed.count > 1000)
      #expect(try unpack(ByteSource(packed: packed, chunkSize: 5000)) == bytes, "seed \(seed), \(words)")
    }
  }

  @Test("records are the same packed or not, in whatever pieces", arguments: streams)
  func records(_ format: ContainerFormat) throws {
    let text = "id,name\n" + (0..<500).map { "\($0),\"n\($0)\nü\"\n" }.joined() + "1,2,3\n"
    let bytes = Array(text.utf8)
    let packed = Packing.pack(bytes, format)
    let expected = Reading.of { () throws(ReadError) in try CSVReader(source: ByteSource(bytes: bytes)) }
    #expect(expected.lines.count == 501)
    for chunk in [1, 2, 3, 7, packed.count] {
      let reading = Reading.of(
        { () throws(ReadError) in try CSVReader(source: ByteSource(packed: packed, chunkSize: chunk)) },
        limit: BatchLimit(records: 13))
      #expect(reading == expected)
    }
    let cut = Reading.of { () throws(ReadError) in
      try CSVReader(source: ByteSource(packed: packed.dropLast(3)))
    }
    #expect(cut.failure == "truncated")
  }

  @Test func `what is packed twice or thrice is unpacked, and not more often`() throws {
    let bytes = Array("id\n1\n".utf8)
    var packed = bytes
    for format in [ContainerFormat.gzip, .xz, .zstd] {
      packed = Packing.pack(packed, format)
      #expect(try unpack(ByteSource(packed: packed, chunkSize: 3)) == bytes)
    }
    #expect(fault(ByteSource(packed: Packing.pack(packed, .gzip))) == .unsupportedContainer)
    // Who says that it is packed once gets what is inside.
    let twice = Packing.pack(Packing.pack(bytes, .gzip), .gzip)
    #expect(try unpack(ByteSource(packed: twice, .packed(.gzip))) == Packing.pack(bytes, .gzip))
    #expect(try unpack(ByteSource(packed: twice, .packed())) == twice)
  }

  @Test func `a bomb ends when it goes beyond the limit`() throws {
    // 100 MiB of zeros in zstd are some ten thousand bytes.
    let zeros = [UInt8](repeating: 10, count: 100 << 20)
    let packed = Packing.zstd(zeros)
    #expect(packed.count < 100_000)
    #expect(fault(ByteSource(packed: packed)) == .expansionLimit)
    var options = ContainerOptions()
    options.maximumExpansion = 100_000
    #expect(fault(ByteSource(packed: packed, options)) == nil)
    // Packed twice, no layer is far beyond what is common, but both are.
    #expect(fault(ByteSource(packed: Packing.pack(Packing.pack(zeros, .gzip), .gzip))) == .expansionLimit)
  }

  @Test(
    "what is no text and no container that is read is named",
    arguments: [
      ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C, 0, 4], "7-Zip"), ([0x52, 0x61, 0x72, 0x21, 0x1A, 0x07, 1, 0], "RAR"),
      ([0x04, 0x22, 0x4D, 0x18, 0x64], "LZ4"), ([0x1F, 0x9D, 0x90], "compress"),
      ([0x5D, 0, 0, 0x80, 0], "LZMA"), (Array("PAR1".utf8) + [0x15, 4], "a Parquet file"),
      (Array("ARROW1".utf8) + [0, 0], "an Arrow file"), (Array("ORC\n".utf8) + [5, 0], "an ORC file"),
      (Array("Obj\u{1}".utf8) + [4], "an Avro file"), (Array("%PDF-1.4\n%".utf8) + [0xE2], "a PDF document"),
      ([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], "an Excel workbook"),
    ] as [([UInt8], String)])
  func unsupported(_ bytes: [UInt8], _ name: String) {
    let error = #expect(throws: ReadError.self) { try unpack(ByteSource(packed: bytes, path: "data.bin")) }
    #expect(error?.code == .unsupportedContainer && error?.message.contains(name) == true)
  }

  @Test func `text that looks like a signature is text`() throws {
    for text in [
      "", "BZh", "BZh9 is how bzip2 files begin", "PK", "PKs,b\n", "(µ", "ustar", "id\n1\n", "PAR1,a\n",
      "ORC\n\u{1B}$B",
    ] {
      #expect(try unpack(ByteSource(packed: Array(text.utf8))) == Array(text.utf8))
    }
  }

  @Test func `the bytes count and not the name, and the source says so`() throws {
    let bytes = Array("id\n1\n".utf8)
    func note(_ packed: [UInt8], _ path: String) throws -> String? {
      try SourceContents(ByteSource(packed: packed, path: path)).note
    }
    for format in Self.streams {
      let packed = Packing.pack(bytes, format)
      #expect(try unpack(ByteSource(packed: packed, path: "orders.csv")) == bytes)
      #expect(try note(packed, "orders.csv") == nil)
      #expect(try note(packed, "orders.csv.\(Self.suffix(format))") == nil)
      let other = format == .gzip ? "bz2" : "gz"
      #expect(try unpack(ByteSource(packed: packed, path: "orders.csv." + other)) == bytes)
      #expect(try note(packed, "orders." + other)?.contains("is \(format.rawValue)") == true)
    }
    #expect(try unpack(ByteSource(packed: bytes, path: "orders.csv.gz")) == bytes)
    #expect(try note(bytes, "orders.csv.gz")?.contains("is not packed") == true)
    // Who says what it is must be right.
    #expect(fault(ByteSource(packed: bytes, .packed(.gzip))) == .corrupt)
    #expect(fault(ByteSource(packed: Packing.pack(bytes, .xz), .packed(.gzip))) == .corrupt)
  }

  @Test func `errors name the file and the byte`() {
    let packed = Packing.pack(Array("id\n1\n".utf8), .gzip)
    let error = #expect(throws: ReadError.self) {
      try unpack(ByteSource(packed: Array(packed[..<15]), path: "orders.csv.gz"))
    }
    #expect(
      error?.description
        == "orders.csv.gz: error: the gzip data ends too early (byte 15); fetch or copy the file again [truncated]")
    #expect(error?.position.byteOffset == 15)
  }

  @Test(.enabled(if: Locations.shared != nil)) func `the suite's gzip files are the files beside them`() throws {
    for name in ["latin1.csv", "utf16.csv"] {
      let path = Locations.shared("suites/csv/duckdb-encodings/" + name)
      #expect(try unpack(ByteSource(path: path + ".gz")) == unpack(ByteSource(path: path)))
    }
  }

  static func suffix(_ format: ContainerFormat) -> String {
    switch format {
    case .gzip: "gz"
    case .zstd: "zst"
    case .bzip2: "bz2"
    default: format.rawValue
    }
  }
}

@Suite struct PrefetchTests {
  /// Text of several MiB that is read ahead.
  private static let bytes: [UInt8] = {
    var random = SeededGenerator(seed: 5)
    return (0..<300_000).flatMap { i in Array("\(i),\(random.next())\n".utf8) }
  }()

  @Test("what is read ahead is the same, in whatever pieces", arguments: CompressionTests.streams + [.zip])
  func same(_ format: ContainerFormat) throws {
    let packed = Packing.pack(Self.bytes, format)
    for pieces in [1 << 10, 100_000, 1 << 20] {
      let source = ByteSource(packed: packed, chunkSize: 50_000)
      #expect(try unpack(source, pieces: pieces) == Self.bytes)
    }
  }

  @Test("a fault far behind comes after all that is before it")
  func faults() throws {
    var packed = Packing.pack(Self.bytes, .gzip)
    packed[packed.count - 6] ^= 1
    let stream = try ByteSource(packed: packed).open()
    var buffer = [UInt8](repeating: 0, count: 5000)
    var count = 0
    let error = #expect(throws: ReadError.self) {
      while true {
        let got = try buffer.withUnsafeMutableBytes { (all) throws(ReadError) in try stream.read(into: all) }
        if got == 0 { break }
        count += got
      }
    }
    #expect(error?.code == .checksumMismatch && count == Self.bytes.count)
    // It is still one when it is asked for again.
    #expect(throws: ReadError.self) {
      try buffer.withUnsafeMutableBytes { (all) throws(ReadError) in try stream.read(into: all) }
    }
  }

  @Test("a stream may be left at any place")
  func abandoned() throws {
    let packed = Packing.pack(Self.bytes, .gzip)
    for count in [0, 1, 100, 1 << 20, 1 << 20 + 1, 2 << 20, 3 << 20] {
      let stream = try ByteSource(packed: packed).open()
      var left = count
      var buffer = [UInt8](repeating: 0, count: 10_000)
      while left > 0 { left -= try buffer.withUnsafeMutableBytes { try stream.read(into: $0) } }
      #expect(stream.bytesRead > 0)
    }
  }
}
