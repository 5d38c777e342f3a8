import Foundation
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// A folder with a model of people, a pipeline, an input, and perhaps a store that has people already.
struct People {
  let folder = TemporaryFolder()

  /// - Parameter count: how many people the store has; none makes no store.
  init(_ count: Int = 0, more: String = "") throws {
    try folder.write(
      "model: M\nentities:\n  Person:\n    attributes: { email: string!, age: integer64 }\n    unique: [email]\n",
      to: "m.yaml")
    try pipeline(more)
    if count > 0 {
      try input(1...count, age: 1)
      let command = try run()
      #expect(command.status == 0, "\(command.words)")
    }
  }

  /// Writes the pipeline, with more fields.
  func pipeline(_ more: String = "", store: String = "s.sqlite", name: String = "p.yaml") throws {
    try folder.write(
      "pipeline: people\nmodel: m.yaml\nstore: \(store)\nsource: { files: in.csv, format: csv }\nhistory: false\n"
        + "\(more)\nimport: { entity: Person, find_by: [email], attributes: [age] }\n", to: name)
  }

  /// Writes the input: people of these numbers.
  func input(_ numbers: ClosedRange<Int>, age: Int, bad: Int = 0) throws {
    var text = "email,age\n" + numbers.map { "p\($0)@example.com,\(age)\n" }.joined()
    for number in 0..<bad { text += "bad\(number)@example.com,x\n" }
    try folder.write(text, to: "in.csv")
  }

  func run(_ arguments: String..., environment: [String: String] = [:]) throws -> Command {
    try Command(["run", "p.yaml", "--quiet"] + arguments, in: folder.path, environment: environment)
  }

  func command(_ arguments: String...) throws -> Command { try Command(arguments, in: folder.path) }

  /// The number of people of an age, in a store that is read by SQLite itself.
  func count(age: Int, store: String = "s.sqlite") throws -> Int {
    let connection = try Connection(path: folder.file(store), mode: .readOnly)
    return Int(try connection.integer("SELECT count(*) FROM ZPERSON WHERE ZAGE = \(age)") ?? -1)
  }

  func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: folder.file(name))) }

  func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }

  func mode(_ name: String) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: folder.file(name))[.posixPermissions] as? Int ?? -1
  }
}
