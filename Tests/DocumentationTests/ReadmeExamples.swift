import MergewalkImporting
import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkPipelines
import MergewalkRecordFormats

/// The Swift examples of the README, compiled.
///
/// ``ReadmeTests`` compares the text between the marks with the README and runs each example.
enum ReadmeExamples {
  static func runPipeline(_ path: String, store: String) throws -> ImportSummary {
    // README: pipeline
    var settings = PipelineSettings()
    settings.storePath = store
    let pipeline = try Pipeline.read(path, settings: settings)  // throws every finding about the file
    let summary = try ImportSession(pipeline.definition).run { progress in
      print(progress.records, "records,", progress.rejects, "rejects")
    }
    print(summary.inserted, "new,", summary.updated, "changed,", summary.unchanged, "unchanged")
    // README: end
    return summary
  }

  static func runDefinition(model modelPath: String, store: String, input: String) throws -> ImportSummary {
    // README: definition
    let model = try ManagedObjectModel(ModelReader.read(modelPath))
    var customer = EntityImport(
      entityName: "Customer", findBy: [FieldImport(attributeName: "email", column: "customer_email")],
      attributes: [FieldImport(attributeName: "name", column: "customer_name")])
    customer.mode = .createMissing
    let definition = ImportDefinition(
      name: "customers", model: model, storePath: store, inputs: [input], format: .csv(CSVOptions()), root: customer)
    let summary = try ImportSession(definition).run()
    // README: end
    return summary
  }

  static func changeObjects(model modelPath: String, store: String) throws {
    // README: objects
    let model = try ManagedObjectModel(ModelReader.read(modelPath))
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.addSQLiteStore(at: store)  // creates the store if it does not exist
    let context = ManagedObjectContext(coordinator: coordinator)

    let customer =
      try context.fetch("Customer", where: ["email": .string("ada@example.com")]).first
      ?? context.insert("Customer")
    try customer.setValue(.string("ada@example.com"), forKey: "email")
    try customer.setValue(.string("Ada Lovelace"), forKey: "name")
    for order in try customer.objects(forKey: "orders") {
      print(try order["orderID"], try order.object(forKey: "product")?["name"] ?? .null)
    }
    try context.save()  // one transaction; throws every violation of the model
    try coordinator.close()
    // README: end
  }

  static func fetchOrders(_ context: ManagedObjectContext) throws -> (orders: Int, countries: Int) {
    // README: fetch
    var request = FetchRequest("Order", where: Key("quantity") >= 5 && Key("customer.country") == "DE")
    request.sortDescriptors = [ObjectSortDescriptor("orderedAt", ascending: false)]
    request.relationshipKeyPathsForPrefetching = ["customer"]  // one more SELECT, whatever the number of orders
    let orders = try context.fetch(request)
    for order in orders { print(try order["orderID"]) }

    var totals = FetchRequest("Order", where: try ObjectPredicate(format: "customer.name CONTAINS[cd] %@", "jose"))
    totals.propertiesToFetch = [
      "customer.country",
      .expression(ExpressionDescription(name: "pieces", expression: try ObjectExpression(format: "sum:(quantity)"))),
    ]
    totals.propertiesToGroupBy = ["customer.country"]
    let rows = try context.fetchDictionaries(totals)
    for row in rows { print(row["pieces"] ?? .null) }
    // README: end
    return (orders.count, rows.count)
  }
}
