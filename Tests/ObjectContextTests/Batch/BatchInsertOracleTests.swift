import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

/// Batch inserts beside objects that are made one by one: both leave the same store.
@Suite("Batch inserts, random")
struct BatchInsertOracleTests {
  /// Two stores with the same content, made by objects.
  struct Pair {
    let batch: Workplace
    let plain: Workplace
    var random: SeededGenerator

    init(seed: UInt64) throws {
      batch = try Workplace(try Models.batchWorks())
      plain = try Workplace(try Models.batchWorks())
      random = SeededGenerator(seed: seed)
      for place in [batch, plain] {
        var random = SeededGenerator(seed: seed)
        _ = try Self.populate(place, &random)
      }
    }

    /// Companies, desks and people who know each other.
    static func populate(_ place: Workplace, _ random: inout SeededGenerator) throws -> [ManagedObjectID] {
      var made: [ManagedObject] = []
      for number in 0..<6 {
        for kind in ["Company", "Desk", number % 3 == 0 ? "Boss" : "Person"] {
          let object = try place.context.insert(kind)
          if kind == "Desk" {
            try object.setValue(.integer(Int64(number)), forKey: "number")
          } else {
            try object.setValue(.string("\(kind) \(number)"), forKey: "name")
            // Companies have codes of their own, so that rows about people never meet one.
            try object.setValue(.integer(Int64(number + (kind == "Company" ? 100 : 0))), forKey: "code")
          }
          made.append(object)
        }
      }
      let people = made.filter { $0.entity.relationship(named: "spouse") != nil }
      for person in people {
        if Bool.random(using: &random) {
          let employer = made.filter { $0.entity.name == "Company" }.randomElement(using: &random)
          try person.setObject(employer, forKey: "employer")
        }
        if Bool.random(using: &random) {
          try person.setObject(people.randomElement(using: &random), forKey: "spouse")
        }
        if Bool.random(using: &random) {
          let desk = made.filter { $0.entity.name == "Desk" }.randomElement(using: &random)
          try person.setObject(desk, forKey: "desk")
        }
      }
      try place.context.save()
      return made.map(\.objectID)
    }

    /// A random row; references are primary keys of objects that are there.
    mutating func row() -> [String: ConstantValue] {
      var row: [String: ConstantValue] = ["name": .attribute(.string("n\(Int.random(in: 0..<9, using: &random))"))]
      if Int.random(in: 0..<3, using: &random) > 0 {
        row["code"] = .attribute(.integer(Int64.random(in: 0..<12, using: &random)))
      }
      switch Int.random(in: 0..<4, using: &random) {
      case 0: row["age"] = .attribute(.integer(Int64.random(in: 0..<99, using: &random)))
      case 1: row["age"] = .null
      default: break
      }
      for (key, kind) in [
        ("employer", "Company"), ("supplier", "Company"), ("spouse", "Person"), ("desk", "Desk"), ("parent", "Person"),
      ] {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: row[key] = .null
        case 1, 2:
          let keys = (try? batch.rows(keysOf(kind))) ?? []
          if let found = keys.randomElement(using: &random).flatMap({ Int64($0) }), let id = batch.id(kind, found) {
            row[key] = .objectID(id)
          }
        default: break
        }
      }
      return row
    }

    private func keysOf(_ kind: String) -> String {
      switch kind {
      case "Desk": "SELECT Z_PK FROM ZDESK ORDER BY 1"
      case "Company": "SELECT Z_PK FROM ZPARTY WHERE Z_ENT = 4 ORDER BY 1"
      default: "SELECT Z_PK FROM ZPARTY WHERE Z_ENT > 4 ORDER BY 1"
      }
    }

    /// The same by objects: find by code, or make; then set everything that the row gives.
    func apply(_ entity: String, _ rows: [[String: ConstantValue]]) throws {
      for row in rows {
        var found: ManagedObject?
        if case .attribute(let code)? = row["code"], code != .null {
          found = try plain.context.fetch("Person", where: ["code": code]).first
        }
        let object = try found ?? plain.context.insert(entity)
        for (key, value) in row.sorted(by: { $0.key < $1.key }) {
          switch value {
          case .objectID(let id):
            let other = try #require(plain.id(id.entity.name, id.primaryKey))
            try object.setObject(plain.context.existingObject(with: other), forKey: key)
          case .attribute(let value):
            if object.entity.attribute(named: key) != nil {
              try object.setValue(value, forKey: key)
            } else {
              try object.setObject(nil, forKey: key)
            }
          default: break
          }
        }
      }
      try plain.context.save()
      // A context remembers the last positions that it gave out; a request looks at what the store has.
      plain.context.reset()
    }
  }

  @Test("leave what objects made one by one leave", arguments: Soak.seeds(40, from: 100))
  func agree(seed: UInt64) throws {
    var pair = try Pair(seed: seed)
    for round in 0..<6 {
      let entity = Bool.random(using: &pair.random) ? "Person" : "Boss"
      let chunk = Int.random(in: 1..<9, using: &pair.random)
      var rows: [[String: ConstantValue]] = []
      for _ in 0..<Int.random(in: 0..<20, using: &pair.random) { rows.append(pair.row()) }
      // A Boss cannot be made of a plain Person: such rows would be refused.
      if entity == "Boss" { for i in rows.indices { rows[i]["code"] = nil } }
      // Chunks are transactions of their own here, so that versions move alike.
      for start in stride(from: 0, to: rows.count, by: chunk) {
        try pair.apply(entity, Array(rows[start..<min(start + chunk, rows.count)]))
      }
      let request = BatchInsertRequest(entity, rows: rows)
      var left = rows.makeIterator()
      _ = try pair.batch.context.insert(request, chunkRows: chunk) { row throws(BatchError) in
        guard let values = left.next() else { return true }
        do throws(ObjectError) {
          for (i, name) in request.properties.enumerated() {
            if let value = values[name] { try row.set(i, value) }
          }
        } catch {
          throw .object(error)
        }
        return false
      }
      let difference = try pair.batch.differences(from: pair.plain)
      #expect(difference.isEmpty, "seed \(seed), round \(round): \(difference)")
      if !difference.isEmpty { return }
    }
    try pair.batch.verify()
  }
}

extension Workplace {
  /// What one store has and the other has not, as lines of their dumps.
  func differences(from other: Workplace) throws -> [String] {
    let (own, others) = (try dump(), try other.dump())
    return own.difference(from: others).map { change in
      switch change {
      case .insert(let line, let text, _): "+\(line) \(text)"
      case .remove(let line, let text, _): "-\(line) \(text)"
      }
    }
  }

  func id(_ entity: String, _ primaryKey: Int64) -> ManagedObjectID? {
    guard let store = coordinator.store else { return nil }
    return coordinator.objectID(forURI: "x-coredata://\(store.file.metadata.uuid)/\(entity)/p\(primaryKey)")
  }
}
