import FileFuzzing
import Foundation
import MergewalkImport

private let folder = FuzzFolder()
private let base: BaseStore = {
  do { return try BaseStore(folder) } catch { preconditionFailure("no store to damage: \(error)") }
}()

/// Called by libFuzzer with bytes that it varies: they are changes of a sound store, which is then read and written.
///
/// Information, verification, objects with all values and relationships, and an import into the store end in values or in
/// errors, whatever is damaged.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStores(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let damaged = base.damaged(by: UnsafeBufferPointer(start: data, count: count))
  folder.empty()
  base.writeInputs(folder)
  let path = folder.write("s.sqlite", damaged)
  _ = try? StoreInfo.read(path: path)
  _ = try? StoreMetadata.read(path: path)
  if let found = try? StoreModel.find(path: path) { _ = try? StoreVerifier.verify(path: path, model: found.model) }
  _ = try? readObjects(path)
  _ = try? ImportSession(base.definition).run()
  return 0
}

/// Reads every value and relationship of every object.
private func readObjects(_ path: String) throws {
  let coordinator = PersistentStoreCoordinator(model: base.model)
  try coordinator.addSQLiteStore(at: path)
  let context = ManagedObjectContext(coordinator: coordinator)
  for entity in base.model.entities {
    guard let objects = try? context.fetch(FetchRequest(entity.name)) else { continue }
    for object in objects.prefix(200) {
      for attribute in entity.attributes { _ = try? object.value(forKey: attribute.name) }
      for relationship in entity.relationships {
        if relationship.isToMany {
          _ = try? object.objects(forKey: relationship.name).count
        } else {
          _ = try? object.object(forKey: relationship.name)?.objectID
        }
      }
    }
  }
  try coordinator.close()
}
