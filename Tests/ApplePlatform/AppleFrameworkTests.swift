#if canImport(Darwin) && canImport(CoreData)
  import CoreData
  import Foundation
  import MergewalkImporting
  import MergewalkObjectModel
  import MergewalkObjectStore
  import MergewalkPipelines
  import MergewalkTestSupport
  import Testing

  /// Stores that we make, opened by Apple's framework, read and changed there, and opened by ours again.
  ///
  /// Compiled only where CoreData can be imported. It has not run yet: it was written without a Mac. Models of Xcode are
  /// compiled by `momc`; others are written in compiled form by ours, which is a test of that, too.
  @Suite("Apple’s framework", .serialized)
  struct AppleFrameworkTests {
    let folder = TemporaryFolder()

    /// The pipelines whose inputs are in this repository; those with several files go into one store, in order.
    static let pipelines = [
      ["orders.yaml"], ["world/world.yaml"], ["partner/feed.yaml"], ["catalogue/catalogue.yaml"],
      ["library/1-members.yaml", "library/2-books.yaml", "library/3-loans.yaml"],
    ]

    @Test("every fixture store is opened, read, changed and saved, and is sound afterwards", arguments: pipelines)
    func store(_ pipelines: [String]) throws {
      let path = folder.file("store.sqlite")
      var definition: ImportDefinition?
      for pipeline in pipelines {
        var settings = PipelineSettings()
        settings.storePath = path
        let next = try Pipeline.read(Locations.repository + "/pipelines/" + pipeline, settings: settings).definition
        _ = try ImportSession(next).run()
        definition = next
      }
      let model = try #require(definition?.model)
      let ours = try StoreInfo.read(path: path)

      let framework = try framework(model)
      #expect(
        framework.entityVersionHashesByName.mapValues { Array($0) }
          == Dictionary(uniqueKeysWithValues: model.versionHashes.map { ($0.name, $0.hash) }))
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: framework)
      let store = try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: path), options: nil)
      let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      var count = 0
      for entity in framework.entities where !entity.isAbstract {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
        request.includesSubentities = false
        let objects = try context.fetch(request)
        count += objects.count
        for object in objects { try read(object, entity) }
        // A text that is changed and one object more: both kinds of rows are written.
        if let text = entity.attributesByName.values.first(where: {
          $0.attributeType == .stringAttributeType && $0.isOptional
        }) {
          objects.first?.setValue("changed by Apple’s framework", forKey: text.name)
        }
      }
      #expect(count == ours.entities.reduce(0) { $0 + $1.objects })
      try context.save()
      context.reset()
      try coordinator.remove(store)

      let report = try StoreVerifier.verify(path: path, model: model)
      #expect(report.isSound, "\(report)")
      #expect(report.checkedRows == count)
      // The next night finds what it has made.
      let again = try ImportSession(try #require(definition)).run()
      #expect(again.inserted == 0)
    }

    /// Reads all of an object: values of attributes, and one step along each relationship and back.
    private func read(_ object: NSManagedObject, _ entity: NSEntityDescription) throws {
      for name in entity.attributesByName.keys { _ = object.value(forKey: name) }
      for (name, relationship) in entity.relationshipsByName {
        let value = object.value(forKey: name)
        let targets =
          (value as? NSOrderedSet)?.array as? [NSManagedObject] ?? (value as? Set<NSManagedObject>).map(Array.init)
          ?? (value as? NSManagedObject).map { [$0] } ?? []
        guard let inverse = relationship.inverseRelationship else { continue }
        for target in targets {
          let back = target.value(forKey: inverse.name)
          let isBack =
            (back as? NSOrderedSet)?.contains(object) ?? (back as? Set<NSManagedObject>)?.contains(object)
            ?? (back as? NSManagedObject == object)
          #expect(isBack, "\(entity.name ?? "").\(name)")
        }
      }
    }

    /// The model as the framework reads it: of the compiled form that we write.
    private func framework(_ model: ManagedObjectModel) throws -> NSManagedObjectModel {
      let compiled = folder.file("Model.mom")
      try Data(ModelWriter.compiled(model).bytes).write(to: URL(fileURLWithPath: compiled))
      return try #require(NSManagedObjectModel(contentsOf: URL(fileURLWithPath: compiled)))
    }

    @Test("the model that Xcode compiles opens the store of the demo, too")
    func compiledByXcode() throws {
      let path = folder.file("shop.sqlite")
      var settings = PipelineSettings()
      settings.storePath = path
      let pipeline = try Pipeline.read(Locations.repository + "/pipelines/orders.yaml", settings: settings)
      #expect(try ImportSession(pipeline.definition).run().inserted == 250)
      let compiled = folder.file("Shop.momd")
      let momc = Process()
      momc.executableURL = URL(fileURLWithPath: "/usr/bin/xcrun")
      momc.arguments = ["momc", Locations.fixtures + "/shop/Shop.xcdatamodeld", compiled]
      try momc.run()
      momc.waitUntilExit()
      let model = try #require(NSManagedObjectModel(contentsOf: URL(fileURLWithPath: compiled)))
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: path), options: nil)
      let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Order")) == 250)
    }
  }
#endif
