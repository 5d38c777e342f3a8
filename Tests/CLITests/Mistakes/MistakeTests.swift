import Foundation
import MergewalkSQLite
import MergewalkTestSupport
import Testing
import MergewalkYAML

/// The table of mistakes: what each message says about the place, what was found and what to do.
@Suite("Messages")
struct MistakeTests {
  @Test("every mistake has its place, what was found and the cure", arguments: try! Mistake.all())
  func message(_ mistake: Mistake) throws {
    let folder = TemporaryFolder()
    try mistake.prepare(folder)
    let command = try Command(mistake.arguments, in: folder.path)
    let said = command.output + command.words
    #expect(command.status == mistake.exit, "\(mistake.name): \(said)")
    for text in mistake.expected { #expect(said.contains(text), "\(mistake.name): “\(text)” is not in: \(said)") }
    for text in mistake.never { #expect(!said.contains(text), "\(mistake.name): “\(text)” is in: \(said)") }
  }

  @Test("the table has at least the 65 mistakes of the first count, each once")
  func size() throws {
    let names = try Mistake.all().map(\.name)
    #expect(names.count >= 65)
    #expect(Set(names).count == names.count)
  }
}

/// One mistake of `Mistakes.yaml`.
struct Mistake: Sendable, CustomTestStringConvertible {
  let name: String
  /// The place, the finding, the cure.
  let expected: [String]
  let never: [String]
  let exit: Int32
  let arguments: [String]
  private let node: YAMLNode
  private let base: [(name: String, text: String)]

  var testDescription: String { name }

  /// The mistakes of the table.
  static func all() throws -> [Mistake] {
    let path = Locations.repository + "/Tests/CLITests/Mistakes/Mistakes.yaml"
    let root = try YAMLDocument.parse(String(contentsOfFile: path, encoding: .utf8), path: path)
    let base = texts(root["base"])
    return try (root["mistakes"]?.items ?? []).map { try Mistake($0, base) }
  }

  private init(_ node: YAMLNode, _ base: [(name: String, text: String)]) throws {
    self.node = node
    self.base = base
    let name = try #require(node["name"]?.text)
    self.name = name
    expected = try ["place", "finding", "cure"].map { try #require(node[$0]?.text, "\(name)") }
    never = node["never"]?.items?.compactMap(\.text) ?? []
    exit = Int32(try #require(node["exit"]?.integer))
    arguments = Self.words(node["run"]?.text ?? "lint people.yaml")
  }

  /// Makes the files, with the mistake in them.
  func prepare(_ folder: TemporaryFolder) throws {
    for (name, text) in base + Self.texts(node["files"]) { try write(Data(text.utf8), to: name, folder) }
    for (name, digits) in Self.texts(node["hex"]) { try write(Self.bytes(digits), to: name, folder) }
    for (name, statement) in Self.texts(node["sqlite"]) {
      let connection = try Connection(path: folder.file(name), mode: .create)
      try connection.execute(statement)
      try connection.close()
    }
    try change(node["change"], folder)
    if let line = node["prepare"]?.text {
      let command = try Command(Self.words(line), in: folder.path)
      #expect(command.status == 0, "\(name): \(command.words)")
    }
    try change(node["late"], folder)
  }

  private func change(_ changes: YAMLNode?, _ folder: TemporaryFolder) throws {
    for change in changes?.items ?? [] {
      let parts = change.items?.compactMap(\.text) ?? []
      try #require(parts.count == 3, "\(name)")
      let path = folder.file(parts[0])
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(text.contains(parts[1]), "\(name): “\(parts[1])” is not in \(parts[0])")
      try Data(text.replacingOccurrences(parts[1], parts[2]).utf8).write(to: URL(fileURLWithPath: path))
    }
  }

  private func write(_ data: Data, to name: String, _ folder: TemporaryFolder) throws {
    let url = URL(fileURLWithPath: folder.file(name))
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url)
  }

  private static func texts(_ node: YAMLNode?) -> [(name: String, text: String)] {
    (node?.entries ?? []).compactMap { entry in
      entry.key.text.flatMap { name in entry.value.text.map { (name, $0) } }
    }
  }

  private static func bytes(_ digits: String) -> Data {
    let digits = Array(digits.utf8)
    return Data(
      stride(from: 0, to: digits.count - 1, by: 2).compactMap {
        UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)
      })
  }

  /// The words of a command line; double quotes hold a word with spaces together.
  private static func words(_ line: String) -> [String] {
    line.split(separator: "\"", omittingEmptySubsequences: false).enumerated().flatMap { index, part in
      index.isMultiple(of: 2) ? part.split(separator: " ").map { String($0) } : [String(part)]
    }
  }
}
