import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import Testing

@Suite("Lightweight migration")
struct LightweightTests {
  typealias M = Models
  private static let name = M.attribute("name", .string)
  private static let age = M.attribute("age", .integer32)

  // MARK: Attributes

  @Test("AP11: an attribute is added, with its default or without a value")
  func ap11AddAttribute() throws {
    let rank = M.attribute("rank", .integer16, optional: false).with { $0.defaultValue = .integer(7) }
    let motto = M.attribute("motto", .string).with { $0.defaultValue = .string("l'État'\u{301}") }
    let bench = try MigrationBench(
      [EntityDraft("Person", [Self.name])], [EntityDraft("Person", [Self.name, rank, motto, Self.age])])
    let after = try bench.migrate()
    #expect(after.values("Person", "name") == bench.before.values("Person", "name"))
    #expect(Set(after.values("Person", "rank").values) == ["7"])
    #expect(Set(after.values("Person", "motto").values) == ["'l''État''\u{301}'"])
    #expect(Set(after.values("Person", "age").values) == ["NULL"])
  }

  @Test("AP11: defaults of every type are stored as values of the type")
  func ap11DefaultsOfAllTypes() throws {
    let defaults: [(AttributeType, AttributeValue, String)] = [
      (.integer16, .integer(-5), "-5"), (.integer64, .integer(.min), "-9223372036854775808"),
      (.boolean, .boolean(true), "1"), (.double, .double(0.1), "0.1"), (.float, .double(2), "2.0"),
      (.decimal, .decimal(try #require(DecimalNumber("12.5"))), "12.5"), (.date, .date(1.5), "1.5"),
      (.string, .string("a\0b"), "'a'"), (.uri, .uri("x:y"), "'x:y'"), (.binary, .binary([0, 255]), "X'00FF'"),
      (.uuid, .uuid(1, 2), "X'00000000000000010000000000000002'"),
    ]
    let added = defaults.enumerated().map { index, item in
      M.attribute("a\(index)", item.0, optional: false).with { $0.defaultValue = item.1 }
    }
    let bench = try MigrationBench([EntityDraft("Thing", [Self.name])], [EntityDraft("Thing", [Self.name] + added)])
    let after = try bench.migrate()
    for (index, item) in defaults.enumerated() where item.0 != .string {
      #expect(Set(after.values("Thing", "a\(index)").values) == [item.2], "\(item.0)")
    }
    let connection = try Connection(path: bench.path, mode: .readWrite)
    #expect(try connection.text("SELECT DISTINCT hex(ZA7) FROM ZTHING") == "610062")
  }

  /// With a decimal default of more digits than a store holds.
  private func priced(optional: Bool) throws -> MigrationBench {
    let value = try #require(DecimalNumber("0.1234567890123456789"))
    let price = M.attribute("price", .decimal, optional: optional).with { $0.defaultValue = .decimal(value) }
    return try MigrationBench([EntityDraft("Thing", [Self.name])], [EntityDraft("Thing", [Self.name, price])])
  }

  @Test("a decimal default that a store would round is none, as in objects")
  func defaultNotHeld() throws {
    let after = try priced(optional: true).migrate()
    #expect(Set(after.values("Thing", "price").values) == ["NULL"])
  }

  @Test("a required attribute with a decimal default that a store would round is refused")
  func requiredDefaultNotHeld() throws {
    let bench = try priced(optional: false)
    let error = #expect(throws: MigrationError.self) { try StoreMigrator.migrate(path: bench.path, to: bench.new) }
    #expect(error?.code == .notInferable)
    #expect(error?.findings.map(\.code) == [.missingDefault])
    #expect(error?.findings.first?.message.contains("has more digits than a store holds") == true)
  }

  @Test("AP11: an attribute is removed")
  func ap11RemoveAttribute() throws {
    let bench = try MigrationBench([EntityDraft("Person", [Self.name, Self.age])], [EntityDraft("Person", [Self.age])])
    let after = try bench.migrate()
    #expect(after.values("Person", "age") == bench.before.values("Person", "age"))
    #expect(after.values("Person", "name").isEmpty)
  }

  @Test("AP11: optional becomes required; the default fills what is missing")
  func ap11OptionalToRequired() throws {
    let required = M.attribute("name", .string, optional: false).with { $0.defaultValue = .string("?") }
    let bench = try MigrationBench([EntityDraft("Person", [Self.name])], [EntityDraft("Person", [required])], seed: 3)
    let after = try bench.migrate()
    let before = bench.before.values("Person", "name")
    #expect(before.values.contains("NULL"))
    #expect(after.values("Person", "name") == before.mapValues { $0 == "NULL" ? "'?'" : $0 })
  }

  @Test("AP11: optional becomes required without a default when all objects have values, and is refused otherwise")
  func ap11OptionalToRequiredWithoutDefault() throws {
    let required = M.attribute("name", .string, optional: false)
    let bench = try MigrationBench([EntityDraft("Person", [Self.name])], [EntityDraft("Person", [required])], seed: 3)
    let bytes = try FileContents.read(bench.path)
    let error = #expect(throws: MigrationError.self) { try StoreMigrator.migrate(path: bench.path, to: bench.new) }
    #expect(error?.code == .data)
    #expect(error?.findings.map(\.code) == [.missingValues])
    #expect(try FileContents.read(bench.path) == bytes)
    try bench.execute("UPDATE ZPERSON SET ZNAME = 'now' WHERE ZNAME IS NULL")
    let after = try bench.migrate()
    #expect(
      after.values("Person", "name") == bench.before.values("Person", "name").mapValues { $0 == "NULL" ? "'now'" : $0 })
  }

  @Test("AP11: required becomes optional")
  func ap11RequiredToOptional() throws {
    let bench = try MigrationBench(
      [EntityDraft("Person", [M.attribute("name", .string, optional: false)])], [EntityDraft("Person", [Self.name])])
    let after = try bench.migrate()
    #expect(after == bench.before)
  }

  @Test("AP9: attributes, relationships and entities are renamed with their data")
  func ap9Renaming() throws {
    let bench = try MigrationBench(
      [
        EntityDraft("Car", [M.attribute("color", .string), Self.age], [M.toOne("owner", "Person", inverse: "cars")]),
        EntityDraft("Person", [Self.name], [M.toMany("cars", "Car", inverse: "owner", ordered: true)]),
      ],
      [
        EntityDraft(
          "Automobile", was: "Car",
          [M.attribute("paintColor", .string).with { $0.renamingIdentifier = "color" }, Self.age],
          [M.toOne("keeper", "Person", inverse: "fleet").with { $0.renamingIdentifier = "owner" }]),
        EntityDraft(
          "Person", [Self.name],
          [M.toMany("fleet", "Automobile", inverse: "keeper", ordered: true).with { $0.renamingIdentifier = "cars" }]),
      ])
    let after = try bench.migrate()
    #expect(after.values("Automobile", "paintColor") == bench.before.values("Car", "color"))
    #expect(after.values("Automobile", "keeper") == bench.before.values("Car", "owner"))
    #expect(
      after.values("Person", "fleet")
        == bench.before.values("Person", "cars").mapValues { $0.replacing("Car/", with: "Automobile/") })
  }

  @Test("AP9: identifiers that all versions share lead from every version to every later one, names swap places")
  func ap9CanonicalNames() throws {
    func version(_ names: [(String, String?)]) throws -> ManagedObjectModel {
      try MigrationBench.model([
        EntityDraft("Car", names.map { name, was in M.attribute(name, .string).with { $0.renamingIdentifier = was } })
      ])
    }
    let first = try version([("color", nil), ("make", nil)])
    let second = try version([("paintColor", "color"), ("make", nil)])
    let third = try version([("primaryColor", "color"), ("make", nil)])
    // Without a modifier the hashes would be the same: renaming identifiers are not in them.
    var draft = try version([("make", "color"), ("color", "make")]).draft
    draft.entities[0].versionHashModifier = "2"
    let swapped = try ManagedObjectModel(draft)
    for (old, new, names) in [
      (first, second, ["paintColor": "color", "make": "make"]), (second, third, ["primaryColor": "paintColor"]),
      (first, third, ["primaryColor": "color"]), (first, swapped, ["make": "color", "color": "make"]),
      (second, first, ["color": "paintColor"]),
    ] {
      let bench = try MigrationBench(old, new)
      let after = try bench.migrate()
      for (name, was) in names { #expect(after.values("Car", name) == bench.before.values("Car", was)) }
    }
  }

  /// A version with a composite attribute of two elements.
  private static func composite(_ name: (String, String?), element: (String, String?)) throws -> ManagedObjectModel {
    var draft = ModelDraft()
    let elements = [
      M.attribute(element.0, .string).with { $0.renamingIdentifier = element.1 }, M.attribute("zip", .string),
    ]
    draft.composites = [CompositeDefinition(name: "Address", attributes: elements)]
    let attribute = M.attribute(name.0, .composite).with {
      $0.compositeName = "Address"
      $0.renamingIdentifier = name.1
    }
    draft.entities = [EntityDraft("Person", [Self.name, attribute])]
    return try ManagedObjectModel(draft)
  }

  @Test("composite attributes and their elements are renamed with their data, each or both")
  func renamedComposites() throws {
    let old = try Self.composite(("home", nil), element: ("city", nil))
    // Identifiers that all versions share, of the attribute alone.
    let shared = try Self.composite(("flat", "home"), element: ("city", nil))
    let versions: [(ManagedObjectModel, (String, String?), (String, String?))] = [
      (old, ("address", "home"), ("city", nil)), (old, ("home", nil), ("town", "city")),
      (old, ("address", "home"), ("town", "city")), (shared, ("address", "home"), ("town", "city")),
    ]
    for (first, name, element) in versions {
      let was = first === old ? "home" : "flat"
      let bench = try MigrationBench(first, Self.composite(name, element: element))
      let after = try bench.migrate()
      #expect(Set(bench.before.values("Person", "\(was).city").values) != ["NULL"])
      #expect(after.values("Person", "\(name.0).\(element.0)") == bench.before.values("Person", "\(was).city"))
      #expect(after.values("Person", "\(name.0).zip") == bench.before.values("Person", "\(was).zip"))
    }
  }

  @Test("a single value that becomes composite is refused: its elements would have no values")
  func reshapedComposite() throws {
    let plain = try MigrationBench.model([EntityDraft("Person", [Self.name, M.attribute("home", .string)])])
    for (name, was) in [("home", nil), ("address", "home")] as [(String, String?)] {
      let mapping = InferredMapping(from: plain, to: try Self.composite((name, was), element: ("city", nil)))
      #expect(mapping.findings.map(\.code) == [.typeChange])
      #expect(mapping.findings.map(\.property) == [name])
    }
    let back = InferredMapping(from: try Self.composite(("home", nil), element: ("city", nil)), to: plain)
    #expect(back.findings.map(\.code) == [.typeChange])
  }

  @Test("what several properties or entities continue is refused, and both are named")
  func renamingConflicts() throws {
    let label = M.attribute("label", .string).with { $0.renamingIdentifier = "name" }
    let link = M.toOne("other", "Person").with { $0.renamingIdentifier = "friend" }
    let old = try MigrationBench.model([EntityDraft("Person", [Self.name], [M.toOne("friend", "Person")])])
    let versions: [(EntityDraft, String)] = [
      (EntityDraft("Person", [Self.name, label], [M.toOne("friend", "Person")]), "label"),
      (EntityDraft("Person", [Self.name], [M.toOne("friend", "Person"), link]), "friend"),
    ]
    for (entity, property) in versions {
      let bench = try MigrationBench(old, MigrationBench.model([entity]))
      let bytes = try FileContents.read(bench.path)
      let error = #expect(throws: MigrationError.self) { try StoreMigrator.migrate(path: bench.path, to: bench.new) }
      #expect(error?.code == .notInferable)
      #expect(error?.findings.map(\.code) == [.renamingConflict])
      #expect(error?.findings.map(\.property) == [property])
      #expect(try FileContents.read(bench.path) == bytes)
    }
    let human = EntityDraft("Human", was: "Person", [Self.name], [M.toOne("friend", "Human")])
    let both = try MigrationBench.model([human, EntityDraft("Person", [Self.name], [M.toOne("friend", "Person")])])
    let findings = InferredMapping(from: old, to: both).findings.filter { $0.code == .renamingConflict }
    #expect(findings.count == 1)
    #expect(findings.allSatisfy { $0.message.contains("“Human” and “Person”") }, "\(findings)")
  }

  @Test("an identifier of an earlier migration leaves its name to a new property")
  func renamedEarlier() throws {
    let label = M.attribute("label", .string).with { $0.renamingIdentifier = "name" }
    let bench = try MigrationBench([EntityDraft("Person", [label])], [EntityDraft("Person", [label, Self.name])])
    let after = try bench.migrate()
    #expect(after.values("Person", "label") == bench.before.values("Person", "label"))
    #expect(Set(after.values("Person", "name").values) == ["NULL"])
  }

  @Test("integers and floats become wider")
  func widerTypes() throws {
    let bench = try MigrationBench(
      [EntityDraft("T", [M.attribute("i", .integer16), M.attribute("f", .float)])],
      [EntityDraft("T", [M.attribute("i", .integer64), M.attribute("f", .double)])])
    #expect(try bench.migrate() == bench.before)
  }

  @Test("bytes get and lose the mark of values that may be in files")
  func externalStorage() throws {
    let plain = M.attribute("data", .binary)
    let marked = plain.with { $0.allowsExternalBinaryDataStorage = true }
    let there = try MigrationBench([EntityDraft("T", [plain])], [EntityDraft("T", [marked])])
    let after = try there.migrate()
    let before = there.before.values("T", "data")
    #expect(after.values("T", "data") == before.mapValues { $0.replacing("X'", with: "X'01") })
    try StoreMigrator.migrate(path: there.path, to: there.old)
    #expect(try StoreDump(there.path, there.old) == there.before)
  }

  @Test("bytes that become required are filled also when they get or lose the mark of values that may be in files")
  func requiredBytes() throws {
    let plain = M.attribute("data", .binary)
    let marked = plain.with { $0.allowsExternalBinaryDataStorage = true }
    for (old, new, hexadecimal) in [(plain, marked, "0141"), (marked, plain, "41")] {
      let required = new.with {
        $0.isOptional = false
        $0.defaultValue = .binary([0x41])
      }
      let bench = try MigrationBench([EntityDraft("T", [old])], [EntityDraft("T", [required])])
      let connection = try Connection(path: bench.path, mode: .readWrite)
      try connection.execute("UPDATE ZT SET ZDATA = NULL")
      let count = try connection.integer("SELECT count(*) FROM ZT")
      try connection.close()
      _ = try bench.migrate()
      let again = try Connection(path: bench.path, mode: .readWrite)
      #expect(try again.integer("SELECT count(*) FROM ZT WHERE hex(ZDATA) = '\(hexadecimal)'") == count)
      try again.close()
    }
  }

  // MARK: Relationships

  private static func pair(_ one: RelationshipDescription?, _ two: RelationshipDescription?) -> [EntityDraft] {
    [EntityDraft("Person", [name], [one].compactMap { $0 }), EntityDraft("Team", [age], [two].compactMap { $0 })]
  }

  @Test("AP11: relationships of every kind are added")
  func ap11AddRelationship() throws {
    let kinds: [(RelationshipDescription, RelationshipDescription?)] = [
      (M.toOne("team", "Team"), nil),
      (M.toOne("team", "Team", inverse: "person"), M.toOne("person", "Person", inverse: "team")),
      (M.toOne("team", "Team", inverse: "people"), M.toMany("people", "Person", inverse: "team")),
      (M.toOne("team", "Team", inverse: "people"), M.toMany("people", "Person", inverse: "team", ordered: true)),
      (M.toMany("teams", "Team", inverse: "people"), M.toMany("people", "Person", inverse: "teams", ordered: true)),
      (M.toMany("teams", "Team", ordered: true), nil),
    ]
    for (one, two) in kinds {
      let bench = try MigrationBench(Self.pair(nil, nil), Self.pair(one, two))
      let after = try bench.migrate()
      #expect(after.values("Person", "name") == bench.before.values("Person", "name"))
      #expect(Set(after.values("Person", one.name).values) == [""])
    }
  }

  @Test("AP11: relationships of every kind are removed")
  func ap11RemoveRelationship() throws {
    let kinds: [(RelationshipDescription, RelationshipDescription?)] = [
      (M.toOne("team", "Team"), nil),
      (M.toOne("team", "Team", inverse: "people"), M.toMany("people", "Person", inverse: "team", ordered: true)),
      (M.toMany("teams", "Team", inverse: "people"), M.toMany("people", "Person", inverse: "teams")),
      (M.toMany("teams", "Team", ordered: true), nil),
    ]
    for (one, two) in kinds {
      let bench = try MigrationBench(Self.pair(one, two), Self.pair(nil, nil))
      let after = try bench.migrate()
      #expect(after.values("Person", "name") == bench.before.values("Person", "name"))
      #expect(after.values("Team", "age") == bench.before.values("Team", "age"))
    }
  }

  @Test("AP11: to-one becomes to-many where the other side is to-many: the references become pairs")
  func ap11ToOneToManyWithToManyInverse() throws {
    for isOrdered in [false, true] {
      let bench = try MigrationBench(
        Self.pair(
          M.toOne("team", "Team", inverse: "people"), M.toMany("people", "Person", inverse: "team", ordered: isOrdered)),
        Self.pair(
          M.toMany("teams", "Team", inverse: "people").with { $0.renamingIdentifier = "team" },
          M.toMany("people", "Person", inverse: "teams", ordered: isOrdered)))
      let after = try bench.migrate()
      #expect(after.values("Person", "teams") == bench.before.values("Person", "team"))
      #expect(after.values("Team", "people") == bench.before.values("Team", "people"))
      #expect(after.values("Team", "people").values.contains { !$0.isEmpty })
    }
  }

  @Test("AP11: to-one becomes to-many where the other side is to-one")
  func ap11OneToOneToMany() throws {
    let bench = try MigrationBench(
      Self.pair(M.toOne("team", "Team", inverse: "person"), M.toOne("person", "Person", inverse: "team")),
      Self.pair(
        M.toMany("team", "Team", inverse: "person", ordered: true), M.toOne("person", "Person", inverse: "team")))
    #expect(try bench.migrate() == bench.before)
    let both = try MigrationBench(
      bench.old,
      MigrationBench.model(
        Self.pair(
          M.toMany("team", "Team", inverse: "person"), M.toMany("person", "Person", inverse: "team", ordered: true))))
    #expect(try both.migrate() == both.before)
  }

  @Test("AP11: to-one without an inverse becomes to-many, unless several objects refer to one")
  func ap11ToOneWithoutInverseToMany() throws {
    let bench = try MigrationBench(
      Self.pair(M.toOne("team", "Team"), nil),
      Self.pair(M.toMany("teams", "Team", ordered: true).with { $0.renamingIdentifier = "team" }, nil))
    let error = #expect(throws: MigrationError.self) { try StoreMigrator.migrate(path: bench.path, to: bench.new) }
    #expect(error?.findings.map(\.code) == [.severalOwners])
    try bench.execute(
      "UPDATE ZPERSON SET ZTEAM = NULL WHERE Z_PK NOT IN (SELECT min(Z_PK) FROM ZPERSON GROUP BY ZTEAM)")
    let before = try StoreDump(bench.path, bench.old)
    let after = try bench.migrate()
    #expect(after.values("Person", "teams") == before.values("Person", "team"))
  }

  @Test("AP11: unordered becomes ordered, and ordered unordered")
  func ap11Ordering() throws {
    let kinds: [(Bool) -> (RelationshipDescription, RelationshipDescription?)] = [
      { (M.toOne("team", "Team", inverse: "people"), M.toMany("people", "Person", inverse: "team", ordered: $0)) },
      { (M.toMany("teams", "Team", inverse: "people"), M.toMany("people", "Person", inverse: "teams", ordered: $0)) },
      { (M.toMany("teams", "Team", ordered: $0), nil) },
    ]
    for kind in kinds {
      let (plain, ordered) = (kind(false), kind(true))
      let bench = try MigrationBench(Self.pair(plain.0, plain.1), Self.pair(ordered.0, ordered.1))
      // The order that is given is that of the keys, as the dump sorts what has none.
      #expect(try bench.migrate() == bench.before)
      let back = try MigrationBench(bench.new, bench.old)
      let after = try back.migrate()
      for (entity, objects) in back.before.objects {
        for (key, object) in objects {
          for (name, value) in object {
            let found = after.objects[entity]?[key]?[name] ?? ""
            #expect(Set(found.split(separator: " ")) == Set(value.split(separator: " ")))
          }
        }
      }
    }
  }

  @Test("AP11: inverses are added and removed")
  func ap11Inverses() throws {
    let kinds:
      [((RelationshipDescription, RelationshipDescription?), (RelationshipDescription, RelationshipDescription?))] = [
        (
          (M.toOne("team", "Team"), nil),
          (M.toOne("team", "Team", inverse: "people"), M.toMany("people", "Person", inverse: "team", ordered: true))
        ),
        (
          (M.toMany("teams", "Team"), nil),
          (M.toMany("teams", "Team", inverse: "person"), M.toOne("person", "Person", inverse: "teams"))
        ),
        (
          (M.toMany("teams", "Team", ordered: true), nil),
          (M.toMany("teams", "Team", inverse: "people", ordered: true), M.toMany("people", "Person", inverse: "teams"))
        ),
      ]
    for (without, with) in kinds {
      let bench = try MigrationBench(Self.pair(without.0, without.1), Self.pair(with.0, with.1))
      let after = try bench.migrate()
      #expect(after.values("Person", without.0.name) == bench.before.values("Person", without.0.name))
      #expect(after.values("Person", without.0.name).values.contains { !$0.isEmpty })
    }
    let removed = try MigrationBench(
      Self.pair(
        M.toMany("teams", "Team", inverse: "person", ordered: true), M.toOne("person", "Person", inverse: "teams")),
      Self.pair(M.toMany("teams", "Team", ordered: true), nil))
    #expect(try removed.migrate().values("Person", "teams") == removed.before.values("Person", "teams"))
  }

  // MARK: Entities

  @Test("AP11: entities are added; the numbers of all others move")
  func ap11AddEntity() throws {
    let zoo = try M.zoo()
    var draft = zoo.draft
    draft.entities += [
      EntityDraft("Aardvark", [Self.name]), EntityDraft("Mole", [Self.age]),
      EntityDraft("Boss", parent: "Person", [Self.age]),
    ]
    let bench = try MigrationBench(zoo, ManagedObjectModel(draft))
    let after = try bench.migrate()
    #expect(after.objects == bench.before.objects)
  }

  @Test("AP11: entities are removed with their objects, and with the references to them")
  func ap11RemoveEntity() throws {
    let old = [
      EntityDraft(
        "Person", [Self.name],
        [M.toOne("pet", "Animal"), M.toMany("seen", "Animal", inverse: "watchers"), M.toMany("feeds", "Animal")]),
      EntityDraft("Animal", [Self.name], [M.toMany("watchers", "Person", inverse: "seen")]),
      EntityDraft("Bird", parent: "Animal", [Self.age]), EntityDraft("Fish", parent: "Animal"),
      EntityDraft("Stone", [Self.age]),
    ]
    let bench = try MigrationBench(old, old.filter { $0.name != "Bird" && $0.name != "Stone" })
    let after = try bench.migrate()
    #expect(after.objects["Bird"] == nil && after.objects["Stone"] == nil)
    #expect(bench.before.values("Person", "pet").values.contains { $0.hasPrefix("Bird/") })
    for name in ["pet", "seen", "feeds"] {
      let expected = bench.before.values("Person", name).mapValues { text in
        text.split(separator: " ").filter { !$0.hasPrefix("Bird/") }.joined(separator: " ")
      }
      #expect(after.values("Person", name) == expected)
    }
  }

  @Test("AP11: an entity gets another parent within its hierarchy")
  func ap11Reparent() throws {
    let old = [
      EntityDraft("Animal", [Self.name]), EntityDraft("Bird", parent: "Animal", [M.attribute("wings", .integer16)]),
      EntityDraft("Owl", parent: "Animal", [Self.age]),
      EntityDraft("Person", [], [M.toOne("pet", "Animal")]),
    ]
    var new = old
    new[2].parentName = "Bird"
    let bench = try MigrationBench(old, new)
    let after = try bench.migrate()
    #expect(after.values("Owl", "age") == bench.before.values("Owl", "age"))
    #expect(Set(after.values("Owl", "wings").values) == ["NULL"])
    #expect(after.values("Bird", "wings") == bench.before.values("Bird", "wings"))
    #expect(after.values("Person", "pet") == bench.before.values("Person", "pet"))
  }

  @Test("AP11: a new parent takes properties of what is below it, and gives them back")
  func ap11NewParent() throws {
    let base = EntityDraft("Base", isAbstract: true, [Self.name])
    let flat = [
      EntityDraft("Animal", [Self.name, Self.age]),
      EntityDraft("Bird", parent: "Animal", [M.attribute("wings", .integer16)]),
    ]
    var deep = [base, EntityDraft("Animal", parent: "Base", [Self.age])]
    deep.append(EntityDraft("Bird", parent: "Animal", [M.attribute("wings", .integer16)]))
    let bench = try MigrationBench(flat, deep)
    #expect(try bench.migrate() == bench.before)
    let back = try MigrationBench(deep, flat)
    #expect(try back.migrate() == back.before)
  }

  @Test("AP11: properties move up to the parent and down to the children")
  func ap11MoveProperties() throws {
    let low = [
      EntityDraft("Animal", [Self.age]), EntityDraft("Bird", parent: "Animal", [Self.name]),
      EntityDraft("Fish", parent: "Animal", [Self.name]),
    ]
    let high = [
      EntityDraft("Animal", [Self.age, Self.name]), EntityDraft("Bird", parent: "Animal"),
      EntityDraft("Fish", parent: "Animal"),
    ]
    let up = try MigrationBench(low, high)
    let after = try up.migrate()
    for name in ["Bird", "Fish"] { #expect(after.values(name, "name") == up.before.values(name, "name")) }
    #expect(Set(after.values("Animal", "name").values) == ["NULL"])
    let down = try MigrationBench(high, low)
    let result = try down.migrate()
    for name in ["Bird", "Fish"] { #expect(result.values(name, "name") == down.before.values(name, "name")) }
    #expect(result.values("Animal", "name").isEmpty)
  }

  @Test("AP11: an entity leaves its hierarchy and gets a table of its own")
  func ap11LeaveHierarchy() throws {
    let old = [
      EntityDraft("Animal", [Self.name]),
      EntityDraft("Bird", parent: "Animal", [Self.age], [M.toMany("friends", "Bird", inverse: "friends")]),
      EntityDraft("Nest", [], [M.toOne("bird", "Bird")]),
    ]
    let new = [
      EntityDraft("Animal", [Self.name]),
      EntityDraft("Bird", [Self.name, Self.age], [M.toMany("friends", "Bird", inverse: "friends")]),
      EntityDraft("Nest", [], [M.toOne("bird", "Bird")]),
    ]
    let bench = try MigrationBench(old, new)
    #expect(try bench.migrate() == bench.before)
  }

  @Test(
    "a relationship without a way back keeps the references of the entities that still have it, and no others",
    arguments: [nil, M.toOne("s", "A", inverse: "r"), M.toMany("s", "A", inverse: "r")], [true, false])
  func ownersThatLoseARelationship(back: RelationshipDescription?, movesDown: Bool) throws {
    let there = M.toMany("r", "C", inverse: back?.name)
    let alone = M.toMany("r", "C")
    let bench = try MigrationBench(
      [
        EntityDraft("A", [Self.name], [there]), EntityDraft("B", parent: "A", [Self.age]),
        EntityDraft("C", [Self.name], [back].compactMap { $0 }),
      ],
      movesDown
        ? [
          EntityDraft("A", [Self.name]), EntityDraft("B", parent: "A", [Self.age], [alone]),
          EntityDraft("C", [Self.name]),
        ]
        : [
          EntityDraft("A", [Self.name], [alone]), EntityDraft("B", [Self.name, Self.age]),
          EntityDraft("C", [Self.name]),
        ])
    // One object of A and one of B refer to one object each.
    func key(_ choice: String) -> String { "(SELECT min(Z_PK) FROM ZA WHERE Z_ENT = \(choice))" }
    let ends = [("min", 1), ("max", 2)]
    let connection = try Connection(path: bench.path, mode: .readWrite)
    if back?.isToMany == true {
      try connection.execute("DELETE FROM Z_1R")
      for (end, number) in ends {
        try connection.execute(
          "INSERT INTO Z_1R (Z_1S, Z_3R) VALUES (\(key(String(number))), (SELECT \(end)(Z_PK) FROM ZC))")
      }
    } else {
      let (column, entity) = back == nil ? ("Z1R", "Z1_1R") : ("ZS", "Z1_S")
      try connection.execute("UPDATE ZC SET \(column) = NULL, \(entity) = NULL")
      for (end, number) in ends {
        try connection.execute(
          "UPDATE ZC SET \(column) = \(key(String(number))), \(entity) = \(number)"
            + " WHERE Z_PK = (SELECT \(end)(Z_PK) FROM ZC)")
      }
    }
    try connection.close()
    let planned = try bench.plan()
    #expect(planned.removed.map { "\($0.name) \($0.count ?? -1)" } == ["A.r 1"])
    let after = try bench.migrate()
    let owners = ["A", "B"].map { name in after.values(name, "r").values.filter { !$0.isEmpty }.count }
    #expect(owners == (movesDown ? [0, 1] : [1, 0]))
  }

  @Test("AP11: entities swap their names")
  func ap11SwapEntities() throws {
    let bench = try MigrationBench(
      [
        EntityDraft("A", [Self.name], [M.toMany("bs", "B", inverse: "as")]),
        EntityDraft("B", [Self.age], [M.toMany("as", "A", inverse: "bs")]),
      ],
      [
        EntityDraft("A", was: "B", [Self.age], [M.toMany("as", "B", inverse: "bs")]),
        EntityDraft("B", was: "A", [Self.name], [M.toMany("bs", "A", inverse: "as")]),
      ])
    let after = try bench.migrate()
    #expect(after.values("B", "name") == bench.before.values("A", "name"))
    #expect(after.values("B", "bs") == bench.before.values("A", "bs").mapValues { $0.replacing("B/", with: "A/") })
  }

  @Test("a uniqueness constraint is added when the values are different, and refused otherwise")
  func uniqueness() throws {
    var unique = EntityDraft("Person", [Self.name])
    unique.uniquenessConstraints = [["name"]]
    let bench = try MigrationBench([EntityDraft("Person", [Self.name])], [unique])
    try bench.execute("UPDATE ZPERSON SET ZNAME = 'same'")
    let planned = try bench.plan()
    #expect(planned.findings.map(\.code) == [.duplicateValues])
    #expect(planned.findings.first?.message.contains("7 objects") == true)
    let error = #expect(throws: MigrationError.self) { try StoreMigrator.migrate(path: bench.path, to: bench.new) }
    #expect(error?.findings == planned.findings)
    try bench.execute("UPDATE ZPERSON SET ZNAME = 'n' || Z_PK")
    _ = try bench.migrate()
  }

  @Test("new uniqueness constraints are checked against the values that objects get, all at once, nulls aside")
  func uniquenessOfNewValues() throws {
    func entity(_ name: String, unique: Bool, optional: Bool = true) -> EntityDraft {
      let attribute = M.attribute("code", .integer32, optional: optional).with { $0.defaultValue = .integer(7) }
      var entity = EntityDraft(name, [attribute, Self.name])
      if unique { entity.uniquenessConstraints = [["code"], ["name"]] }
      return entity
    }
    let bench = try MigrationBench(
      [entity("A", unique: false), entity("B", unique: false), entity("C", unique: true)],
      [
        entity("A", unique: true, optional: false), entity("B", unique: true),
        entity("C", unique: true, optional: false),
      ])
    let connection = try Connection(path: bench.path, mode: .readWrite)
    // A missing value becomes 7, which one object has already.
    for table in ["ZA", "ZB", "ZC"] {
      try connection.execute("UPDATE \(table) SET ZNAME = NULL, ZCODE = NULL")
      try connection.execute("UPDATE \(table) SET ZCODE = Z_PK + 100")
      try connection.execute("UPDATE \(table) SET ZCODE = 7 WHERE Z_PK = (SELECT min(Z_PK) FROM \(table))")
      try connection.execute("UPDATE \(table) SET ZCODE = NULL WHERE Z_PK = (SELECT max(Z_PK) FROM \(table))")
    }
    try connection.close()
    let error = #expect(throws: MigrationError.self) { try StoreMigrator.migrate(path: bench.path, to: bench.new) }
    #expect(error?.findings.map { "\($0.entity) \($0.code.rawValue)" } == ["A duplicateValues", "C duplicateValues"])
  }

  @Test("a store of a configuration migrates within it")
  func configurations() throws {
    func version(_ extra: [AttributeDescription]) throws -> ManagedObjectModel {
      var draft = ModelDraft()
      draft.entities = [
        EntityDraft("A", [Self.name] + extra), EntityDraft("B", [Self.age] + extra), EntityDraft("C", [Self.age]),
      ]
      draft.configurations = [ModelConfiguration(name: "Local", entityNames: ["B", "C"])]
      return try ManagedObjectModel(draft)
    }
    let bench = try MigrationBench(version([]), version([M.attribute("more", .string)]), configuration: "Local")
    let after = try bench.migrate(configuration: "Local")
    #expect(after.values("B", "age") == bench.before.values("B", "age"))
    var draft = bench.new.draft
    draft.configurations = [ModelConfiguration(name: "Local", entityNames: ["C"])]
    let smaller = try ManagedObjectModel(draft)
    let error = #expect(throws: MigrationError.self) { try StoreMigrator.migrate(path: bench.path, to: smaller) }
    #expect(error?.findings.map(\.code) == [.configuration])
  }
}
