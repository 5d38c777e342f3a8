import CMergewalkLibYAML
import Foundation
import MergewalkTestSupport
import Testing

@testable import MergewalkRecordFormats

/// The cases of yaml-test-suite, with libyaml's own verdict as the judge.
@Suite(.enabled(if: Locations.shared != nil)) struct YAMLSuiteTests {
  static let cases: [String] = {
    guard Locations.shared != nil else { return [] }
    let root = Locations.shared("suites/yaml/yaml-test-suite")
    return (FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? [])
      .filter { $0.hasSuffix("in.yaml") }.sorted()
  }()

  /// Where libyaml reads otherwise than the suite: `?` before a flow scalar, blanks at the end of block scalars.
  static let exceptions: Set<String> = ["652Z", "HM87-01", "JEF9-02", "L24T-01"]

  @Test func `documents are refused as libyaml refuses them, and have the values of the suite`() throws {
    var compared = 0
    var refused = 0
    for path in Self.cases {
      let root = Locations.shared("suites/yaml/yaml-test-suite/")
      let name = String(path.dropLast("/in.yaml".count))
      let bytes = Array(try #require(FileManager.default.contents(atPath: root + path)))
      let isGood = Self.libyamlAccepts(bytes)
      let whole = Self.read(bytes, Int.max)
      #expect((whole.failure == nil) == isGood, "\(name): \(whole.failure ?? "accepted")")
      for size in [1, 7] {
        let other = Self.read(bytes, size)
        #expect(other.values == whole.values && other.failure == whole.failure, "\(name)")
      }
      if !isGood { refused += 1 }
      guard isGood, !Self.exceptions.contains(name),
        let json = FileManager.default.contents(atPath: root + name + "/in.json")
      else { continue }
      #expect(whole.values == (try Self.records(Array(json))), "\(name)")
      compared += 1
    }
    #expect(Self.cases.count > 200)
    #expect(compared > 110 && refused > 40, "compared \(compared), refused \(refused)")
  }

  /// Whether libyaml reads the bytes to their end.
  static func libyamlAccepts(_ bytes: [UInt8]) -> Bool {
    var parser = yaml_parser_t()
    guard yaml_parser_initialize(&parser) == 1 else { return false }
    defer { yaml_parser_delete(&parser) }
    return bytes.withUnsafeBufferPointer { text in
      yaml_parser_set_input_string(&parser, text.baseAddress, text.count)
      while true {
        var event = yaml_event_t()
        guard yaml_parser_parse(&parser, &event) == 1 else { return false }
        defer { yaml_event_delete(&event) }
        if event.type == YAML_STREAM_END_EVENT { return true }
      }
    }
  }

  /// The JSON text of each record, with sorted keys; an error's code in place of a record that was refused.
  static func read(_ bytes: [UInt8], _ size: Int) -> (values: [String], failure: String?) {
    var options = YAMLOptions()
    options.takesScalars = true
    var values: [String] = []
    do throws(ReadError) {
      var reader = try YAMLReader(source: ByteSource(bytes: bytes, chunkSize: size), options: options)
      var batch = RecordBatch()
      while try reader.read(into: &batch, limit: BatchLimit(records: 3)) {
        for record in 0..<batch.recordCount {
          var members: [String: Any] = [:]
          for (column, name) in reader.columns.enumerated() where batch.state(record, column) != .absent {
            members[name.replacing("\\.", with: ".").replacing("\\\\", with: "\\")] = value(batch, record, column)
          }
          // What is no mapping is told by its text.
          let isValue = Set(members.keys) == ["value"] && !batch.raw(record).starts(with: "value".utf8)
          values.append(Self.text(isValue ? members["value"] ?? members : members))
        }
        values += batch.errors.map(\.code.rawValue)
      }
    } catch {
      return (values, error.description)
    }
    return (values, nil)
  }

  private static func value(_ batch: RecordBatch, _ record: Int, _ column: Int) -> Any {
    var json: [UInt8] = []
    batch.withField(record, column) { JSONColumn.append($0, batch.state(record, column), to: &json) }
    return (try? JSONSerialization.jsonObject(with: Data(json), options: .fragmentsAllowed)) ?? "no JSON"
  }

  /// The records that JSON documents, one after the other, stand for.
  private static func records(_ json: [UInt8]) throws -> [String] {
    var values: [String] = []
    var start = 0
    while true {
      let end = json.withUnsafeBufferPointer { bytes -> Int? in
        guard let base = bytes.baseAddress else { return nil }
        var scanner = JSONScanner(base, from: start, end: bytes.count)
        return scanner.value(depth: 0) ? scanner.i : nil
      }
      guard let end else { return values }
      let value = try JSONSerialization.jsonObject(with: Data(json[start..<end]), options: .fragmentsAllowed)
      if let items = value as? [Any] {
        values += items.map { text($0) }
      } else if !(value is NSNull) {
        values.append(text(value))
      }
      start = end
    }
  }

  private static func text(_ value: Any) -> String {
    let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .sortedKeys]
    let data = (try? JSONSerialization.data(withJSONObject: value, options: options)) ?? Data()
    return String(decoding: data, as: UTF8.self)
  }
}
