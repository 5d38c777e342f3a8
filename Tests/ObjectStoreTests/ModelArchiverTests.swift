import MergewalkDiagnostics
import Foundation
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkPropertyLists
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Models that are archived as Core Data archives them.
@Suite("Archives of models")
struct ModelArchiverTests {
  typealias M = Models

  /// Everything that an archive holds.
  private static func rich() throws -> ManagedObjectModel {
    var draft = try Models.zoo().draft
    let defaults: [(AttributeType, AttributeValue)] = [
      (.integer16, .integer(-5)), (.boolean, .boolean(true)), (.double, .double(0.25)), (.string, .string("ä")),
      (.decimal, .decimal(try #require(DecimalNumber("-1234567890123456789012.5")))), (.date, .date(1.5)),
      (.uuid, .uuid(1, 2)), (.uri, .uri("x:y")),
    ]
    var bounded = M.attribute("bounded", .integer32)
    bounded.validation.minimumValue = .integer(1)
    bounded.validation.maximumValue = .integer(9)
    var text = M.attribute("text", .string)
    text.validation.maximumLength = 40
    var derived = M.attribute("visits", .integer64)
    derived.derivationExpression = "visitors.@count"
    for i in draft.entities.indices where draft.entities[i].name == "Zoo" {
      draft.entities[i].attributes += defaults.enumerated().map { number, item in
        M.attribute("d\(number)", item.0).with { $0.defaultValue = item.1 }
      }
      draft.entities[i].attributes += [bounded, text, derived]
      draft.entities[i].attributes[0].versionHashModifier = "2"
      draft.entities[i].attributes[0].renamingIdentifier = "town"
      draft.entities[i].userInfo = ["owner": "city", "age": "9"]
      draft.entities[i].versionHashModifier = "x"
      draft.entities[i].renamingIdentifier = "Park"
      draft.entities[i].isAbstract = true
    }
    return try ManagedObjectModel(draft)
  }

  @Test("what is archived is read again", arguments: [ModelArchiver.Purpose.file, .cache])
  func again(purpose: ModelArchiver.Purpose) throws {
    let model = try Self.rich()
    let archive = ModelArchiver.archive(model, for: purpose)
    let draft = try #require(ArchivedModel.read(archive.bytes))
    #expect(draft.readerFindings.isEmpty, "\(draft.readerFindings)")
    let read = try ManagedObjectModel(draft)
    #expect(ModelHashes(StoreSchema(model: read)) == ModelHashes(StoreSchema(model: model)))
    #expect(StoreSchema(model: read).createTableStatements() == StoreSchema(model: model).createTableStatements())
    #expect(
      Set(StoreSchema(model: read).createIndexStatements()) == Set(StoreSchema(model: model).createIndexStatements()))
    #expect(draft.versionIdentifier == "zoo 1")
    #expect(draft.configurations.map(\.name) == (purpose == .file ? ["Places"] : []))
    let (zoo, was) = try (#require(read.entity(named: "Zoo")), #require(model.entity(named: "Zoo")))
    #expect(zoo.attributes.map(\.defaultValue) == was.attributes.map(\.defaultValue))
    #expect(zoo.attributes.map(\.validation.minimumValue) == was.attributes.map(\.validation.minimumValue))
    #expect(zoo.attributes.map(\.validation.maximumLength) == was.attributes.map(\.validation.maximumLength))
    #expect(zoo.attributes.map(\.renamingIdentifier) == was.attributes.map(\.renamingIdentifier))
    #expect(zoo.declaration.userInfo == was.declaration.userInfo)
    #expect(zoo.declaration.renamingIdentifier == "Park")
    #expect(ModelArchiver.archive(model, for: purpose).bytes == archive.bytes)
  }

  @Test("fetch requests, fetched properties and classes of values are archived and read again, by files only")
  func requests() throws {
    var draft = try Models.zoo().draft
    var one = FetchRequestTemplate(name: "byCity", entityName: "Zoo")
    one.predicateText = "city == $CITY OR NOT (city == \"x\" AND city != $OTHER)"
    one.options = ["returnDistinctResults": true]
    (one.fetchLimit, one.fetchBatchSize) = (7, 20)
    var ids = FetchRequestTemplate(name: "ids", entityName: "Animal")
    (ids.resultType, ids.predicateText) = (.objectIDs, "keeper.name == nil")
    var rows = FetchRequestTemplate(name: "rows", entityName: "Animal")
    rows.resultType = .dictionaries
    draft.fetchRequestTemplates = [one, ids, rows]
    var nearby = FetchedPropertyDescription(
      name: "nearby", fetchRequest: FetchRequestTemplate(name: "fetchedPropertyFetchRequest", entityName: "Zoo"))
    nearby.fetchRequest.predicateText = "city != nil"
    (nearby.isOptional, nearby.userInfo) = (true, ["k": "v"])
    for i in draft.entities.indices where draft.entities[i].name == "Zoo" {
      var map = M.attribute("map", .transformable)
      map.customClassName = "MapImage"
      draft.entities[i].attributes.append(map)
      draft.entities[i].fetchedProperties = [nearby]
      draft.entities[i].className = nil
    }
    let model = try ManagedObjectModel(draft)
    let archive = ModelArchiver.archive(model, for: .file)
    #expect(archive.leftOut.isEmpty, "\(archive.leftOut)")
    let read = try #require(ArchivedModel.read(archive.bytes))
    #expect(read.readerFindings.isEmpty, "\(read.readerFindings)")
    #expect(read.fetchRequestTemplates.map(\.name) == ["byCity", "ids", "rows"])
    for (one, other) in zip(read.fetchRequestTemplates, draft.fetchRequestTemplates) {
      #expect(
        one.predicateText.map { try? ObjectPredicate(format: $0) }
          == other.predicateText.map { try? ObjectPredicate(format: $0) })
      var (one, other) = (one, other)
      (one.predicateText, other.predicateText) = (nil, nil)
      #expect(one == other)
    }
    let zoo = try #require(read.entities.first { $0.name == "Zoo" })
    #expect(zoo.fetchedProperties == [nearby])
    #expect(zoo.className == nil)
    #expect(zoo.attributes.first { $0.name == "map" }?.customClassName == "MapImage")
    let again = ModelArchiver.archive(try ManagedObjectModel(read), for: .file)
    // What stands for indexes of entities in models of old is written out by the first reading.
    let third = ModelArchiver.archive(try ManagedObjectModel(try #require(ArchivedModel.read(again.bytes))), for: .file)
    #expect(third.bytes == again.bytes)
    let copy = ModelArchiver.archive(model, for: .cache)
    #expect(try #require(ArchivedModel.read(copy.bytes, for: .cache)).fetchRequestTemplates.isEmpty)
  }

  /// A predicate of each kind, with what the archive must have for it.
  private static let predicates: [(String, [String])] = [
    ("city LIKE[cd] \"S?f*\"", ["NSLikePredicateOperator", "NSOperatorType=7", "NSFlags=3"]),
    ("city MATCHES \"[A-Z].*\"", ["NSMatchingPredicateOperator", "NSOperatorType=6", "NSFlags=0"]),
    ("city BEGINSWITH[c] $PREFIX", ["NSSubstringPredicateOperator", "NSOperatorType=8", "NSPosition=0", "NSFlags=1"]),
    ("city ENDSWITH[n] \"a\"", ["NSSubstringPredicateOperator", "NSOperatorType=9", "NSPosition=1", "NSFlags=4"]),
    ("city CONTAINS[cd] \"o\"", ["NSInPredicateOperator", "NSOperatorType=99", "NSFlags=3"]),
    ("city IN {\"Sofia\", \"Rome\"}", ["NSInPredicateOperator", "NSOperatorType=10", "NSAggregateExpression"]),
    ("city IN {}", ["NSAggregateExpression"]),
    ("city IN $CITIES", ["NSVariableExpression", "NSVariable=CITIES"]),
    ("size BETWEEN {1, $MOST}", ["NSBetweenPredicateOperator", "NSOperatorType=100", "NSExpressionType=14"]),
    ("ANY visitors.name == \"x\"", ["NSModifier=2", "NSKeyPath=visitors.name", "NSSelectorName=valueForKeyPath:"]),
    ("ALL visitors.name !=[c] nil", ["NSModifier=1", "NSNegate=1", "NSOptions=1"]),
    ("NONE visitors.name == \"x\"", ["NSModifier=2", "NSCompoundPredicateType=0"]),
    ("visitors.@count > 3", ["NSKeyPath=visitors.@count", "NSVariant=2"]),
    ("visitors.@sum.age < 1.5", ["NSKeyPath=visitors.@sum.age"]),
    ("uppercase:(city) == $CITY", ["NSFunctionExpression", "NSSelectorName=uppercase:", "NSExpressionType=4"]),
    ("a + b * 2 > now()", ["NSSelectorName=add:to:", "NSSelectorName=multiply:by:", "NSSelectorName=now"]),
    ("CAST(born, \"NSNumber\") == 1", ["NSSelectorName=castObject:toType:"]),
    ("born < CAST(1.500000, \"NSDate\")", ["NSDate", "NS.time=1.5"]),
    (
      "SUBQUERY(visitors, $v, $v.name == \"x\" AND ANY $v.visits == SELF).@count > 0",
      ["NSSubqueryExpression", "NSExpressionType=13", "NSVariable=v", "NSKeyPath=@count", "NSSelfExpression"]
    ),
    ("TERNARY(city == nil, 1, $OTHER) == 1", ["NSTernaryExpression", "NSExpressionType=20"]),
    ("visitors UNION friends == $ALL", ["NSSetExpression", "NSExpressionType=5"]),
    ("visitors MINUS (friends INTERSECT $ALL) == $ALL", ["NSExpressionType=7", "NSExpressionType=6"]),
    ("visitors[0] == nil", ["NSSelectorName=objectFrom:withIndex:"]),
    ("TRUEPREDICATE OR (FALSEPREDICATE AND NOT TRUEPREDICATE)", ["NSTruePredicate", "NSFalsePredicate"]),
    // A name that is a word of the language stands as it is in a path.
    ("#in == 1 AND #first.#any != 2", ["NSKeyPath=in", "NSKeyPath=first.any"]),
    ("tag == CAST(\"00000000-0000-0001-0000-000000000002\", \"NSUUID\")", ["NSUUID"]),
    ("price == CAST(\"-12.5\", \"NSDecimalNumber\")", ["NSDecimalNumberPlaceholder"]),
    ("x == CAST(\"x:y\", \"NSURL\") OR y == CAST(\"00ff\", \"NSData\")", ["NSURL", "NSOperatorType=4"]),
  ]

  /// What an archive has: the names of its classes, and the keys with their plain values.
  private static func facts(_ bytes: [UInt8]) throws -> Set<String> {
    let list = try BinaryPropertyListReader.read(bytes)
    let objects = try #require(list["$objects"]?.elements)
    var facts: Set<String> = []
    for object in objects {
      if let name = object["$classname"]?.string { facts.insert(name) }
      for entry in object.entries ?? [] {
        let value = entry.value.uid.flatMap { Int(exactly: $0) }.map { objects[$0] } ?? entry.value
        if let text = value.string { facts.insert("\(entry.key)=\(text)") }
        if let number = value.integer { facts.insert("\(entry.key)=\(number)") }
        if case .real(let number) = value { facts.insert("\(entry.key)=\(number)") }
      }
    }
    return facts
  }

  @Test("predicates of every kind are archived and read again", arguments: predicates)
  func predicate(text: String, expected: [String]) throws {
    var draft = try Models.zoo().draft
    draft.fetchRequestTemplates = [FetchRequestTemplate(name: "some", entityName: "Zoo")]
    draft.fetchRequestTemplates[0].predicateText = text
    let archive = ModelArchiver.archive(try ManagedObjectModel(draft), for: .file)
    #expect(archive.leftOut.isEmpty, "\(archive.leftOut)")
    #expect(Set(expected).subtracting(try Self.facts(archive.bytes)) == [])
    let read = try #require(ArchivedModel.read(archive.bytes))
    #expect(read.readerFindings.isEmpty, "\(read.readerFindings)")
    let again = try ObjectPredicate(format: try #require(read.fetchRequestTemplates.first?.predicateText))
    #expect(again == (try ObjectPredicate(format: text)))
    #expect(ModelArchiver.archive(try ManagedObjectModel(read), for: .file).leftOut.isEmpty)
  }

  @Test("predicates that archives are not known to have are left out, and so are damaged ones")
  func unknownPredicates() throws {
    var draft = try Models.zoo().draft
    for (number, text) in [
      "city UTI-EQUALS \"public.text\"", "visitors[FIRST] == nil", "$x := city == nil", "city BETWEEN[c] {1, 2}",
    ].enumerated() {
      var request = FetchRequestTemplate(name: "r\(number)", entityName: "Zoo")
      request.predicateText = text
      draft.fetchRequestTemplates.append(request)
    }
    let count = draft.fetchRequestTemplates.count
    #expect(ModelArchiver.archive(try ManagedObjectModel(draft), for: .file).leftOut.count == count)
  }

  @Test("an archive whose predicate holds itself, many times over, is read at once")
  func endless() throws {
    var draft = try Models.zoo().draft
    draft.fetchRequestTemplates = [FetchRequestTemplate(name: "some", entityName: "Zoo")]
    draft.fetchRequestTemplates[0].predicateText = "city == nil AND city != nil"
    let list = try BinaryPropertyListReader.read(
      ModelArchiver.archive(try ManagedObjectModel(draft), for: .file).bytes)
    var objects = try #require(list["$objects"]?.elements)
    let compound = try #require(objects.firstIndex(where: { $0["NSSubpredicates"] != nil }))
    let parts = try #require(objects[compound]["NSSubpredicates"]?.uid.flatMap { Int(exactly: $0) })
    let itself = [PropertyList](repeating: .uid(UInt64(compound)), count: 1000)
    objects[parts] = .dictionary(
      (objects[parts].entries ?? []).map { $0.key == "NS.objects" ? PropertyList.Entry($0.key, .array(itself)) : $0 })
    let bytes = BinaryPropertyListWriter.write(
      .dictionary(
        (list.entries ?? []).map { $0.key == "$objects" ? PropertyList.Entry($0.key, .array(objects)) : $0 }))
    let read = try #require(ArchivedModel.read(bytes))
    #expect(read.fetchRequestTemplates.isEmpty)
    #expect(read.readerFindings.contains { $0.message.contains("“some”") })
  }

  @Test("a pattern is archived and read again, and so is an index of a function")
  func patternAndFunction() throws {
    var draft = try Models.zoo().draft
    let place = try #require(draft.entities.firstIndex(where: { $0.name == "Zoo" }))
    draft.entities[place].attributes[0].validation.regularExpression = "[A-Z]\\w+"
    var element = FetchIndexDescription.Element(propertyName: nil)
    element.expression = "canonical:(city)"
    element.expressionType = "700"
    draft.entities[place].fetchIndexes = [FetchIndexDescription(name: "byFold", elements: [element])]
    let archive = ModelArchiver.archive(try ManagedObjectModel(draft), for: .file)
    #expect(archive.leftOut.isEmpty, "\(archive.leftOut)")
    #expect(try Self.facts(archive.bytes).contains("NSConstantValue=[A-Z]\\w+"))
    let read = try #require(ArchivedModel.read(archive.bytes))
    let zoo = try #require(read.entities.first { $0.name == "Zoo" })
    #expect(zoo.attributes.first?.validation.regularExpression == "[A-Z]\\w+")
    #expect(zoo.fetchIndexes.first?.elements.first?.expression == "canonical:(city)")
    #expect(zoo.fetchIndexes.first?.elements.first?.expressionType == "700")
  }

  @Test("options of requests are flags; those that the kind of result decides stay as they are")
  func options() throws {
    let types: [(FetchRequestTemplate.ResultType, Int64, String)] = [
      (.objects, 30, ""), (.objectIDs, 26, "includePropertyValues"), (.dictionaries, 14, "includesPendingChanges"),
    ]
    let bits = [
      "returnDistinctResults", "includeSubentities", "includePropertyValues", "returnObjectsAsFaults",
      "includesPendingChanges",
    ]
    for (type, usual, decided) in types {
      for (place, option) in bits.enumerated() {
        for isSet in [true, false] {
          var draft = try Models.zoo().draft
          var request = FetchRequestTemplate(name: "r", entityName: "Zoo")
          request.resultType = type
          request.options = [option: isSet]
          draft.fetchRequestTemplates = [request]
          let archive = ModelArchiver.archive(try ManagedObjectModel(draft), for: .file)
          let bit = Int64(1) << Int64(place)
          let flags = option == decided ? usual : isSet ? usual | bit : usual & ~bit
          #expect(try Self.facts(archive.bytes).contains("NSFetchRequestFlags=\(flags)"), "\(type) \(option) \(isSet)")
          let read = try #require(ArchivedModel.read(archive.bytes)?.fetchRequestTemplates.first)
          #expect(read.options == (flags == usual ? [:] : [option: isSet]))
        }
      }
    }
  }

  @Test("what cannot be archived is named")
  func leftOut() throws {
    var draft = try Models.zoo().draft
    draft.fetchRequestTemplates = [FetchRequestTemplate(name: "all", entityName: "Zoo")]
    draft.fetchRequestTemplates[0].predicateText = "visitors[LAST] == nil"
    let left = ModelArchiver.archive(try ManagedObjectModel(draft), for: .file).leftOut
    #expect(left.contains { $0.contains("“all”") })
  }

  @Test("a new store carries the archive, and a migrated one that of the new version")
  func stores() throws {
    let bench = try MigrationBench([EntityDraft("A")], [EntityDraft("A", [M.attribute("more", .date)])])
    func cached() throws -> ManagedObjectModel? {
      let connection = try Connection(path: bench.path, mode: .readWrite)
      defer { try? connection.close() }
      return try ModelCache.read(connection)
    }
    #expect(try cached()?.versionChecksum == bench.old.versionChecksum)
    _ = try bench.migrate()
    #expect(try cached()?.versionChecksum == bench.new.versionChecksum)
  }

  @Test("the names in archives come in Foundation's order")
  func order() {
    // As an archive of framework 977 has them.
    let keys = [
      "NSFlagsKey", "NSEntity", "NSAttributeType", "NSDefaultValue", "NSValueTransformerName", "NSIsIndexed", "$class",
      "NSAttributeValueClassName", "NSIsOptional", "NSPropertyName", "NSRenamingIdentifier", "_P",
    ]
    #expect(FoundationOrder.sorted(keys) == keys)
    #expect(FoundationOrder.sorted([]) == [])
    #expect(FoundationOrder.hash("") == 0)
  }
}

@Suite("Archives beside Core Data's own", .enabled(if: Locations.shared != nil))
struct RealModelArchiveTests {
  private let folder = TemporaryFolder()

  /// Objects of an archive without their places, so that two archives can be compared: class, then keys with values,
  /// references by the names of what they lead to.
  private func objects(_ bytes: [UInt8]) throws -> [String] {
    let list = try BinaryPropertyListReader.read(bytes)
    let objects = try #require(list["$objects"]?.elements)
    func target(_ value: PropertyList?) -> PropertyList? {
      value?.uid.flatMap { Int(exactly: $0) }.map { objects[$0] } ?? value
    }
    func name(_ value: PropertyList?) -> String {
      guard let found = target(value) else { return "-" }
      if let text = found.string { return text }
      if let text = target(found["NS.string"])?.string { return text }
      guard found.entries != nil else { return "\(found)" }
      let label = target(found["NSEntityName"]) ?? target(found["NSPropertyName"]) ?? target(found["NSIndexName"])
      return (target(found["$class"])?["$classname"]?.string ?? "?") + " " + name(label ?? .string(""))
    }
    let classes: Set<String> = ["NSAttributeDescription", "NSRelationshipDescription"]
    return objects.compactMap { object in
      guard let kind = target(object["$class"])?["$classname"]?.string, classes.contains(kind) else { return nil }
      let entries = (object.entries ?? []).filter { $0.key != "$class" }.map { "\($0.key)=\(name($0.value))" }
      return kind + " " + entries.sorted().joined(separator: " ")
    }.sorted()
  }

  @Test("properties are archived key by key as Core Data does", arguments: RealStore.all)
  func same(_ real: RealStore) throws {
    let connection = try Connection(path: try real.copy(to: folder), mode: .readWrite)
    let content = try #require(try ModelCache.content(connection))
    let theirs = try #require(Deflate.inflate(content))
    let model = try #require(try ModelCache.read(connection))
    let ours = ModelArchiver.archive(model, for: .cache).bytes
    let mine = try objects(ours)
    // Core Data has archived defaults of Booleans in two forms, 3 of 12 stores as Booleans: hashes do not contain them.
    let core = try objects(theirs).map { text in
      text.contains("NSAttributeType=integer(800)")
        ? text.replacing("NSDefaultValue=boolean(false)", with: "NSDefaultValue=integer(0)").replacing(
          "NSDefaultValue=boolean(true)", with: "NSDefaultValue=integer(1)")
        : text
    }
    #expect(Set(mine).subtracting(core) == [])
    #expect(Set(core).subtracting(mine) == [])
    #expect(mine.count == core.count)
    let again = try ManagedObjectModel(try #require(ArchivedModel.read(ours)))
    #expect(ModelHashes(StoreSchema(model: again)) == ModelHashes(StoreSchema(model: model)))
    #expect(
      Set(StoreSchema(model: again).createIndexStatements()) == Set(StoreSchema(model: model).createIndexStatements()))
  }

  /// Whether there is a Python for the decoder.
  static let hasPython = Python.path != nil

  @Test(
    "a decoder that shares no code reads our archives as Core Data's own", .enabled(if: hasPython),
    arguments: RealStore.all)
  func independent(_ real: RealStore) throws {
    let store = try real.copy(to: folder)
    let connection = try Connection(path: store, mode: .readWrite)
    let model = try #require(try ModelCache.read(connection))
    let framework = try StoreMetadata.read(path: store)["NSPersistenceFrameworkVersion"]?.integer ?? 0
    try connection.close()
    try folder.write(ModelArchiver.archive(model, for: .cache).bytes, to: "ours.mom")
    let (theirs, ours) = (try Python.read(store), try Python.read(folder.file("ours.mom")))
    #expect(theirs.count > 20)
    // Up to framework 754 attributes had no index; one model names an index for each of its relationships, which say
    // nothing and are not kept.
    func essence(_ lines: [String]) -> Set<String> {
      Set(
        lines.filter { line in
          (framework > 754 || !line.contains(" index "))
            && (real.testDescription.contains("Accounts3") ? !line.contains(" index ") : true)
            && !line.contains("NSClassNameForEntity=None") && !line.contains("NSClassNameForEntity='NSManagedObject'")
        })
    }
    #expect(essence(theirs).subtracting(essence(ours)) == [])
    #expect(essence(ours).subtracting(essence(theirs)) == [])
  }
}

/// The decoder in `scripts/read-archive.py`.
enum Python {
  static let path: String? = ["/usr/bin/python3", "/usr/local/bin/python3"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  static func read(_ file: String) throws -> [String] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(path))
    process.arguments = [Locations.repository + "/scripts/read-archive.py", file]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
