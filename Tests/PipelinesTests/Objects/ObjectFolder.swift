import Foundation
import MergewalkImporting
import MergewalkPipelines
import MergewalkTestSupport
import Testing

/// A folder with files of whole objects, a pipeline over them and the store that it makes.
struct ObjectFolder {
  let folder = TemporaryFolder()

  static let model = """
    model: Library
    entities:
      Author:
        attributes: { name: string! }
        relationships:
          books: { to_many: Book, inverse: author, ordered: true }
          pass: { to_one: Pass, inverse: holder }
          friends: { to_many: Author, inverse: friends }
          shelf: { to_many: Thing }
      Book:
        parent: Thing
        attributes:
          isbn: string
          pages: { type: integer32!, default: 100 }
          price: decimal
          printed: date
        relationships:
          author: { to_one: Author, inverse: books, required: true }
          tags: { to_many: Tag, inverse: books, ordered: true }
        unique: [isbn]
      Map: { parent: Thing }
      Pass:
        relationships: { holder: { to_one: Author, inverse: pass } }
      Tag:
        attributes: { label: string }
        relationships:
          books: { to_many: Book, inverse: tags, ordered: true }
          parent: { to_one: Tag, inverse: children }
          children: { to_many: Tag, inverse: parent }
          about: { to_one: Thing }
          source: { to_one: Book }
      Thing: { abstract: true, attributes: { weight: double } }
    """

  /// Writes the files, by entity; names end in the format.
  init(_ files: [(name: String, text: String)], more: String = "", options: String = "") throws {
    try folder.write(Self.model, to: "model.yaml")
    var pipeline = "model: model.yaml\nstore: library.sqlite\nrejects: { file: rejects.ndjson\(more) }\nobjects:\n"
    for (name, text) in files {
      try folder.write(text, to: name)
      pipeline += "  - { entity: \(name.prefix { $0 != "." }), files: \(name)\(options) }\n"
    }
    try folder.write(pipeline, to: "pipeline.yaml")
  }

  /// Runs the pipeline.
  func run(_ change: (inout ImportDefinition) -> Void = { _ in }) throws -> ImportSummary {
    var definition = try Pipeline.read(folder.file("pipeline.yaml")).definition
    change(&definition)
    return try ImportSession(definition).run()
  }

  /// The rows of a statement, cells separated by `|`.
  func rows(_ sql: String) throws -> [String] { try folder.rows(sql, of: "library.sqlite", separator: "|") }

  /// The rejects file's lines.
  func rejects() throws -> [[String: Any]] {
    guard let text = try? String(contentsOfFile: folder.file("rejects.ndjson"), encoding: .utf8) else { return [] }
    return try text.split(separator: "\n").map {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
    }
  }

  /// Whether the store is there.
  var hasStore: Bool { FileManager.default.fileExists(atPath: folder.file("library.sqlite")) }
}

extension ImportSummary {
  /// The records read, inserted and rejected.
  var fates: [Int] { [counts.read, counts.inserted, counts.rejected] }
}
