import Foundation
import MergewalkDiagnostics
import MergewalkMacros
import MergewalkTestSupport
import Testing

/// Models that are made of classes with `@Managed`.
@Suite("Models of classes")
struct ModelOfClassesTests {
  static let classes: [any ManagedClass.Type] = [Author.self, Book.self, Publication.self, Shelf.self]
  static let file = Locations.repository + "/Tests/MacrosTests/Library.xcdatamodel"

  @Test("The model of the classes is the one that Xcode writes: bytes, version hashes, properties")
  func sameModel() throws {
    let draft = try ModelDraft(name: "Library", classes: Self.classes)
    let written = try ModelReader.read(Self.file)
    #expect(ModelWriter.xml(draft) == ModelWriter.xml(written))
    let (own, xcode) = (try ManagedObjectModel(draft), try ManagedObjectModel(written))
    #expect(own.versionChecksum == xcode.versionChecksum)
    for (mine, other) in zip(own.versionHashes, xcode.versionHashes) {
      #expect(mine.name == other.name && mine.hash == other.hash)
    }
    #expect(own.entities.map(\.name) == xcode.entities.map(\.name))
    for (mine, other) in zip(own.entities, xcode.entities) {
      #expect(mine.attributes.map(\.withoutPosition) == other.attributes.map(\.withoutPosition))
      #expect(mine.relationships.map(\.withoutPosition) == other.relationships.map(\.withoutPosition))
      #expect(mine.uniquenessConstraints == other.uniquenessConstraints)
      #expect(mine.declaration.className == other.declaration.className)
      #expect(mine.declaration.isAbstract == other.declaration.isAbstract)
      #expect(mine.declaration.renamingIdentifier == other.declaration.renamingIdentifier)
      #expect(
        mine.declaration.fetchIndexes.map { "\($0.name) \($0.elements)" }
          == other.declaration.fetchIndexes.map { "\($0.name) \($0.elements)" })
    }
  }

  @Test("The file is as Xcode writes it: nothing is lost when it is read and written")
  func fixture() throws {
    let text = try String(contentsOfFile: Self.file + "/contents", encoding: .utf8)
    #expect(ModelWriter.xml(try ModelReader.read(Self.file)) == text)
  }

  @Test("Programs use the classes as those of code generation")
  func use() throws {
    let model = try ManagedObjectModel(name: "Library", classes: Self.classes)
    let said = try LibraryUse.run(model)
    #expect(said == LibraryUse.words, "\(said)")
  }

  @Test("Enumerations, static properties and properties that are not managed")
  func plainProperties() throws {
    let model = try ManagedObjectModel(name: "Library", classes: Self.classes)
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.addStore(type: .inMemory)
    let context = ManagedObjectContext(coordinator: coordinator)
    let (author, book) = (try context.insert(Author.self), try context.insert(Book.self))
    author.fullName = "Ada"
    author.timesGreeted += 1
    #expect(author.salutation == "Dear Ada" && author.timesGreeted == 1)
    #expect(book.kind == .paper && book.added == Timestamp(secondsSinceReferenceDate: 7))
    (book.kind, book.title, book.isbn, book.author) = (.film, "T", "I", author)
    try context.save()
    #expect(try context.count(Book.self, where: \.kind == .film) == 1)
  }

  @Test("A class that only inherits its entity is refused, and so is one whose relationships lead out of the model")
  func mistakes() throws {
    #expect {
      try ModelDraft(name: "Library", classes: [Plain.self])
    } throws: { ($0 as? ObjectError)?.code == .wrongClass }
    #expect(throws: DiagnosticList.self) { try ManagedObjectModel(name: "Library", classes: [Shelf.self]) }
  }
}

/// Inherits from a class with `@Managed` and has none.
private class Plain: Publication {}

extension AttributeDescription {
  fileprivate var withoutPosition: AttributeDescription {
    var copy = self
    copy.position = .file
    return copy
  }
}

extension RelationshipDescription {
  fileprivate var withoutPosition: RelationshipDescription {
    var copy = self
    copy.position = .file
    return copy
  }
}
