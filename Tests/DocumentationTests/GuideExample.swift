import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

/// The program of `docs/core-data-guide.md`, compiled and run.
enum GuideExample {
  // Page: program
  class Author: ManagedObject {
    @Managed("name") var name: String?
    @ManagedRelation("books") var books: RelatedObjects<Book>
  }

  class Book: ManagedObject {
    @Managed("title") var title: String?
    @Managed("pages") var pages: Int
    @ManagedRelation("author") var author: Author?

    override func awakeFromInsert() { pages = 1 }
  }

  static func library() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      ModelDraft(
        name: "Library",
        hierarchies: [
          .entity(
            "Author", .attribute("name", .string, isOptional: true),
            .toMany("books", "Book", inverse: "author", deleteRule: .cascade)),
          .entity(
            "Book", .attribute("title", .string, isOptional: true),
            .attribute("pages", .integer32, default: .integer(0)),
            .toOne("author", "Author", inverse: "books", isOptional: true)),
        ]))
  }

  static func run(store: String) async throws -> [String] {
    var output: [String] = []
    let coordinator = PersistentStoreCoordinator(model: try library())
    try coordinator.addStore(type: .sqlite, at: store)
    try coordinator.setClasses([Author.self, Book.self])

    // Insert, relate, undo.
    let context = ManagedObjectContext(coordinator: coordinator)
    context.undoManager = UndoManager()
    let ada = try context.insert(Author.self)
    ada.name = "Ada"
    let notes = try context.insert(Book.self)
    notes.title = "Notes"
    notes.author = ada
    try context.processPendingChanges()  // ends the first step
    notes.pages = 66
    try context.undo()
    output.append("\(ada.books.count) book of \(notes.pages) page, \(notes.objectID.isTemporary)")
    try context.redo()
    try context.save()
    output.append("\(notes.pages) pages, \(notes.objectID.isTemporary)")

    // Another context changes the same record: the policy decides.
    let other = ManagedObjectContext(coordinator: coordinator)
    other.mergePolicy = .mergeByPropertyObjectTrump
    let copy = try #require(try other.fetch(TypedFetchRequest<Book>("Book")).first)
    copy.title = "Sketch"
    notes.pages = 67
    try context.save()
    try other.save()
    output.append("\(copy.title ?? "") of \(copy.pages) pages")

    // A child keeps its changes to itself until it saves.
    let child = ManagedObjectContext(parent: other)
    let draft = try child.insert(Book.self)
    draft.title = "Draft"
    output.append("\(try other.count("Book")) in the parent, \(try child.count("Book")) in the child")
    try child.save()
    try other.save()

    // Deleting the author takes the books along.
    let author = try #require(try other.fetch(TypedFetchRequest<Author>("Author")).first)
    try other.delete(author)
    try other.save()
    output.append("left: \(try other.fetch(TypedFetchRequest<Book>("Book")).compactMap(\.title))")
    try coordinator.close()

    // Tasks share a container; what they share of objects is IDs.
    let container = PersistentContainer(model: try library())
    try await container.withCoordinator { _ = try $0.addStore(type: .sqlite, at: store) }
    let id = try await container.performBackgroundTask { context in
      let book = try context.insert("Book")
      try context.save()
      return book.objectID
    }
    let pages = try await container.viewContext.perform { try $0.object(with: id).value(forKey: "pages") }
    output.append("\(pages)")
    try await container.close()
    return output
  }
  // Page: end
}

@Suite("Guide for Core Data users")
struct GuideTests {
  @Test func `its program is the one that is compiled here`() throws {
    let text = try Pages.text("Tests/DocumentationTests/GuideExample.swift")
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex(of: "  // Page: program"))
    let end = try #require(lines.firstIndex(of: "  // Page: end"))
    let program = lines[start + 1..<end].map { $0.dropFirst(2) + "\n" }.joined()
    #expect(try Pages.blocks("swift", of: "docs/core-data-guide.md") == [program])
  }

  @Test func `its program prints what the page says`() async throws {
    let folder = TemporaryFolder()
    let output = try await GuideExample.run(store: folder.file("library.sqlite"))
    #expect(try Pages.blocks("text", of: "docs/core-data-guide.md") == [output.joined(separator: "\n") + "\n"])
  }
}
