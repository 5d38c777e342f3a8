import MergewalkObjects

/// What a program does with the classes of the library; compiled against those of `@Managed` and those of code generation.
enum LibraryUse {
  static func run(_ model: ManagedObjectModel) throws -> [String] {
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.addStore(type: .inMemory)
    let context = ManagedObjectContext(coordinator: coordinator)
    var said: [String] = []

    let author = try context.insert(Author.self)
    author.fullName = "Ada"
    let shelf = try context.insert(Shelf.self)
    (shelf.label, shelf.room) = ("S", 4)
    for number in 1...4 {
      let book = try context.insert(Book.self)
      (book.title, book.isbn, book.pages) = ("T\(number)", "I\(number)", Int32(number * 100))
      (book.added, book.rating) = (Timestamp(secondsSinceReferenceDate: Double(number)), Double(number) / 2)
      (book.price, book.token) = (DecimalNumber("1.50"), UniqueID(high: 1, low: UInt64(number)))
      (book.page, book.cover, book.isLent) = ("https://a.b/\(number)", [1, 2], number == 1)
      book.author = author
    }
    let books = try context.fetch(Book.self, sort: [.descending(\.title)])
    shelf.addToBooks(books)
    shelf.insertIntoBooks(try context.insert(Book.self), at: 0)
    let extra = shelf.books[0]
    shelf.removeFromBooks(at: 0)
    try context.delete(extra)
    shelf.replaceBooks(at: 0, with: books[0])
    shelf.addToAuthors(author)
    author.mood = "calm"
    try context.save()

    said.append(
      "books \(author.books.count), \(shelf.books.map(\.pages)), \(author.shelves.count), \(author.mood ?? "")")
    let some = try context.fetch(
      Book.self,
      where: \.pages >= 200 && \.author.fullName == "Ada" && .beginsWith(\.title, "t", .caseInsensitive)
        && \.isLent == false && \.shelf.room == 4,
      sort: [.ascending(\.added)], limit: 2)
    said.append("some \(some.map(\.pages)), \(some.map(\.weight)), \(some.map { $0.rank })")
    said.append("any \(try context.count(Author.self, where: .any(\.books, \.weight > 0.1)))")
    said.append("count \(try context.count(Author.self, where: \.books.count == 4))")
    for (pages, room) in try context.select(\.pages, \.shelf.room, from: Book.self, sort: [.ascending(\.pages)]) {
      said.append("row \(pages) \(room ?? 0)")
    }
    said.append(
      "all \(try context.fetch(Book.fetchRequest()).count), \(try context.fetch(Author.fetchRequest()).count)")
    shelf.removeFromBooks(books)
    author.removeFromShelves(shelf)
    said.append("none \(shelf.books.count), \(shelf.authors.count)")
    try coordinator.close()
    return said
  }

  /// What it says.
  static let words = [
    "books 4, [400, 300, 200, 100], 1, calm", "some [200, 300], [0.5, 0.5], [-1, -1]", "any 1", "count 1", "row 100 4",
    "row 200 4", "row 300 4", "row 400 4", "all 4, 1", "none 0, 0",
  ]
}
