import CMergewalkZlib
import Foundation
import MergewalkTestSupport
import Testing

@testable import MergewalkRecordFormats

@Suite struct ArchiveTests {
  private static let orders = Array("id,name\n1,Ann\n2,Ben\n".utf8)
  private static let more = Array("id,name\n3,Cid\n".utf8)

  /// Everything that a reader says about the members of an archive.
  private func read(
    _ bytes: [UInt8], _ options: ContainerOptions = ContainerOptions(), chunk: Int = .max, path: String = "data"
  ) -> Reading {
    var reading = Reading()
    do {
      var reader = try RecordFormat.csv(CSVOptions()).reader(
        source: ByteSource(packed: bytes, chunkSize: chunk, path: path, options), columns: .named(["name"]), index: 0)
      var batch = RecordBatch()
      while try reader.read(into: &batch, limit: BatchLimit(records: 1)) {
        reading.lines.append(batch.member ?? "none")
        reading.append(batch)
      }
    } catch {
      reading.failure = "\(error.code.rawValue) \(error.path)"
    }
    return reading
  }

  private static let twoMembers = [
    "a.csv", "Ann", "a.csv", "Ben", "sub/b.csv", "Cid",
  ]

  private static var tar: [UInt8] {
    Tar.archive([
      Tar.file("readme.txt", Array("hello".utf8)), Tar.file("./a.csv", orders), Tar.member("sub/", [], type: "5"),
      Tar.file("sub/b.csv", more), Tar.file("sub/._b.csv", [0, 5, 22, 7]),
    ])
  }

  private static var zip: [UInt8] {
    var folder = Zip.Member("sub/", [], method: 0)
    folder.attributes = 0x10
    return Zip.archive([
      Zip.Member("readme.txt", Array("hello".utf8), method: 0), Zip.Member("a.csv", orders), folder,
      Zip.Member("sub/b.csv", more, method: 0), Zip.Member("__MACOSX/sub/._b.csv", [0, 5, 22, 7]),
    ])
  }

  @Test func `chosen members are read one after the other in the archive's order`() {
    for archive in [Self.tar, Self.zip, Packing.pack(Self.tar, .gzip), Packing.pack(Self.tar, .xz)] {
      for chunk in [1, 2, 3, 7, .max] {
        for patterns in [["*.csv"], ["sub/b.csv", "a.csv"], ["[a-b].csv", "*/b.csv"]] {
          var options = ContainerOptions()
          options.members = patterns
          #expect(read(archive, options, chunk: chunk) == Reading(lines: Self.twoMembers))
        }
      }
      #expect(read(archive, .members("a.csv")) == Reading(lines: Array(Self.twoMembers.prefix(4))))
    }
  }

  @Test func `an archive is estimated as large as the members that are read`() throws {
    let folder = TemporaryFolder()
    let text = [UInt8](repeating: 65, count: 1_000)
    let files: [(String, [UInt8])] = [
      ("a.csv", text), ("._a.csv", [1, 2]), ("sub/b.csv", text + text), ("c.csv.gz", Array(text[..<100])),
    ]
    try folder.write(
      Tar.archive([Tar.member("sub/", [], type: "5")] + files.map { Tar.file($0.0, $0.1) }), to: "all.tar")
    try folder.write(Zip.archive(files.map { Zip.Member($0.0, $0.1) }), to: "all.zip")
    let cases: [([String], Int)] = [(["a.csv"], 1_000), (["*.csv"], 3_000), (["*"], 3_500), ([], 3_500), (["none"], 0)]
    for name in ["all.tar", "all.zip"] {
      for (members, size) in cases {
        var options = ContainerOptions()
        options.members = members
        #expect(ByteSource(path: folder.file(name), container: options).estimatedBytes == size, "\(name) \(members)")
      }
    }
    // Nothing tells what is in these without unpacking them, or what they are.
    try folder.write(text, to: "all.tar.gz")
    try folder.write(text, to: "text.tar")
    #expect(ByteSource(path: folder.file("all.tar.gz")).estimatedBytes == 5_000)
    #expect(ByteSource(path: folder.file("text.tar")).estimatedBytes == 1_000)
  }

  @Test func `members must be chosen where there are several`() {
    for archive in [Self.tar, Self.zip] {
      #expect(read(archive).failure?.hasPrefix("missingColumn") == true)
      #expect(fault(ByteSource(packed: archive)) == .severalMembers)
      #expect(fault(ByteSource(packed: archive, .members("*.csv"))) == .severalMembers)
      #expect(fault(ByteSource(packed: archive, .members("a.csv"))) == nil)
      let missing = read(archive, .members("a.csv", "b.cvs"))
      #expect(missing == Reading(lines: Array(Self.twoMembers.prefix(4)), failure: "missingMember data"))
    }
    let error = #expect(throws: ReadError.self) { try unpack(ByteSource(packed: Self.zip, .members("sub/b.cvs"))) }
    #expect(error?.message == "the archive has no member “sub/b.cvs”; did you mean “sub/b.csv”?")
    for empty in [Tar.archive([]), Zip.archive([])] {
      #expect(fault(ByteSource(packed: empty, path: "empty.tar")) == .missingMember)
    }
    #expect(fault(ByteSource(packed: Self.orders, .members("a.csv"))) == .missingMember)
  }

  @Test func `members with nothing in them are skipped on request and told, unless all are such`() throws {
    let files: [(name: String, bytes: [UInt8])] = [
      ("0.csv", []), ("a.csv", Self.orders), ("1.csv", Array("\n \r\n".utf8)), ("b.csv", Self.more),
      ("2.csv", [0xEF, 0xBB, 0xBF, 0x0A]),
    ]
    func archives(_ names: String...) -> [[UInt8]] {
      let chosen = files.filter { names.isEmpty || names.contains($0.name) }
      return [
        Tar.archive(chosen.map { Tar.file($0.name, $0.bytes) }),
        Zip.archive(chosen.map { Zip.Member($0.name, $0.bytes) }),
      ]
    }
    var options = ContainerOptions.members("*.csv")
    options.skipsEmptyMembers = true
    for archive in archives() {
      #expect(read(archive, .members("*.csv")).failure == "missingHeader data/0.csv")
      for chunk in [1, 7, .max] {
        var reader = try RecordFormat.csv(CSVOptions()).reader(
          source: ByteSource(packed: archive, chunkSize: chunk, options), columns: .named(["name"]), index: 0)
        var batch = RecordBatch()
        var (names, empty): ([String?], [[String]]) = ([], [])
        var isMore = true
        while isMore {
          isMore = try reader.read(into: &batch, limit: BatchLimit())
          names += (0..<batch.recordCount).map { batch.text($0, 0) }
          empty.append(batch.emptyMembers)
        }
        #expect(names == ["Ann", "Ben", "Cid"])
        #expect(empty == [["0.csv"], ["1.csv"], ["2.csv"]])
      }
    }
    for archive in archives("0.csv", "1.csv") {
      #expect(read(archive, options).failure == "missingHeader data/0.csv")
    }
    // Of one that is larger than the look ahead nothing is known.
    let large = [UInt8](repeating: 0x0A, count: 70_000)
    let archive = Tar.archive([Tar.file("0.csv", large), Tar.file("a.csv", Self.orders)])
    #expect(read(archive, options).failure == "missingHeader data/0.csv")
  }

  @Test func `the only file of an archive needs no name`() throws {
    let mac = [Tar.file("a.csv", Self.orders), Tar.file("._a.csv", [0, 5])]
    let zipped = [Zip.Member("a.csv", Self.orders), Zip.Member("__MACOSX/._a.csv", [0, 5])]
    for archive in [Tar.archive(mac), Zip.archive(zipped)] {
      #expect(try unpack(ByteSource(packed: archive, chunkSize: 100)) == Self.orders)
      let reader = try RecordFormat.csv(CSVOptions()).reader(
        source: ByteSource(packed: archive, path: "data.zip"), columns: .all, index: 0)
      #expect(reader.columns == ["id", "name"])
    }
    #expect(try SourceFormat.detect(ByteSource(packed: Tar.archive(mac))) == .csv)
  }

  @Test func `members may be compressed themselves`() throws {
    let inner = Packing.pack(Self.orders, .gzip)
    for archive in [Tar.archive([Tar.file("a.csv.gz", inner)]), Zip.archive([Zip.Member("a.csv.gz", inner)])] {
      #expect(try unpack(ByteSource(packed: archive)) == Self.orders)
      #expect(fault(ByteSource(packed: Tar.archive([Tar.file("a.zip", archive)]))) == .unsupportedContainer)
    }
    let cut = Tar.archive([Tar.file("a.csv.gz", inner.dropLast())])
    let error = #expect(throws: ReadError.self) { try unpack(ByteSource(packed: cut, path: "x.tar")) }
    #expect(error?.code == .truncated && error?.path == "x.tar/a.csv.gz")
    // What is named outright is not looked into.
    let plain = ByteSource(packed: Tar.archive([Tar.file("a.csv.gz", inner)]), .packed(.tar))
    #expect(try unpack(plain) == inner)
  }

  // MARK: tar

  @Test func `tar's ways of writing long names and sizes are read`() throws {
    let long = String(repeating: "folder/", count: 30) + "orders.csv"
    let pax = Tar.pax([("mtime", "1.5"), ("path", long), ("size", "\(Self.orders.count)")])
    let gnu = Tar.member("././@LongLink", Array((long + "\0").utf8), type: "L", gnu: true)
    let link = Tar.member("././@LongLink", Array((long + "x\0").utf8), type: "K", gnu: true)
    let file = Tar.file("short", Self.orders)
    var binary = file
    for (i, byte) in ([0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(Self.orders.count)] as [UInt8]).enumerated() {
      binary[124 + i] = byte
    }
    let sum = (0..<512).reduce(0) { $0 + ((148..<156).contains($1) ? 32 : Int(binary[$1])) }
    for (i, byte) in Array(String(sum, radix: 8).utf8).enumerated() { binary[148 + i] = byte }
    for i in (148 + String(sum, radix: 8).utf8.count)..<156 { binary[i] = 0 }
    for (members, name) in [
      ([pax, file], long), ([gnu, file], long), ([link, gnu, file], long), ([binary], "short"),
      ([Tar.pax([("comment", "x")], type: "g"), file], "short"),
      // Names are of one member only.
      ([pax, Tar.member("else", Self.orders, type: "5", size: 0).prefix(512) + [], file], "short"),
    ] {
      let contents = try SourceContents(ByteSource(packed: Tar.archive(members)))
      #expect(try contents.next()?.path == "memory/" + name)
      #expect(try unpack(ByteSource(packed: Tar.archive(members), chunkSize: 100)) == Self.orders)
    }
  }

  @Test func `tar's links and folders are no files, and files with holes are refused`() throws {
    let archive = Tar.archive(
      ["1", "2", "3", "4", "5", "6"].map { Tar.member("x", [], type: $0) } + [Tar.file("a.csv", Self.orders)])
    #expect(try unpack(ByteSource(packed: archive)) == Self.orders)
    #expect(fault(ByteSource(packed: Tar.archive([Tar.member("s", [], type: "S")]))) == .unsupportedContainer)
    let sparse = Tar.pax([("GNU.sparse.major", "1")]) + Tar.file("s", Self.orders)
    #expect(fault(ByteSource(packed: Tar.archive([sparse]))) == .unsupportedContainer)
  }

  @Test func `a tar archive whose first header is damaged is no text`() {
    var archive = Tar.archive([Tar.file("a.csv", Array("id\n1\n".utf8))])
    archive[3] ^= 1
    #expect(fault(ByteSource(packed: archive, path: "x.dat")) == .corrupt)
  }

  @Test func `a tar archive cut anywhere is an error`() {
    let whole = Tar.archive([Tar.pax([("path", "a.csv")]) + Tar.file("x", Self.orders)])
    for length in 0..<whole.count {
      let code = fault(ByteSource(packed: Array(whole[..<length]), .packed(.tar)))
      #expect(code == .truncated, "\(length) of \(whole.count) bytes")
      if length % 50 == 0 {
        let named = ByteSource(packed: Array(whole[..<length]), path: "a.tar")
        #expect(fault(named) == .truncated, "\(length) of \(whole.count) bytes, by name")
      }
    }
    let padded = whole + [UInt8](repeating: 0, count: 20_000)
    #expect(fault(ByteSource(packed: padded)) == nil)
    #expect(fault(ByteSource(packed: whole + [1])) == .corrupt)
    #expect(fault(ByteSource(packed: whole + whole)) == .corrupt)
    // Both checksums are looked at when the archive is compressed.
    var packed = Packing.pack(whole, .gzip)
    packed[packed.count - 5] ^= 1
    #expect(fault(ByteSource(packed: packed)) == .checksumMismatch)
  }

  @Test func `what stands before the cut is read, however it arrives`() {
    let text = Array("id,name\n1,Annemarie\n2,Bo\n\n3,Christopher\n4,\"D\nE\"\n".utf8)
    let whole = Tar.archive([Tar.file("a.csv", text)])
    for length in 512..<512 + text.count {
      let cut = Array(whole[..<length])
      let readings = [.max, 1, 2, 7].map { chunk in
        Reading.of { () throws(ReadError) in
          try CSVReader(source: ByteSource(packed: cut, chunkSize: chunk, .packed(.tar)))
        }
      }
      #expect(readings.allSatisfy { $0 == readings[0] }, "\(length) bytes: \(readings)")
      #expect(readings[0].failure?.hasPrefix("truncated") == true)
    }
  }

  @Test func `a damaged tar header is an error`() {
    let whole = Tar.archive([Tar.file("a.csv", Self.orders)])
    for index in 0..<512 {
      for bit in 0..<8 {
        var damaged = whole
        damaged[index] ^= 1 << UInt8(bit)
        // A number may be filled with other things than spaces.
        if let bytes = try? unpack(ByteSource(packed: damaged, .packed(.tar))) { #expect(bytes == Self.orders) }
      }
    }
    var other = whole
    other[0] ^= 1
    #expect(fault(ByteSource(packed: other, .packed(.tar))) == .corrupt)
    let huge = Tar.archive([Tar.member("x", [], type: "x", size: 1 << 32)])
    #expect(fault(ByteSource(packed: huge)) == .corrupt)
    for records in ["5 a=b\n", "x", "99 a=b\n", "6 ab\n", "0 a=b\n", "18446744073709551616 a=b\n", "9 size=x\n", " "] {
      let archive = Tar.archive([Tar.member("x", Array(records.utf8), type: "x"), Tar.file("a", Self.orders)])
      #expect(fault(ByteSource(packed: archive)) == .corrupt, "\(records)")
    }
  }

  // MARK: zip

  @Test("zip's methods are unpacked", arguments: [0, 8, 12, 93, 95])
  func methods(_ method: Int) throws {
    for bytes in [Self.orders, [], [UInt8](repeating: 65, count: 200_000)] {
      let archive = Zip.archive([Zip.Member("a.csv", bytes, method: method)], comment: "PK\u{5}\u{6} a comment")
      #expect(try unpack(ByteSource(packed: archive)) == bytes)
    }
  }

  @Test func `zip64 is read`() throws {
    var member = Zip.Member("a.csv", Self.orders)
    member.isZip64 = true
    for end in [false, true] {
      let archive = Zip.archive([member], zip64End: end)
      #expect(try unpack(ByteSource(packed: archive)) == Self.orders)
      for length in 0..<archive.count {
        #expect(fault(ByteSource(packed: Array(archive[..<length]), .packed(.zip))) == .truncated)
      }
    }
  }

  @Test func `zip members that cannot be read are named`() {
    var encrypted = Zip.Member("secret.csv", Self.orders)
    encrypted.flags |= 1
    let error = #expect(throws: ReadError.self) {
      try unpack(ByteSource(packed: Zip.archive([encrypted]), path: "x.zip"))
    }
    #expect(error?.code == .unsupportedContainer && error?.path == "x.zip/secret.csv")
    #expect(error?.message.contains("encrypted") == true)
    for (method, name) in [(9, "deflate64"), (14, "LZMA"), (99, "AES"), (77, "method 77")] {
      let archive = Zip.archive([Zip.Member("a", Self.orders, method: method)])
      let error = #expect(throws: ReadError.self) { try unpack(ByteSource(packed: archive)) }
      #expect(error?.code == .unsupportedContainer && error?.message.contains(name) == true)
    }
    // Others beside them are read.
    let both = Zip.archive([encrypted, Zip.Member("a.csv", Self.orders)])
    #expect(fault(ByteSource(packed: both, .members("a.csv"))) == nil)
  }

  @Test func `names are UTF-8 or code page 437`() throws {
    var old = Zip.Member("x", Self.orders)
    old.flags = 0
    old.name = [0x81, 0x62, 0x65, 0x72, 0x2E, 0x63, 0x73, 0x76]
    let archive = Zip.archive([old, Zip.Member("größe.csv", Self.more)])
    #expect(try unpack(ByteSource(packed: archive, .members("über.csv"))) == Self.orders)
    #expect(try unpack(ByteSource(packed: archive, .members("größe.csv"))) == Self.more)
  }

  @Test func `names that are not text stay different, and choose members as they are shown`() throws {
    let names: [[UInt8]] = [[0x63, 0xE8], [0x63, 0xE9], [0xC3, 0xA9, 0xE9]]
    let shown = ["c\\xE8", "c\\xE9", "é\\xE9"]
    let files = [Self.orders, Self.more, Self.orders]
    let tarred = Tar.archive(
      names.indices.map {
        Tar.member("././@LongLink", names[$0] + [0], type: "L", gnu: true) + Tar.file("x", files[$0])
      })
    let zipped = Zip.archive(
      names.indices.map {
        var member = Zip.Member("x", files[$0])
        member.name = names[$0]
        return member
      })
    for archive in [tarred, zipped] {
      let found = read(archive, .members("*")).lines.filter { shown.contains($0) }
      #expect(found == [shown[0], shown[0], shown[1], shown[2], shown[2]])
      for index in names.indices {
        #expect(try unpack(ByteSource(packed: archive, .members(shown[index]))) == files[index])
      }
    }
  }

  @Test func `a zip archive cut anywhere is an error`() {
    for comment in ["", "a comment of some length"] {
      let archive = Zip.archive([Zip.Member("a.csv", Self.orders), Zip.Member("b.csv", Self.more)], comment: comment)
      for length in 0..<archive.count {
        let part = Array(archive[..<length])
        #expect(fault(ByteSource(packed: part, .packed(.zip, members: ["*"]))) == .truncated, "\(length)")
        if length > 3 || length == 0 {
          #expect(fault(ByteSource(packed: part, path: "a.zip", .members("*"))) == .truncated)
        }
      }
      #expect(fault(ByteSource(packed: archive + [0], .members("a.csv"))) == .truncated)
    }
  }

  @Test func `a damaged zip archive never gives other records`() {
    let archive = Zip.archive([Zip.Member("a.csv", Self.orders), Zip.Member("b.csv", Self.more, method: 0)])
    let expected = ["a.csv": Self.orders, "b.csv": Self.more]
    for index in archive.indices {
      for bit in 0..<8 {
        var damaged = archive
        damaged[index] ^= 1 << UInt8(bit)
        for name in expected.keys {
          let source = ByteSource(packed: damaged, .packed(.zip, members: [name]))
          if let bytes = try? unpack(source) { #expect(bytes == expected[name], "bit \(bit) of byte \(index)") }
        }
      }
    }
  }

  @Test func `members that overlap are refused`() {
    var second = Zip.Member("b.csv", Self.orders)
    second.offset = 0
    #expect(fault(ByteSource(packed: Zip.archive([Zip.Member("a.csv", Self.orders), second]))) == .corrupt)
    var behind = Zip.Member("b.csv", Self.orders)
    behind.offset = 90
    #expect(fault(ByteSource(packed: Zip.archive([behind]))) == .corrupt)
  }

  @Test func `a zip archive must be a file`() {
    let error = #expect(throws: ReadError.self) { try unpack(ByteSource(packed: Packing.pack(Self.zip, .gzip))) }
    #expect(error?.code == .unsupportedContainer && error?.message.contains("funzip") == true)
  }

  // MARK: The system's tools

  @Test func `archives of the system's tools are read`() throws {
    let folder = TemporaryFolder()
    let long = "a-rather-long-folder-name-for-the-archive/" + String(repeating: "x", count: 90)
    try folder.write("id,name\n1,Ann\n", to: long + "/größe.csv")
    try folder.write("id,name\n2,Ben\n", to: "b.csv")
    var count = 0
    for format in ["ustar", "pax", "gnu", "v7", "oldgnu"] {
      for packing in [[], ["-z"], ["-j"], ["-J"], ["--zstd"]] {
        let files = format == "v7" ? ["b.csv"] : ["b.csv", long]
        let words = ["tar", "--format=" + format, "-cf", "-"] + packing + files
        guard let archive = try tool(words, in: folder.path) else { continue }
        count += 1
        let expected = format == "v7" ? ["b.csv", "Ben"] : ["b.csv", "Ben", "\(long)/größe.csv", "Ann"]
        #expect(read(archive, .members("*.csv"), chunk: 10_000) == Reading(lines: expected), "\(words)")
      }
    }
    for options in [["-r"], ["-r", "-0"], ["-r", "-Z", "bzip2"]] {
      guard try tool(["zip", "-q"] + options + ["a.zip", "b.csv", long], in: folder.path) != nil else { continue }
      count += 1
      let bytes = try Array(Data(contentsOf: URL(fileURLWithPath: folder.file("a.zip"))))
      #expect(
        read(bytes, .members("*.csv")) == Reading(lines: ["b.csv", "Ben", "\(long)/größe.csv", "Ann"]))
      try FileManager.default.removeItem(atPath: folder.file("a.zip"))
    }
    #expect(count > 0)
  }
}
