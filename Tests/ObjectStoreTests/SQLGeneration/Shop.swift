import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

/// A store of customers, orders and products for the tests of generated SQL.
///
/// Party > Customer, Party > Company (Party is abstract); Order > RushOrder.
final class Shop {
  let folder = TemporaryFolder()
  let model: ManagedObjectModel
  let store: PersistentStore
  let compiler: FetchCompiler
  private let coordinator: PersistentStoreCoordinator

  static func model() throws -> ManagedObjectModel {
    typealias M = Models
    func entity(
      _ name: String, parent: String? = nil, _ attributes: [AttributeDescription],
      _ relationships: [RelationshipDescription] = []
    ) -> EntityDraft {
      var entity = EntityDraft(name: name)
      entity.parentName = parent
      entity.attributes = attributes
      entity.relationships = relationships
      return entity
    }
    var code = M.attribute("code", .string)
    code.isIndexed = true
    var amount = M.attribute("amount", .double)
    amount.isIndexed = true
    var note = M.attribute("note", .string)
    note.isTransient = true
    var shown = M.attribute("shownName", .string)
    shown.derivationExpression = "uppercase:(name)"
    var photo = M.attribute("photo", .binary)
    photo.allowsExternalBinaryDataStorage = true

    var party = entity(
      "Party", [M.attribute("name", .string), note, shown],
      [M.toMany("orders", "Order", inverse: "customer"), M.toMany("friends", "Party", inverse: "friends")])
    party.isAbstract = true
    party.fetchedProperties = [
      FetchedPropertyDescription(
        name: "rush", fetchRequest: FetchRequestTemplate(name: "", entityName: "RushOrder"))
    ]
    var order = entity(
      "Order",
      [
        code, amount, M.attribute("count", .integer64), M.attribute("size", .integer32),
        M.attribute("price", .decimal), M.attribute("placed", .date), M.attribute("isOpen", .boolean),
        M.attribute("ratio", .float), M.attribute("token", .uuid), M.attribute("link", .uri),
        M.attribute("bytes", .binary), M.attribute("extra", .transformable), photo,
      ],
      [
        M.toOne("customer", "Party", inverse: "orders"),
        M.toMany("lines", "Line", inverse: "order", ordered: true),
        M.toMany("tags", "Tag", inverse: "orders"),
        M.toMany("marks", "Mark"),
      ])
    order.uniquenessConstraints = [["code", "size"]]
    let line = entity(
      "Line", [M.attribute("quantity", .integer32), M.attribute("title", .string)],
      [M.toOne("order", "Order", inverse: "lines"), M.toOne("product", "Product", inverse: "lines")])
    let product = entity(
      "Product", [M.attribute("name", .string), M.attribute("price", .double)],
      [M.toMany("lines", "Line", inverse: "product")])
    let tag = entity("Tag", [M.attribute("name", .string)], [M.toMany("orders", "Order", inverse: "tags")])
    var draft = ModelDraft()
    draft.entities = [
      party, entity("Customer", parent: "Party", [M.attribute("age", .integer16)]),
      entity("Company", parent: "Party", [M.attribute("vat", .string)]), order,
      entity("RushOrder", parent: "Order", [M.attribute("due", .date)]), line, product, tag,
      entity("Mark", [M.attribute("text", .string)]),
    ]
    return try ManagedObjectModel(draft)
  }

  init() throws {
    model = try Shop.model()
    coordinator = PersistentStoreCoordinator(model: model)
    store = try coordinator.addSQLiteStore(at: folder.file("shop.sqlite"))
    compiler = FetchCompiler(schema: store.schema, storeUUID: store.file.metadata.uuid)
  }

  func id(_ entity: String, _ key: Int64) throws -> ManagedObjectID {
    let entity = try #require(model.entity(named: entity))
    return ManagedObjectID(storeUUID: store.file.metadata.uuid, entity: entity, primaryKey: key)
  }

  /// The WHERE of a fetch of orders, and its values.
  func filter(_ format: String, _ arguments: any PredicateArgument...) throws -> String {
    try filter("Order", ObjectPredicate(format: format, arguments: arguments))
  }

  func filter(_ entity: String, _ predicate: ObjectPredicate) throws -> String {
    let sql = try compiler.compile(FetchRequest(entity, where: predicate), selecting: .primaryKeys(withSortKeys: false))
      .sql
    return sql.replacing("SELECT t0.Z_PK, t0.Z_ENT FROM Z\(entity.uppercased()) AS t0", with: "").trimmingPrefix(" ")
      .description
  }

  /// The primary keys that a request finds.
  func keys(_ request: FetchRequest) throws -> [Int64] {
    let cursor = try store.cursor(compiler.compile(request, selecting: .primaryKeys(withSortKeys: false)))
    var keys: [Int64] = []
    while try cursor.step() { keys.append(cursor.integer(0)) }
    return keys
  }
}
