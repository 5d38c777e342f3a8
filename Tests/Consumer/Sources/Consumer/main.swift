import CSQLite
import Foundation
import GRDB
import Logging
import MergewalkFoundation
import MergewalkObjects
import MergewalkReaders
import SQLite
import XML
import YAML
import Yams

final class Note: ManagedObject {
  @Managed("text") var text: String
  @Managed("made") var made: Date
}

extension ObjectKeys where Object: Note {
  var text: AttributeKey<String> { AttributeKey("text") }
  var made: AttributeKey<Date> { AttributeKey("made") }
}

let model = try ManagedObjectModel(
  ModelDraft(name: "Notes", hierarchies: [.entity("Note", .attribute("text", .string), .attribute("made", .date))]))
try model.register([Note.self])
let folder = FileManager.default.temporaryDirectory.appendingPathComponent("consumer-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
let path = folder.appendingPathComponent("notes.sqlite").path
let container = try await PersistentContainer.open(model, at: path)
try await container.write { context in
  for number in 1...3 {
    let note = try context.insert(Note.self)
    (note.text, note.made) = ("note \(number)", Date(timeIntervalSinceReferenceDate: Double(number)))
  }
}
let texts = try await container.read { context in
  try context.fetch(
    Note.self, where: \.made > Date(timeIntervalSinceReferenceDate: 1), sort: [.descending(\.text)]
  ).map(\.text)
}
try await container.close()
// What another library reads of the same file.
let rows = try DatabaseQueue(path: path).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM ZNOTE") ?? 0 }
Logger(label: "consumer").info("\(texts) of \(rows)")
try FileManager.default.removeItem(at: folder)
// What the packages with common names are for.
let numbers = try Yams.load(yaml: "a: 1") as? [String: Int]
guard numbers == ["a": 1], SQLite.name + XML.name + YAML.name == "SQLiteXMLYAML", csqlite_number() == 1 else {
  fatalError("found \(numbers ?? [:])")
}
guard texts == ["note 3", "note 2"], rows == 3 else { fatalError("found \(texts) of \(rows)") }
