import Foundation
import MergewalkFoundation
import MergewalkObjects
import MergewalkTestSupport
import Testing

/// Foundation's types with one import of objects beside Foundation's.
@Suite("Foundation's types")
struct FoundationValueTests {
  private let folder = TemporaryFolder()

  private func context() throws -> ManagedObjectContext {
    let model = try ManagedObjectModel(
      ModelDraft(
        name: "Shop",
        hierarchies: [
          .entity(
            "Item", .attribute("name", .string, isOptional: true), .attribute("made", .date, isOptional: true),
            .attribute("price", .decimal, isOptional: true), .attribute("code", .uuid, isOptional: true),
            .attribute("photo", .binary, isOptional: true), .attribute("page", .uri, isOptional: true),
            .attribute("count", .integer32, isOptional: true), .attribute("isNew", .boolean, isOptional: true),
            .toOne("maker", "Maker", inverse: "items")),
          .entity(
            "Maker", .attribute("name", .string, isOptional: true), .toMany("items", "Item", inverse: "maker")),
        ]))
    try model.register([Item.self, Maker.self])
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.addSQLiteStore(at: folder.file("shop.sqlite"))
    return ManagedObjectContext(coordinator: coordinator)
  }

  private func filled(_ context: ManagedObjectContext) throws -> Item {
    let item = try context.insert(Item.self)
    item.name = "lamp"
    item.made = Date(timeIntervalSinceReferenceDate: 86_400.5)
    item.price = Decimal(string: "99.95") ?? 0
    item.code = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
    item.photo = Data([1, 2, 255])
    item.page = URL(string: "https://example.org/lamp?a=1")
    item.count = 3
    let maker = try context.insert(Maker.self)
    maker.name = "Ada"
    item.maker = maker
    try context.save()
    return item
  }

  @Test("properties have Foundation's types, and are what the attributes hold")
  func properties() throws {
    let context = try context()
    let item = try filled(context)
    try context.refresh(item, mergingChanges: false)
    #expect(item.made == Date(timeIntervalSinceReferenceDate: 86_400.5))
    #expect(item.price == Decimal(string: "99.95"))
    #expect(item.code?.uuidString == "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
    #expect(item.photo == Data([1, 2, 255]))
    #expect(item.page?.absoluteString == "https://example.org/lamp?a=1")
    #expect(try item.value(forKey: "code") == UniqueID("E621E1F8-C36C-495A-93FC-0C247A3E6E5F")?.attributeValue)
    item.code = nil
    #expect(try item.value(forKey: "code") == .null)
    item.price = .nan
    #expect(item.price == nil)
  }

  @Test("they are arguments of predicates and operands of keys")
  func predicates() throws {
    let context = try context()
    let item = try filled(context)
    for (key, argument) in [
      ("made", item.made), ("price", item.price), ("code", item.code), ("photo", item.photo), ("page", item.page),
    ] as [(String, (any PredicateArgument)?)] {
      let request = try FetchRequest("Item", where: .init(format: "%K == %@", key, try #require(argument)))
      #expect(try context.count(for: request) == 1, "\(key)")
    }
    let later = FetchRequest("Item", where: Key("made") > Date(timeIntervalSinceReferenceDate: 86_401))
    #expect(try context.count(for: later) == 0)
    #expect(try context.count(Item.self, where: \.made <= Date(timeIntervalSinceReferenceDate: 86_400.5)) == 1)
  }

  @Test("a snapshot is JSON with chosen keys or to a depth, without the way back, and comes back from JSON")
  func snapshots() throws {
    let context = try context()
    let item = try filled(context)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    func json(_ snapshot: ObjectSnapshot) throws -> String {
      String(decoding: try encoder.encode(snapshot), as: UTF8.self)
    }
    #expect(
      try json(item.snapshot(depth: 1)) == """
        {"code":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","count":3,"isNew":null,"made":"2001-01-02T00:00:00Z",\
        "maker":{"name":"Ada"},"name":"lamp","page":"https://example.org/lamp?a=1","photo":"AQL/","price":99.95}
        """)
    #expect(try json(item.snapshot(keys: ["name", "maker.name"])) == #"{"maker":{"name":"Ada"},"name":"lamp"}"#)
    let maker = try #require(item.maker)
    #expect(try json(maker.snapshot(keys: ["items.count", "items.name"])) == #"{"items":[{"count":3,"name":"lamp"}]}"#)
    #expect(throws: ObjectError.self) { try maker.snapshot(keys: ["nothing"]) }
    let chosen = try maker.snapshot(keys: ["name", "items.name"])
    #expect(try JSONDecoder().decode(ObjectSnapshot.self, from: encoder.encode(chosen)) == chosen)
  }
}

private final class Item: ManagedObject {
  @Managed("name") var name: String?
  @Managed("made") var made: Date?
  @Managed("price") var price: Decimal?
  @Managed("code") var code: UUID?
  @Managed("photo") var photo: Data?
  @Managed("page") var page: URL?
  @Managed("count") var count: Int32?
  @ManagedRelation("maker") var maker: Maker?
}

private final class Maker: ManagedObject {
  @Managed("name") var name: String?
  @ManagedRelation("items") var items: RelatedObjects<Item>
}

extension ObjectKeys where Object: Item {
  fileprivate var made: AttributeKey<Date?> { AttributeKey("made") }
}
