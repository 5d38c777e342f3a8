import CoreData
import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite

// Stores in which somebody wrote whatever the file takes, and programs that read all of it.

extension RandomUse {
  /// Values that no column expects, as SQL.
  private static let wrongValues = [
    "NULL", "0", "1", "-1", "2", "7", "255", "32768", "-32769", "2147483648", "-2147483649", "4294967296",
    "9223372036854775807", "-9223372036854775808", "9223372036854775808.0", "1e300", "-1e300", "9e999", "-9e999",
    "1e18", "-1e19", "0.5", "1e-320", "-0.0", "''", "'text'", "'-1'", "'1e400'", "'NaN'", "'Infinity'", "'12abc'",
    "'99999999999999999999999999999999999999999999'", "'0.000000000000000000000000000000000000000000000000000001'",
    "'1E+200'", "'1E-200'", "'-'", "'.'", "X''", "X'00'", "X'01'", "X'0200'", "X'02FF'", "zeroblob(1)", "zeroblob(15)",
    "zeroblob(16)", "zeroblob(17)", "zeroblob(70000)", "CAST(X'FF' AS TEXT)", "CAST(X'61FF62' AS TEXT)",
    "CAST(X'EDA080' AS TEXT)", "CAST(X'F4908080' AS TEXT)", "CAST(X'6100' AS TEXT)", "'2020-01-01'", "randomblob(40)",
    "X'62706C6973743030'", "X'62706C6973743030FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF'", "char(0)", "'x\u{301}'",
  ]

  /// Saves objects with values and related objects, and closes the store.
  func fill() throws {
    for round in 0..<3 {
      let context = ManagedObjectContext(coordinator: coordinator)
      let units = try ["UsedUnit", "UsedUnit", "UsedSquad"].map { try context.insert($0) }
      let tag = try context.insert("UsedTag")
      for (place, unit) in units.enumerated() {
        try unit.setValue(.string("f\(round)\(place)"), forKey: "name")
        try? unit.setObject(units[number(3)], forKey: pick(["boss", "idol"]))
        _ = try? unit.add(tag, to: pick(["tags", "heard"]))
      }
      try units[2].setObject(units[number(2)], forKey: "lead")
      try context.save()
      // What the model forbids is not saved, but all else is.
      for unit in units {
        for key in Self.attributes where key != "name" {
          try? unit.setValue(value, forKey: key)
          if (try? context.save()) == nil { context.rollback() }
        }
      }
    }
    try coordinator.close()
    try neighbour.close()
  }

  /// Writes so many wrong values, and says what was written.
  func corrupt(_ count: Int) throws -> [String] {
    guard type == .sqlite else { return try corruptBytes(count) }
    let connection = try Connection(path: path, mode: .readWrite)
    var tables: [String] = []
    let statement = try connection.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    while try statement.step() { tables.append(statement.text(0)) }
    statement.reset()
    // What says how the store is to be read is a small part of the file, and all the more often wrong here.
    tables += tables.filter { $0.hasPrefix("Z_") } + ["ZUSEDUNIT", "ZUSEDUNIT", "ZUSEDUNIT"]
    var done: [String] = []
    for _ in 0..<count {
      let table = pick(tables)
      var columns: [String] = []
      let statement = try connection.prepare("SELECT name FROM pragma_table_info('\(table)')")
      while try statement.step() { columns.append(statement.text(0)) }
      statement.reset()
      if columns.isEmpty { continue }
      let row = number(3) == 0 ? "" : " WHERE rowid IN (SELECT rowid FROM \(table) ORDER BY random() LIMIT 2)"
      let column = pick(columns)
      let sql =
        switch number(24) {
        case 0: "DELETE FROM \(table)\(row)"
        case 1: "DROP TABLE \(table)"
        case 2: "ALTER TABLE \(table) DROP COLUMN \(column)"
        case 3: "UPDATE OR IGNORE \(table) SET \(column) = \(pick(columns))\(row)"
        case 4: "INSERT INTO \(table) DEFAULT VALUES"
        default: "UPDATE OR IGNORE \(table) SET \(column) = \(pick(Self.wrongValues))\(row)"
        }
      if (try? connection.execute(sql)) != nil { done.append(sql) }
    }
    try connection.close()
    return done
  }

  /// Changes bytes of a file that is no database.
  private func corruptBytes(_ count: Int) throws -> [String] {
    guard type != .inMemory, var bytes = FileManager.default.contents(atPath: path), !bytes.isEmpty else { return [] }
    var done: [String] = []
    for _ in 0..<count {
      let place = number(bytes.count)
      switch number(4) {
      case 0: bytes[place] = UInt8(number(256))
      case 1: bytes[place] = pick(Array("0123456789<>\"-e.xz".utf8))
      case 2: bytes.remove(at: place)
      default: bytes.insert(pick(Array("0123456789<>\"-e.xz".utf8)), at: place)
      }
      if bytes.isEmpty { break }
      done.append("byte \(place)")
    }
    try bytes.write(to: URL(fileURLWithPath: path))
    return done
  }

  /// Opens the store, if it can be opened, and reads everything in every way.
  func readEverything() throws {
    if type == .sqlite {
      _ = try? StoreInfo.read(path: path)
      _ = try? StoreVerifier.verify(path: path)
      _ = try? StoreVerifier.verify(path: path, model: model)
    }
    coordinator = PersistentStoreCoordinator(model: model)
    neighbour = PersistentStoreCoordinator(model: model)
    contexts = [ManagedObjectContext(coordinator: coordinator)]
    try open(coordinator, path)
    for entity in ["UsedUnit", "UsedSquad", "UsedTag", "Place", "City"] { readObjects(entity) }
    for format in Self.formats {
      guard let predicate = try? ObjectPredicate(format: format) else { continue }
      _ = try? context.fetch(FetchRequest("UsedUnit", where: predicate)).map { try $0.value(forKey: "name") }
    }
    _ = try? context.coordinator?.store?.currentHistoryToken()
    for place in [PersistentHistoryChangeRequest.fetchHistory(after: nil), .fetchHistory(afterDate: -1e300)] {
      guard let history = try? coordinator.store?.history(place) else { continue }
      while let transaction = try? history.next() { try? context.mergeChanges(from: transaction) }
    }
    for id in ids {
      _ = coordinator.objectID(forURI: id.uri)
      _ = try? context.existingObject(with: id)
    }
  }

  private func readObjects(_ entity: String) {
    let context = context
    let rows = NSFetchRequest<NSDictionary>(entityName: entity)
    _ = (try? context.fetch(rows))?.map(\.allValues)
    for object in (try? context.fetchAll(entity)) ?? [] {
      keep([object])
      for attribute in object.entity.attributes {
        _ = try? object.value(forKey: attribute.name)
        _ = try? object.primitiveValue(forKey: attribute.name)
        if attribute.type == .transformable { _ = try? object.transformedValue(forKey: attribute.name) }
        Self.readTyped(object, attribute)
      }
      for relationship in object.entity.relationships {
        _ = try? object.objectIDs(forRelationshipNamed: relationship.name)
        if relationship.isToMany {
          _ = try? object.objects(forKey: relationship.name)
          _ = (object.relatedObjects(relationship.name) as RelatedObjects<ManagedObject>).map(\.objectID)
        } else {
          _ = try? object.object(forKey: relationship.name)
          _ = (object.related(relationship.name) as ManagedObject?)?.objectID.uri
        }
      }
      _ = (try? object.fetchedObjects(forKey: "same"), "\(object)", try? object.committedValues())
      try? object.validateForUpdate()
      try? object.validateForDelete()
      if let snapshot = try? object.snapshot(depth: 2), let json = try? JSONEncoder().encode(snapshot) {
        _ = try? JSONDecoder().decode(ObjectSnapshot.self, from: json)
      }
      _ = object.objectID.uriRepresentation()
    }
    for property in Self.attributes + Self.toOnes + Self.toManys {
      var request = FetchRequest(entity, sortedBy: [ObjectSortDescriptor(property, ascending: number(2) == 0)])
      _ = try? context.fetch(request).map { try $0.value(forKey: property) }
      _ = try? FetchedResults(request, in: context, sectionKeyPath: property).sections
      request.propertiesToFetch = [.property(property)]
      _ = (try? context.fetchDictionaries(request))?.map { ($0.dictionary, $0.integer(0), $0.double(0)) }
      request.sortDescriptors = []
      for function in ["sum", "average", "min", "max", "count", "median", "mode", "stddev"] {
        guard let expression = try? ObjectExpression(format: "\(function):(\(property))") else { continue }
        request.propertiesToFetch = [.expression(ExpressionDescription(name: "e", expression: expression))]
        _ = (try? context.fetchDictionaries(request))?.map(\.dictionary)
        for object in (try? context.fetchAll(entity).prefix(2)) ?? [] {
          _ = try? expression.evaluate(with: .object(object))
        }
      }
    }
    try? context.forEachObject(of: entity, batchSize: 3) { _ = try $0.value(forKey: "name") }
  }

  /// Reads an attribute as the Swift types that it may have.
  private static func readTyped(_ object: ManagedObject, _ attribute: AttributeDescription) {
    let key = attribute.name
    switch attribute.type {
    case .integer16, .integer32, .integer64:
      _ = (object.get(key) as Int16, object.get(key) as Int32?, object.get(key) as Int64, object.get(key) as Int)
      _ = (object.get(key) as UsedUnit.Color?, object.get(key) as UsedUnit.Color)
    case .decimal:
      _ = (
        object.get(key) as DecimalNumber, (object.get(key) as DecimalNumber?)?.description, object.get(key) as Decimal
      )
    case .double, .float: _ = (object.get(key) as Double, object.get(key) as Float?)
    case .string: _ = (object.get(key) as String, object.get(key) as String?)
    case .boolean: _ = (object.get(key) as Bool, object.get(key) as Bool?)
    case .date: _ = ((object.get(key) as Timestamp).description, object.get(key) as Timestamp?, object.get(key) as Date)
    case .binary: _ = (object.get(key) as [UInt8], object.get(key) as [UInt8]?, object.get(key) as Data)
    case .uuid: _ = ((object.get(key) as UniqueID).description, object.get(key) as UniqueID?, object.get(key) as UUID)
    case .uri: _ = (object.get(key) as String?, object.get(key) as URL)
    default: break
    }
  }
}
