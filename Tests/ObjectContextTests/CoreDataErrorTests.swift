import CoreData
import MergewalkTestSupport
import Testing

/// Errors as Core Data's code reads them: domain, number, keys, and a message for people.
@Suite("Core Data's errors")
struct CoreDataErrorTests {
  private let folder = TemporaryFolder()

  private func context() throws -> NSManagedObjectContext {
    try folder.write(
      """
      model: Staff
      entities:
        Person:
          attributes: { name: { type: string!, max_length: 5 }, age: { type: integer16, max: 120 }, email: string }
          unique: [email]
      """, to: "m.yaml")
    let coordinator = NSPersistentStoreCoordinator(
      managedObjectModel: try NSManagedObjectModel(try ModelReader.read(folder.file("m.yaml"))))
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: folder.file("Staff.sqlite")))
    return NSManagedObjectContext(coordinator: coordinator)
  }

  private func person(_ name: String, in context: NSManagedObjectContext) throws -> NSManagedObject {
    let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
    try person.setValue(name, forKey: "name")
    return person
  }

  /// What a sample's `catch` sees.
  private func failure(_ body: () throws -> Void) throws -> NSError {
    do { try body() } catch {
      #expect(error.localizedDescription == "\(error)")
      return error as NSError
    }
    throw Missing()
  }

  private struct Missing: Error {}

  @Test("one failure of a validation has its own number and keys")
  func oneFailure() throws {
    let context = try context()
    let person = try person("far too long", in: context)
    let error = try failure { try context.save() }
    #expect(error.domain == NSCocoaErrorDomain && error.code == NSValidationStringTooLongError)
    #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "name")
    #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObjectID == person.objectID)
    #expect(error.userInfo[NSValidationValueErrorKey] as? AttributeValue == .string("far too long"))
    #expect(error.userInfo[NSDetailedErrorsKey] == nil)
  }

  @Test("several failures are errors inside of one")
  func severalFailures() throws {
    let context = try context()
    let person = try person("", in: context)
    try person.setValue(.null, forKey: "name")
    try person.setValue(Int16(121), forKey: "age")
    let error = try failure { try context.save() }
    #expect(error.code == NSValidationMultipleErrorsError)
    let inside = try #require(error.userInfo[NSDetailedErrorsKey] as? [NSError])
    #expect(
      Set(inside.map(\.code)) == [NSValidationMissingMandatoryPropertyError, NSValidationNumberTooLargeError])
    #expect(inside.allSatisfy { $0.domain == NSCocoaErrorDomain })
    #expect(Set(inside.compactMap { $0.userInfo[NSValidationKeyErrorKey] as? String }) == ["name", "age"])
    let alone = try failure { try person.validateForUpdate() }
    #expect(alone.code == NSValidationMultipleErrorsError)
  }

  @Test("conflicts are listed, with SQLite's code where SQLite found them")
  func conflicts() throws {
    let context = try context()
    let first = try person("a", in: context)
    try first.setValue("a@example.org", forKey: "email")
    try context.save()
    let other = NSManagedObjectContext(coordinator: try #require(context.persistentStoreCoordinator))
    let theirs = try #require(try other.existingObject(with: first.objectID))
    try theirs.setValue("b", forKey: "name")
    try other.save()
    try first.setValue("c", forKey: "name")
    let merge = try failure { try context.save() }
    #expect(merge.code == NSManagedObjectMergeError)
    let conflict = try #require(merge.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict])
    #expect(conflict.map(\.objectID) == [first.objectID])
    context.rollback()
    try person("d", in: context).setValue("a@example.org", forKey: "email")
    let constraint = try failure { try context.save() }
    #expect(constraint.code == NSManagedObjectConstraintMergeError)
    #expect(constraint.userInfo[NSSQLiteErrorDomain] as? Int == 2067)
    let unique = constraint.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict]
    #expect(unique?.map(\.constraint) == [["email"]])
  }

  @Test("objects that are not there, requests that cannot be carried out, files that are no stores")
  func others() throws {
    let context = try context()
    let person = try person("a", in: context)
    try context.save()
    let id = person.objectID
    try context.delete(person)
    try context.save()
    let gone = try context.object(with: id)
    #expect(try failure { _ = try gone.value(forKey: "name") }.code == NSManagedObjectReferentialIntegrityError)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Persom")
    #expect(try failure { _ = try context.fetch(request) }.code == NSCoreDataError)
    let wrong = NSBatchInsertRequest(entityName: "Person", objects: [["name": "far too long"]])
    #expect(try failure { try context.execute(wrong) }.code == NSValidationStringTooLongError)
    let source = NSBatchUpdateRequest(entityName: "Person")
    source.propertiesToUpdate = ["nome": "b"]
    #expect(try failure { try context.execute(source) }.code == NSCoreDataError)
    try folder.write("this is no store", to: "text.sqlite")
    let coordinator = try #require(context.persistentStoreCoordinator)
    _ = try failure { _ = try ModelReader.read(folder.file("none.yaml")) }
    let damaged = try failure {
      try coordinator.addPersistentStore(type: .sqlite, at: URL(fileURLWithPath: folder.file("text.sqlite")))
    }
    #expect(damaged.code == CocoaError.Code.fileReadCorruptFile.rawValue)
    #expect(damaged.userInfo[NSFilePathErrorKey] as? String == folder.file("text.sqlite"))
  }
}
