#if canImport(CoreData)
  import CoreData
  import Foundation
  import Importing
  import ObjectModel
  import ObjectStore
  import Pipelines
  import TestSupport
  import Testing

  /// Stores that we make, opened by Apple's framework, changed there, and opened by ours again.
  ///
  /// Compiled only where CoreData can be imported. Nobody has run it yet: it was written without a Mac.
  @Suite("Apple’s framework")
  struct AppleFrameworkTests {
    @Test("the shop that the demo imports is opened, counted, changed and verified")
    func shop() throws {
      let folder = TemporaryFolder()
      let path = folder.file("shop.sqlite")
      var settings = PipelineSettings()
      settings.storePath = path
      let pipeline = try Pipeline.read(Locations.repository + "/pipelines/orders.yaml", settings: settings)
      let summary = try ImportSession(pipeline.definition).run()
      #expect(summary.inserted == 250)

      let source = Locations.fixtures + "/shop/Shop.xcdatamodeld"
      let compiled = folder.file("Shop.momd")
      let momc = Process()
      momc.executableURL = URL(fileURLWithPath: "/usr/bin/xcrun")
      momc.arguments = ["momc", source, compiled]
      try momc.run()
      momc.waitUntilExit()
      let model = try #require(NSManagedObjectModel(contentsOf: URL(fileURLWithPath: compiled)))
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: path), options: nil)
      let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      let orders = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Order"))
      #expect(orders.count == 250)
      #expect(orders.allSatisfy { $0.value(forKeyPath: "customer.email") != nil })
      orders[0].setValue("changed by Apple’s framework", forKey: "note")
      try context.save()
      for store in coordinator.persistentStores { try coordinator.remove(store) }

      let report = try StoreVerifier.verify(path: path, model: ManagedObjectModel(ModelReader.read(source)))
      #expect(report.isSound)
      #expect(report.checkedRows == 306)
    }
  }
#endif
