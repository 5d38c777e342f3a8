import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

/// The example of `docs/batch-requests.md`, compiled and run.
@Suite("Batch requests page")
struct BatchExamples {
  private static func changeMany(_ context: ManagedObjectContext, product: ManagedObjectID) throws {
    // Page: batch
    // Rows with the same email update one customer; the last one wins.
    var insert = BatchInsertRequest(
      "Customer", rows: [["email": "ada@example.org", "name": "Ada"], ["email": "bob@example.org", "country": "DE"]])
    insert.resultType = .objectIDs
    let customers = try context.execute(insert).insertedObjectIDs

    // A closure can fill millions of rows one after the other, with memory for 4,096.
    let orders = BatchInsertRequest("Order", properties: ["orderID", "orderedAt", "quantity", "customer", "product"])
    var count: Int64 = 0
    _ = try context.execute(orders) { row in
      if count == 10_000 { return true }
      count += 1
      try row.set(0, text: "A-\(count)")
      try row.set(1, date: Double(count))
      try row.set(2, integer: count % 9 + 1)
      try row.set(3, object: customers[Int(count) % 2])
      try row.set(4, object: product)
      return false
    }

    let update = BatchUpdateRequest(
      "Order", where: Key("quantity") > 5, set: ["quantity": Key("quantity") * 2, "note": Key("customer.name")])
    _ = try context.execute(update)

    var delete = BatchDeleteRequest("Customer", where: Key("email") == "bob@example.org")
    delete.resultType = .objectIDs
    let result = try context.execute(delete)  // the model deletes his 5,000 orders, too
    try context.mergeChanges(from: result)
    // Page: end
  }

  @Test func `its example is the one that is compiled here`() throws {
    let text = try Pages.text("Tests/DocumentationTests/BatchExamples.swift")
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex(of: "    // Page: batch"))
    let end = try #require(lines.firstIndex(of: "    // Page: end"))
    let example = lines[start + 1..<end].map { $0.dropFirst(4) + "\n" }.joined()
    #expect(try Pages.blocks("swift", of: "docs/batch-requests.md") == [example])
  }

  @Test func `its example inserts, updates and deletes`() throws {
    let folder = TemporaryFolder()
    let model = try ManagedObjectModel(ModelReader.read(Locations.fixtures + "/shop/Shop.xcdatamodeld"))
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.addSQLiteStore(at: folder.file("shop.sqlite"))
    let context = ManagedObjectContext(coordinator: coordinator)
    let product = try context.insert("Product")
    try product.setValue(.string("P-1"), forKey: "sku")
    try context.save()
    try Self.changeMany(context, product: product.objectID)
    #expect(try context.count("Customer") == 1)
    #expect(try context.count("Order") == 5_000)
    #expect(try context.count("Order", where: ["note": .string("Ada")]) > 1_000)
    try coordinator.close()
    #expect(try StoreVerifier.verify(path: folder.file("shop.sqlite"), model: model).isSound)
  }
}
