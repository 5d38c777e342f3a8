import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("Replaying history")
struct HistoryReplayTests {
  /// A record as a plain value: the properties that the test writes.
  private struct Plain: Equatable {
    var entity: String
    var values: [String: String]
  }

  private static let columns = ["title": "ZTITLE", "body": "ZBODY", "stamp": "ZSTAMP", "address": "ZADDRESS"]
  private static let properties = ["Note": ["body", "title"], "Letter": ["address", "body", "stamp", "title"]]

  private func records(_ notebook: Notebook) throws -> [Int64: Plain] {
    var result: [Int64: Plain] = [:]
    let letter = try notebook.entity("Letter").number
    let names = Self.columns.keys.sorted()
    let list = names.map { "ifnull(\(Self.columns[$0] ?? ""), '-')" }.joined(separator: ", ")
    let statement = try notebook.connection.prepare("SELECT Z_PK, Z_ENT, \(list) FROM ZNOTE")
    while try statement.step() {
      let entity = statement.integer(1) == Int64(letter) ? "Letter" : "Note"
      var values: [String: String] = [:]
      for (i, name) in names.enumerated() where Self.properties[entity]?.contains(name) == true {
        values[name] = statement.text(Int32(i + 2))
      }
      result[statement.integer(0)] = Plain(entity: entity, values: values)
    }
    return result
  }

  @Test("AP54: the changes of history, made in a copy of what was there before, give what is there now")
  func ap54Replay() throws {
    let seed = Soak.seed(4105)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<6 {
      let notebook = try Notebook()
      var nextKey: Int64 = 1
      var start: PersistentHistoryToken?
      var copy: [Int64: Plain] = [:]
      var expectedTombstones: [[String: String]] = []
      for round in 0..<40 {
        if round == 10 {
          start = try notebook.store.currentHistoryToken()
          copy = try records(notebook)
          expectedTombstones = []
        }
        let before = try records(notebook)
        var alive = before.keys.sorted()
        var sql = ""
        var tombstones: [[String: String]] = []
        let count = Int.random(in: 1...12, using: &random)
        let operations = (0..<count).map { _ in Int.random(in: 0...9, using: &random) }
        let isKept = Int.random(in: 0...5, using: &random) > 0
        try notebook.save(author: "round \(round)", end: isKept ? .commit : .rollBack) { list in
          for operation in operations {
            switch operation {
            case 0...3:
              let entity = Bool.random(using: &random) ? "Note" : "Letter"
              let number = try notebook.entity(entity).number
              sql += "INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT) VALUES (\(nextKey), \(number), 1);"
              for name in Self.properties[entity] ?? [] where Bool.random(using: &random) {
                sql += Self.assignment(name, nextKey, &random)
              }
              try list.insert(entity, nextKey)
              nextKey += 1
            case 4...7:
              guard let place = alive.indices.randomElement(using: &random) else { continue }
              let key = alive.remove(at: place)
              let entity = before[key]?.entity ?? ""
              let names = (Self.properties[entity] ?? []).filter { _ in Bool.random(using: &random) }
              for name in names { sql += Self.assignment(name, key, &random) }
              try list.update(entity, key, names)
            default:
              guard let place = alive.indices.randomElement(using: &random) else { continue }
              let key = alive.remove(at: place)
              try list.delete(before[key]?.entity ?? "", key)
              tombstones.append(
                (before[key]?.values ?? [:]).filter { ["title", "stamp"].contains($0.key) && $0.value != "-" })
              sql += "DELETE FROM ZNOTE WHERE Z_PK = \(key);"
            }
          }
          return sql
        }
        if isKept { expectedTombstones += tombstones }
      }
      let now = try records(notebook)
      var seen: [[String: String]] = []
      for transaction in try notebook.transactions(after: start) {
        for change in transaction.changes ?? [] {
          let key = change.changedObjectID.primaryKey
          let entity = change.changedObjectID.entity.name
          switch change.changeType {
          case .insert:
            #expect(copy[key] == nil, "seed \(seed)")
            copy[key] = Plain(entity: entity, values: now[key]?.values ?? [:])
          case .update:
            for name in try #require(change.updatedProperties) {
              // The value of a record that is deleted later is not known any more, nor needed.
              copy[key]?.values[name] = now[key]?.values[name] ?? "gone"
            }
          case .delete:
            #expect(copy[key]?.entity == entity, "seed \(seed)")
            copy[key] = nil
            seen.append((change.tombstone ?? [:]).mapValues { Self.text($0) })
          }
        }
      }
      #expect(copy == now, "seed \(seed)")
      #expect(seen == expectedTombstones, "seed \(seed)")
    }
  }

  private static func assignment(_ name: String, _ key: Int64, _ random: inout SeededGenerator) -> String {
    let value =
      Int.random(in: 0...4, using: &random) == 0
      ? "NULL" : "'\(name == "stamp" ? "" : "v")\(Int.random(in: 1...999, using: &random))'"
    return "UPDATE ZNOTE SET \(columns[name] ?? "") = \(value) WHERE Z_PK = \(key);"
  }

  private static func text(_ value: AttributeValue) -> String {
    switch value {
    case .string(let text): text
    case .decimal(let number): number.description
    default: "\(value)"
    }
  }
}
