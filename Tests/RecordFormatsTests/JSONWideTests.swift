import MergewalkTestSupport
import Testing

@testable import MergewalkRecordFormats

/// Objects with so many members that they are found by their hashes.
@Suite("Wide JSON") struct JSONWideTests {
  @Test("of many members each is found, in any order, escaped or not, beside unknown ones", arguments: Soak.seeds(6))
  func anyOrder(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let count = [64, 65, 66, 300, 1000].randomElement(using: &random) ?? 65
    let names = (0..<count).map { "\($0 % 7 == 0 ? "é\"" : $0 % 5 == 0 ? "a long name of a member " : "k")\($0)" }
    var lines: [UInt8] = []
    var expected: [[String?]] = []
    for row in 0..<20 {
      var members: [String] = []
      var values = [String?](repeating: nil, count: count)
      let order = row == 0 ? Array(names.indices) : names.indices.shuffled(using: &random)
      for index in order where Int.random(in: 0..<10, using: &random) > 0 {
        values[index] = "\(row * count + index)"
        let isEscaped = Bool.random(using: &random)
        let name = names[index].unicodeScalars.map { scalar -> String in
          if scalar == "\"" { return "\\\"" }
          guard isEscaped else { return String(scalar) }
          let digits = String(scalar.value, radix: 16)
          return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
        members.append("\"\(name)\": \(row * count + index)")
        if Int.random(in: 0..<3, using: &random) == 0 { members.append("\"x\(index)\": [1]") }
      }
      lines += Array("{\(members.joined(separator: ","))}\n".utf8)
      expected.append(values)
    }
    for chunk in [1, 1000, Int.max] {
      var reader = try NDJSONReader(source: ByteSource(bytes: lines, chunkSize: chunk), columns: .named(names))
      var batch = RecordBatch()
      var found: [[String?]] = []
      while try reader.read(into: &batch, limit: BatchLimit()) {
        #expect(batch.errors.isEmpty)
        for record in 0..<batch.recordCount {
          found.append(
            names.indices.map { column in
              batch.state(record, column) == .absent
                ? nil : batch.withField(record, column) { String(decoding: $0, as: UTF8.self) }
            })
        }
      }
      let isEqual = found == expected
      #expect(isEqual, "seed \(seed), \(count) members, pieces of \(chunk)")
    }
  }

  @Test("of many members one that stands twice refuses the record")
  func twice() throws {
    let members = (0..<200).map { "\"k\($0)\":1" } + ["\"k7\":2"]
    var reader = try NDJSONReader(
      source: ByteSource(bytes: Array("{\(members.joined(separator: ","))}".utf8)),
      columns: .named((0..<200).map { "k\($0)" }))
    var batch = RecordBatch()
    _ = try reader.read(into: &batch, limit: BatchLimit())
    #expect(batch.errors.map(\.code) == [.duplicateMember])
  }
}
