import CMergewalkZlib
import Foundation
import MergewalkPropertyLists
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

/// Objects of a binary list as bytes, with numbers of one byte and offsets of four.
private func binaryList(_ objects: [[UInt8]], top: UInt8 = 0, referenceSize: UInt8 = 1) -> [UInt8] {
  var bytes = Array("bplist00".utf8)
  var offsets: [Int] = []
  for object in objects {
    offsets.append(bytes.count)
    bytes += object
  }
  let table = bytes.count
  for offset in offsets { bytes += (0..<4).reversed().map { UInt8(truncatingIfNeeded: offset >> (8 * $0)) } }
  bytes += [0, 0, 0, 0, 0, 0, 4, referenceSize]
  for number in [objects.count, Int(top), table] {
    bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
  return bytes
}

@Suite("Property lists: cycles, bombs and depth") struct PropertyListBombTests {
  @Test("lists that contain themselves are refused")
  func cycles() {
    // An array of itself, one through a dictionary, and one behind a good record.
    #expect(readList(binaryList([[0xA1, 0]])).failure == "invalidDocument@1:1")
    #expect(readList(binaryList([[0xA1, 1], [0xD1, 2, 0], [0x51, 0x61]]), ["a"]).failure == "invalidDocument@1:1")
    let late = readList(binaryList([[0xA2, 1, 2], [0xD0], [0xA1, 2]]), ["a"])
    #expect(late.lines == ["·"] && late.failure == "invalidDocument@2:1")
    let inside = readList(binaryList([[0xD1, 1, 0], [0x51, 0x61]]), ["a"], records: "a.a.a.a")
    #expect(inside.lines.isEmpty && inside.failure == "invalidDocument@1:1")
  }

  @Test("records of the binary form are found at a path")
  func recordsAtAPath() {
    // {a: {b: [{c: 1}, {c: 2}], d: {c: 3}, e: 1}}
    let list = binaryList([
      [0xD1, 1, 2], [0x51, 0x61], [0xD3, 3, 4, 5, 6, 7, 8], [0x51, 0x62], [0x51, 0x64], [0x51, 0x65],
      [0xA2, 10, 11], [0xD1, 9, 12], [0x10, 1], [0x51, 0x63], [0xD1, 9, 8], [0xD1, 9, 13], [0x10, 3], [0x10, 2],
    ])
    #expect(readList(list, records: "a.b").lines == ["#1", "#2"])
    #expect(readList(list, ["c"], records: "a.b").lines == ["#1", "#2"])
    // One dictionary is one record, a scalar one if the column is asked for.
    #expect(readList(list, ["c"], records: "a.d").lines == ["#3"])
    #expect(readList(list, ["value"], records: "a.e").lines == ["#1"])
    #expect(readList(list, ["c"], records: "a.e").failure == "missingRecords")
    #expect(readList(list, ["b.c", "b"], records: "a", each: "b").lines == ["#1|${\"c\":1}", "#2|${\"c\":2}"])
    #expect(readList(list, ["c"], records: "a.x").failure == "missingRecords")
  }

  @Test("lists that double with each level end soon")
  func doubling() {
    var objects: [[UInt8]] = [[0xAA] + [UInt8](repeating: 1, count: 10)]
    for level in 1..<100 { objects.append([0xA2, UInt8(level + 1), UInt8(level + 1)]) }
    objects.append([0xD0])
    let start = ProcessorTime.now
    let reading = readList(binaryList(objects), maxRecordBytes: 1 << 17)
    #expect(reading.lines.count == 10 && reading.failure == nil)
    #expect(reading.lines.allSatisfy { $0.hasPrefix("recordTooLong") })
    #expect(ProcessorTime.now - start < .seconds(20))
  }

  @Test("many records that share one bomb end soon")
  func sharedBombs() {
    var objects: [[UInt8]] = [[0xAF, 0x12, 0, 1, 0, 0] + [UInt8](repeating: 1, count: 65536)]
    for level in 1..<60 { objects.append([0xA2, UInt8(level + 1), UInt8(level + 1)]) }
    objects.append([0xD0])
    let start = ProcessorTime.now
    let reading = readList(binaryList(objects), ["a"], maxRecordBytes: 1 << 14)
    #expect(reading.failure?.hasPrefix("invalidDocument") == true)
    #expect(ProcessorTime.now - start < .seconds(20))
  }

  @Test("values that many records share are read for each")
  func shared() {
    let objects: [[UInt8]] = [
      [0xA3, 1, 1, 1], [0xD2, 2, 3, 4, 4], [0x51, 0x61], [0x51, 0x62], [0xA2, 5, 5], [0x10, 7],
    ]
    #expect(readList(binaryList(objects), ["a", "b"]).lines == Array(repeating: "$[7,7]|$[7,7]", count: 3))
  }

  @Test("what nests too deeply is refused, and nothing recurses")
  func depth() {
    for depth in [600, 5_000, 100_000] {
      let isLong = depth > 10_000
      let xml =
        "<plist><array><dict><key>a</key>" + String(repeating: "<array>", count: depth)
        + String(repeating: "</array>", count: depth) + "</dict></array></plist>"
      let text = "({ a = " + String(repeating: "(", count: depth) + String(repeating: ")", count: depth) + "; })"
      for list in [xml, text] {
        let reading = readList(Array(list.utf8), ["a"])
        if isLong {
          #expect(reading.failure?.hasPrefix("invalidDocument") == true)
        } else {
          #expect(reading.failure == nil && reading.lines.first?.hasPrefix("tooDeep") == true)
        }
      }
    }
    var list = PropertyList.array([])
    for _ in 0..<600 { list = .array([list]) }
    let reading = readList(BinaryPropertyListWriter.write(.array([.dictionary([.init("a", list)])])), ["a"])
    #expect(reading.failure == nil && reading.lines == ["tooDeep@1:1"])
  }

  @Test("a billion laughs is refused")
  func entities() {
    var text = "<?xml version='1.0'?><!DOCTYPE plist [<!ENTITY a0 'ha'>"
    for level in 1..<30 { text += "<!ENTITY a\(level) '&a\(level - 1);&a\(level - 1);'>" }
    text += "]><plist><array><string>&a29;</string></array></plist>"
    #expect(readList(Array(text.utf8), ["value"]).failure?.hasPrefix("invalidDocument") == true)
  }

  @Test("every object that reaches beyond its place is refused")
  func bounds() {
    let good = BinaryPropertyListWriter.write(
      .array([.dictionary([.init("a", .string("é")), .init("b", .data([1])), .init("c", .real(0.5))])]))
    #expect(readList(good, ["a", "b", "c"]).lines == ["«é»|AQ==|#0.5"])
    // Five letters are a string of OpenStep text.
    for length in 6..<good.count {
      let cut = readList(Array(good[..<length]), ["a"])
      #expect(cut.failure != nil && cut.lines.isEmpty, "\(length) bytes")
    }
    let objects: [[UInt8]] = [
      [0xA1, 9], [0xA5, 0], [0x6F, 0x10], [0x4F, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x5F], [0x17],
      [0x33, 0], [0x0F], [0xF0], [0x2F], [0xDF, 0x10, 0xFF],
    ]
    for object in objects { #expect(readList(binaryList([[0xA1, 1], object])).failure != nil, "\(object)") }
  }

  @Test("numbers of all sizes are exact")
  func numbers() {
    let cases: [([UInt8], String)] = [
      ([0x10, 0xFF], "#255"), ([0x11, 0xFF, 0xFE], "#65534"), ([0x12, 0xFF, 0xFF, 0xFF, 0xFF], "#4294967295"),
      ([0x13] + Array(repeating: 0xFF, count: 8), "#-1"),
      ([0x14] + Array(repeating: 0, count: 8) + Array(repeating: 0xFF, count: 8), "#18446744073709551615"),
      ([0x14, 0x7F] + Array(repeating: 0xFF, count: 15), "#170141183460469231731687303715884105727"),
      ([0x14, 0x80] + Array(repeating: 0, count: 15), "#-170141183460469231731687303715884105728"),
      ([0x22, 0x3F, 0, 0, 0], "#0.5"), ([0x23, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0], "inf"), ([0x80, 7], "${\"CF$UID\":7}"),
      ([0x33, 0, 0, 0, 0, 0, 0, 0, 0], "2001-01-01T00:00:00Z"),
      ([0x33, 0x3F, 0xB9, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9A], "2001-01-01T00:00:00.1Z"),
      ([0x33, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0], "invalidScalar@1:1"), ([0x62, 0xD8, 0x3D, 0xDE, 0], "«😀»"),
      ([0x61, 0xD8, 0x3D], "loneSurrogate@1:1"), ([0x51, 0xE9], "invalidText@1:1"), ([0x00], "∅"),
      ([0xC1, 2], "$[\"a\"]"),
    ]
    for (object, expected) in cases {
      let list = binaryList([[0xA1, 3], object, [0x51, 0x61], [0xD1, 2, 1]])
      #expect(readList(list, ["a"]).lines == [expected])
    }
  }

  @Test("a packed list is read from a copy", arguments: [10, Soak.readersAreWhole ? 200_000 : 70_000])
  func packed(_ count: Int) throws {
    let list = PropertyList.array((0..<count).map { .dictionary([.init("n", .integer(Int64($0)))]) })
    let folder = TemporaryFolder()
    let path = folder.file("list.plist.gz")
    let file = try #require(gzopen(path, "wb1"))
    var bytes = BinaryPropertyListWriter.write(list)
    #expect(gzwrite(file, &bytes, UInt32(bytes.count)) == bytes.count)
    gzclose(file)
    var reader = try RecordFormat.propertyList(PropertyListOptions())
      .reader(source: ByteSource(path: path), columns: .named(["n"]), index: 0)
    var batch = RecordBatch()
    var next = 0
    while try reader.read(into: &batch, limit: BatchLimit()) {
      for record in 0..<batch.recordCount {
        if batch.text(record, 0) != "\(next)" { Issue.record("record \(next) is \(batch.text(record, 0) ?? "")") }
        next += 1
      }
    }
    #expect(next == count)
  }

  @Test("a tag with very many attributes, and a very long comment, end soon")
  func longTags() {
    let attributes = (0..<200_000).map { "a\($0)='x'" }.joined(separator: " ")
    let comment = String(repeating: "x ", count: 4 << 20)
    let start = ProcessorTime.now
    for list in ["<plist \(attributes)><array/></plist>", "<plist><array><dict \(attributes)/></array></plist>"] {
      #expect(readList(Array(list.utf8)).failure?.hasPrefix("invalidDocument@1:") == true)
    }
    let reading = readList(Array("<plist><!--\(comment)--><array><dict/></array></plist>".utf8), ["a"])
    #expect(reading.failure == nil && reading.lines == ["·"])
    #expect(ProcessorTime.now - start < .seconds(4))
  }
}
