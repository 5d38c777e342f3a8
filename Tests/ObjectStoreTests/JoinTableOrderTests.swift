import Foundation
import MergewalkObjectModel
import MergewalkTestSupport
import Testing

@testable import MergewalkObjectStore

/// How the join table of a relationship within one entity is named.
///
/// What is expected here was computed by another implementation (in Python), which gives the names of all known stores.
@Suite("The order that names join tables")
struct JoinTableOrderTests {
  private static let names = [
    "name", "createdAt", "_ent", "_pk", "_opt", "owner", "_ZOWNER", "tags", "id", "uuid", "title", "note", "state",
    "größe",
  ]

  @Test("hashes of names, long ones too")
  func hashes() {
    let known: [(name: String, fixed: UInt32, grown: UInt32, mixed: UInt32)] = [
      ("", 0, 0, 3_686_067_727), ("favorites", 2_162_238_172, 2_162_238_172, 3_241_315_493),
      ("trustedByClients", 786_105_768, 786_105_768, 3_586_053_028),
      ("addedOrRemovedInSystemMessages", 4_019_544_727, 1_294_500_375, 1_704_024_755),
      ("émile", 2_519_127_861, 2_519_127_861, 2_366_760_271),
      (String(repeating: "x", count: 100), 3_267_855_844, 2_830_238_628, 3_100_825_719),
    ]
    for (name, fixed, grown, mixed) in known {
      #expect(NameHash.fixed(name) == fixed, "\(name)")
      #expect(NameHash.grown(name) == grown, "\(name)")
      #expect(NameHash.mixed(NameHash.grown(name)) == mixed, "\(name)")
    }
  }

  @Test(
    "tables grow by their own rule, and what collides goes to the next place",
    arguments: [
      (3, "name createdAt _ent", "name createdAt _ent"),
      (4, "createdAt _ent name _pk", "_pk name createdAt _ent"),
      (7, "_ent owner name _pk _opt _ZOWNER createdAt", "_opt createdAt name _ent owner _ZOWNER _pk"),
      (
        14, "state _pk _opt _ZOWNER note größe _ent owner name uuid createdAt title tags id",
        "id _ent _pk note tags _opt title größe state owner name _ZOWNER uuid createdAt"
      ),
    ])
  func tables(_ count: Int, _ grown: String, _ fixed: String) {
    let names = Array(Self.names.prefix(count))
    #expect(GrowingNameTable.order(names).joined(separator: " ") == grown)
    #expect(FixedNameTable.order(names).joined(separator: " ") == fixed)
    #expect(FixedNameTable.order((0..<9400).map { "n\($0)" }).count == 9400)
    #expect(FixedNameTable.order((0..<20_000).map { "n\($0)" }).count == 20_000)
  }

  @Test(
    "which end names the table depends on the number of properties",
    arguments: [(3, "LINKEDFROM"), (4, "LINKS"), (12, "LINKS"), (13, "LINKEDFROM")])
  func withinAnEntity(_ attributes: Int, _ name: String) throws {
    var page = EntityDraft(name: "Page")
    page.attributes = (0..<attributes).map { Models.attribute("a\($0)", .string) }
    page.relationships = [
      Models.toMany("links", "Page", inverse: "linkedFrom"), Models.toMany("linkedFrom", "Page", inverse: "links"),
    ]
    var draft = ModelDraft()
    draft.entities = [page]
    let schema = StoreSchema(model: try ManagedObjectModel(draft))
    #expect(schema.warnings.isEmpty)
    #expect(schema.joinTables.map(\.name) == ["Z_1" + name])
  }

  /// A store whose join table within one entity is known.
  struct Known: Decodable {
    var entity: String
    var pair: [String]
    var tableNamedAfter: String
    var properties: [String]
    var stores: Int
  }

  // What the properties of these entities are, from the models that their apps publish.
  private static let toOne: Set = ["missedByClient", "user", "discoveredByMessage", "parent"]
  private static let ordered: Set = ["children", "favorites"]
  private static let pairs: [Set<String>] = [
    ["ignoredByClients", "ignoredClients"], ["trustedByClients", "trustedClients"], ["favorites", "favoriteFolders"],
    ["children", "parent"], ["missedByClient", "missingClients"],
  ]
  private static let others: Set = ["addedOrRemovedInSystemMessages", "messagesMissingRecipient"]

  @Test("all known stores have the name", .enabled(if: Locations.shared != nil))
  func knownStores() throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: Locations.shared("coredata-more/self-m2m.json")))
    let cases = try JSONDecoder().decode([Known].self, from: data)
    try #require(cases.count > 30)
    for known in cases {
      let schema = StoreSchema(model: try ManagedObjectModel(Self.draft(known)))
      let number = try #require(schema.model.entity(named: known.entity)).number
      let names = schema.joinTables.map(\.name)
      #expect(names.contains("Z_\(number)\(known.tableNamedAfter.uppercased())"), "\(known): \(names)")
    }
  }

  private static func draft(_ known: Known) -> ModelDraft {
    var entity = EntityDraft(name: known.entity)
    for name in known.properties {
      let pair = pairs.first { $0.contains(name) }
      // Older models have one end only.
      let inverse = pair?.first { $0 != name && known.properties.contains($0) }
      if toOne.contains(name) {
        let target = inverse != nil ? known.entity : name == "discoveredByMessage" ? "ZMessage" : "ZOther"
        entity.relationships.append(Models.toOne(name, target, inverse: inverse))
      } else if pair != nil || others.contains(name) {
        var relationship = Models.toMany(
          name, inverse != nil ? known.entity : "ZOther", inverse: inverse, ordered: ordered.contains(name))
        relationship.isTransient = name == "messagesMissingRecipient"
        entity.relationships.append(relationship)
      } else {
        entity.attributes.append(Models.attribute(name, .string))
      }
    }
    var special = EntityDraft(name: "ZSpecialMessage")
    special.parentName = "ZMessage"
    var draft = ModelDraft()
    draft.entities = [entity, EntityDraft(name: "ZMessage"), special, EntityDraft(name: "ZOther")]
    return draft
  }
}
