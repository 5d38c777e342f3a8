import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("AP6: derived attributes")
struct DerivedTests {
  static let yaml = """
    entities:
      Author:
        attributes:
          name: string
          born: { type: integer32, default: 0 }
          all: { type: double, derived: "books.@sum.authors" }
          allQuiet: { type: string, derived: "lowercase:(loud)" }
          longest: { type: integer32, derived: "books.@max.pages" }
          mean: { type: double, derived: "books.@avg.pages" }
          plain: { type: string, derived: "canonical:(name)" }
          loud: { type: string, derived: "uppercase:(name)" }
          quiet: { type: string, derived: "lowercase:(name)" }
          bookCount: { type: integer64, derived: "books.@count" }
          pages: { type: integer64, derived: "books.@sum.pages" }
          fans: { type: integer64, derived: "readers.@count" }
          touched: { type: date, derived: "now()" }
        relationships:
          books: { to_many: Book, inverse: author }
          readers: { to_many: Reader, inverse: favourites }
      Poet: { parent: Author, attributes: { poems: { type: integer64, derived: "books.@count" } } }
      Book:
        attributes:
          title: string
          pages: { type: integer32, default: 0 }
          authors: { type: integer64, derived: author.bookCount }
          authorName: { type: string, derived: author.name }
          authorPlain: { type: string, derived: "canonical:(author.name)" }
          siblings: { type: integer64, derived: "author.books.@count" }
        relationships: { author: { to_one: Author, inverse: books } }
      Review:
        attributes:
          about: { type: string, derived: "uppercase:(book.authorPlain)" }
          of: { type: string, derived: book.author.name }
        relationships: { book: { to_one: Book, inverse: reviews } }
      Reader:
        attributes: { name: string }
        relationships: { favourites: { to_many: Author, inverse: readers } }
    """

  static func model() throws -> ManagedObjectModel {
    let text = yaml.replacing(
      "{ author: { to_one: Author, inverse: books } }",
      with: "{ author: { to_one: Author, inverse: books }, reviews: { to_many: Review, inverse: book } }")
    return try ManagedObjectModel(ModelReader.parse(Array(text.utf8), path: "m.yaml"))
  }

  private func author(_ place: Workplace, _ name: String, entity: String = "Author") throws -> ManagedObject {
    let object = try place.context.insert(entity)
    try object.setValue(.string(name), forKey: "name")
    return object
  }

  private func book(_ place: Workplace, _ title: String, _ pages: Int64, by author: ManagedObject?) throws
    -> ManagedObject
  {
    let object = try place.context.insert("Book")
    try object.setValue(.string(title), forKey: "title")
    try object.setValue(.integer(pages), forKey: "pages")
    try object.setObject(author, forKey: "author")
    return object
  }

  private func authors(_ place: Workplace) throws -> [String] {
    try place.rows("SELECT ZNAME, ZBOOKCOUNT, ZPAGES FROM ZAUTHOR ORDER BY Z_PK")
  }

  @Test("canonical:, uppercase: and lowercase: follow the object's own value")
  func ap6Texts() throws {
    let place = try Workplace(try Self.model())
    let object = try author(place, "Élise Ørsted")
    try place.context.save()
    let sql = "SELECT ZPLAIN, ZLOUD, ZQUIET FROM ZAUTHOR"
    #expect(try place.rows(sql) == ["elise ørsted|ÉLISE ØRSTED|élise ørsted"])
    try object.setValue(.string("Bo"), forKey: "name")
    try place.context.save()
    #expect(try place.rows(sql) == ["bo|BO|bo"])
    try object.setValue(.null, forKey: "name")
    try place.context.save()
    #expect(try place.rows(sql) == ["null|null|null"])
    try place.verify()
  }

  @Test("the value in memory is stale until the object is saved and refreshed, and cannot be set")
  func ap6Stale() throws {
    let place = try Workplace(try Self.model())
    let object = try author(place, "Ada")
    #expect(objectErrorCode { try object.setValue(.string("x"), forKey: "plain") } == .readOnly)
    try place.context.save()
    #expect(try object["plain"] == .null)
    try place.context.refresh(object, mergingChanges: false)
    #expect(try object["plain"] == .string("ada"))
    try object.setValue(.string("Eve"), forKey: "name")
    try place.context.save()
    #expect(try object["plain"] == .string("ada"))
    try object.setValue(.integer(1990), forKey: "born")
    try place.context.save()
    #expect(try place.rows("SELECT ZPLAIN FROM ZAUTHOR") == ["eve"])
    try place.context.refresh(object, mergingChanges: false)
    #expect(try object["plain"] == .string("eve"))
    let found = try place.context.fetch(FetchRequest("Author", where: try ObjectPredicate(format: "plain == 'eve'")))
    #expect(found.first === object)
  }

  @Test("@count and @sum follow members that come, go, move and change")
  func ap6Aggregates() throws {
    let place = try Workplace(try Self.model())
    let (ada, bob) = (try author(place, "Ada"), try author(place, "Bob", entity: "Poet"))
    let one = try book(place, "One", 100, by: ada)
    let two = try book(place, "Two", 50, by: ada)
    try place.context.save()
    #expect(try authors(place) == ["Ada|2|150", "Bob|0|0"])
    try one.setObject(bob, forKey: "author")
    try place.context.save()
    #expect(try authors(place) == ["Ada|1|50", "Bob|1|100"])
    #expect(try place.rows("SELECT ZPOEMS FROM ZAUTHOR ORDER BY Z_PK") == ["null", "1"])
    try two.setValue(.integer(70), forKey: "pages")
    try place.context.save()
    #expect(try authors(place) == ["Ada|1|70", "Bob|1|100"])
    try place.context.delete(two)
    try bob.add(try book(place, "Three", 1, by: nil), to: "books")
    try place.context.save()
    #expect(try authors(place) == ["Ada|0|0", "Bob|2|101"])
    try place.context.delete(ada)
    try place.context.save()
    #expect(try authors(place) == ["Bob|2|101"])
    try place.verify()
  }

  @Test("@count over a many-to-many relationship follows pairs set at either end")
  func ap6ManyToMany() throws {
    let place = try Workplace(try Self.model())
    let (ada, bob) = (try author(place, "Ada"), try author(place, "Bob"))
    let readers = try (0..<3).map { _ in try place.context.insert("Reader") }
    for reader in readers { try ada.add(reader, to: "readers") }
    try place.context.save()
    let sql = "SELECT ZFANS FROM ZAUTHOR ORDER BY Z_PK"
    #expect(try place.rows(sql) == ["3", "0"])
    try readers[0].remove(ada, from: "favourites")
    try readers[1].add(bob, to: "favourites")
    try place.context.save()
    #expect(try place.rows(sql) == ["2", "1"])
    try place.context.delete(readers[1])
    try place.context.save()
    #expect(try place.rows(sql) == ["1", "0"])
  }

  @Test("a copy of a key path follows the value, the objects on the way, and the relationships between them")
  func ap6KeyPaths() throws {
    let place = try Workplace(try Self.model())
    let (ada, bob) = (try author(place, "Ada"), try author(place, "Bo"))
    let one = try book(place, "One", 1, by: ada)
    let review = try place.context.insert("Review")
    try review.setObject(one, forKey: "book")
    try place.context.save()
    let sql = "SELECT ZAUTHORNAME, ZAUTHORPLAIN, ZSIBLINGS, (SELECT ZOF FROM ZREVIEW) FROM ZBOOK ORDER BY Z_PK"
    #expect(try place.rows(sql) == ["Ada|ada|1|Ada"])
    try ada.setValue(.string("Éva"), forKey: "name")
    try place.context.save()
    #expect(try place.rows(sql) == ["Éva|eva|1|Éva"])
    try one.setObject(bob, forKey: "author")
    try place.context.save()
    #expect(try place.rows(sql) == ["Bo|bo|1|Bo"])
    _ = try book(place, "Two", 1, by: bob)
    try place.context.save()
    #expect(try place.rows(sql) == ["Bo|bo|2|Bo", "Bo|bo|2|Bo"])
    try place.context.delete(bob)
    try place.context.save()
    #expect(try place.rows(sql) == ["null|null|0|null", "null|null|0|null"])
  }

  @Test("an attribute that is taken from a derived one follows it, whatever their names")
  func ap6Chains() throws {
    let place = try Workplace(try Self.model())
    let ada = try author(place, "Ada")
    let (one, review) = (try book(place, "One", 1, by: ada), try place.context.insert("Review"))
    try review.setObject(one, forKey: "book")
    try place.context.save()
    let sql = "SELECT ZALLQUIET, ZALL, (SELECT ZABOUT FROM ZREVIEW) FROM ZAUTHOR ORDER BY Z_PK"
    #expect(try place.rows(sql) == ["ada|1.0|ADA"])
    try ada.setValue(.string("Éva"), forKey: "name")
    try place.context.save()
    #expect(try place.rows(sql) == ["éva|1.0|EVA"])
    let two = try book(place, "Two", 1, by: ada)
    try place.context.save()
    #expect(try place.rows(sql) == ["éva|4.0|EVA"])
    let bo = try author(place, "Bo")
    for book in [one, two] { try book.setObject(bo, forKey: "author") }
    try place.context.save()
    #expect(try place.rows(sql) == ["éva|0.0|BO", "bo|4.0|BO"])
    try place.verify()
  }

  @Test("now() is the time of the last save that wrote the object")
  func ap6Now() throws {
    let place = try Workplace(try Self.model())
    let (ada, bob) = (try author(place, "Ada"), try author(place, "Bob"))
    try place.context.save()
    let sql = "SELECT ZTOUCHED FROM ZAUTHOR ORDER BY Z_PK"
    let first = try place.rows(sql).map { try #require(Double($0)) }
    let now = ExpressionFunction.currentTime()
    #expect(first[0] == first[1] && first[0] > now - 600 && first[0] <= now)
    try ada.setValue(.integer(1), forKey: "born")
    try place.context.save()
    let second = try place.rows(sql).map { try #require(Double($0)) }
    #expect(second[0] > first[0] && second[1] == first[1])
    _ = bob
  }

  @Test("a save that fails leaves the derived values alone; versions do not move")
  func ap6Rollback() throws {
    let place = try Workplace(try Self.model())
    let ada = try author(place, "Ada")
    try place.context.save()
    #expect(try place.rows("SELECT Z_OPT, ZBOOKCOUNT FROM ZAUTHOR") == ["1|0"])
    _ = try book(place, "One", 1, by: ada)
    let store = try #require(place.coordinator.store)
    store.observers.append(Refuser())
    #expect(saveError { try place.context.save() }?.code == .store)
    store.observers.removeLast()
    #expect(try place.rows("SELECT Z_OPT, ZBOOKCOUNT FROM ZAUTHOR") == ["1|0"])
    try place.context.save()
    #expect(try place.rows("SELECT Z_OPT, ZBOOKCOUNT FROM ZAUTHOR") == ["1|1"])
    try ada.setValue(.string("Eve"), forKey: "name")
    try place.context.save()
  }

  @Test("batch requests are followed too")
  func ap6Batches() throws {
    let place = try Workplace(try Self.model())
    let ada = try author(place, "Ada")
    for i in 1...4 { _ = try book(place, "B\(i)", Int64(i), by: ada) }
    try place.context.save()
    _ = try place.context.execute(
      BatchDeleteRequest("Book", where: try ObjectPredicate(format: "pages > 3")))
    #expect(try authors(place) == ["Ada|3|6"])
  }

  // What an incremental store holds is computed by whoever keeps it.
  @Test("stores of every type compute them", arguments: StoreKind.allCases.filter { $0 != .incremental })
  func ap6StoreTypes(kind: StoreKind) throws {
    let place = try Workplace(try Self.model(), kind: kind)
    let ada = try author(place, "Ada")
    _ = try book(place, "One", 3, by: ada)
    try place.context.save()
    try place.reopen()
    let again = try #require(try place.context.fetch(FetchRequest("Author")).first)
    #expect(try again["bookCount"] == .integer(1) && again["pages"] == .integer(3) && again["plain"] == .string("ada"))
  }

  @Test("after random changes every derived value is what its expression says")
  func ap6Random() throws {
    let seed = Soak.seed(4119)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let place = try Workplace(try Self.model())
    var (authors, books, readers): ([ManagedObject], [ManagedObject], [ManagedObject]) = ([], [], [])
    for _ in 0..<40 {
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        switch Int.random(in: 0..<9, using: &random) {
        case 0:
          authors.append(
            try author(place, "Ä\(authors.count)", entity: Bool.random(using: &random) ? "Poet" : "Author"))
        case 1, 2:
          let pages = Int64.random(in: 0...9, using: &random)
          books.append(try book(place, "b", pages, by: authors.randomElement(using: &random)))
        case 3: readers.append(try place.context.insert("Reader"))
        case 4:
          try books.randomElement(using: &random)?.setObject(authors.randomElement(using: &random), forKey: "author")
        case 5:
          try books.randomElement(using: &random)?.setValue(
            .integer(Int64.random(in: 0...99, using: &random)), forKey: "pages")
        case 6:
          if let author = authors.randomElement(using: &random), let reader = readers.randomElement(using: &random) {
            if Bool.random(using: &random) {
              try author.add(reader, to: "readers")
            } else {
              try reader.remove(author, from: "favourites")
            }
          }
        case 7: try authors.randomElement(using: &random)?.setValue(.string("Ñ\(random.next() % 100)"), forKey: "name")
        default:
          if !books.isEmpty, Bool.random(using: &random) {
            try place.context.delete(books.remove(at: Int.random(in: books.indices, using: &random)))
          } else if authors.count > 2 {
            try place.context.delete(authors.remove(at: Int.random(in: authors.indices, using: &random)))
          }
        }
      }
      try place.context.save()
      let wrong = try place.rows(
        """
        SELECT 'author', Z_PK FROM ZAUTHOR AS a WHERE ZBOOKCOUNT IS NOT (SELECT count(*) FROM ZBOOK WHERE ZAUTHOR = a.Z_PK)
        OR ZPAGES IS NOT (SELECT ifnull(sum(ZPAGES), 0) FROM ZBOOK WHERE ZAUTHOR = a.Z_PK)
        UNION ALL SELECT 'book', Z_PK FROM ZBOOK AS b
        WHERE ZAUTHORNAME IS NOT (SELECT ZNAME FROM ZAUTHOR WHERE Z_PK = b.ZAUTHOR)
        OR ZSIBLINGS IS NOT (SELECT count(*) FROM ZBOOK AS o WHERE o.ZAUTHOR = b.ZAUTHOR)
        OR ZAUTHORS IS NOT (SELECT count(*) FROM ZBOOK AS o WHERE o.ZAUTHOR = b.ZAUTHOR GROUP BY o.ZAUTHOR)
        UNION ALL SELECT 'chain', Z_PK FROM ZAUTHOR AS a WHERE ZALLQUIET IS NOT ZQUIET OR ZALL IS NOT
        (SELECT count(*) * count(*) FROM ZBOOK WHERE ZAUTHOR = a.Z_PK)
        OR ZLONGEST IS NOT (SELECT max(ZPAGES) FROM ZBOOK WHERE ZAUTHOR = a.Z_PK)
        OR ZMEAN IS NOT (SELECT avg(ZPAGES) FROM ZBOOK WHERE ZAUTHOR = a.Z_PK)
        """)
      #expect(wrong.isEmpty)
      for author in authors {
        let fans = try author.objects(forKey: "readers").count
        #expect(try place.rows("SELECT ZFANS FROM ZAUTHOR WHERE Z_PK = \(author.objectID.primaryKey)") == ["\(fans)"])
      }
    }
    try place.verify()
  }
}

/// Refuses every transaction at its end.
final class Refuser: StoreObserver {
  func willWrite(_ changes: StoreChanges, to store: PersistentStore) throws(StoreError) {}
  func didWrite(_ changes: StoreChanges, to store: PersistentStore) throws(StoreError) {
    throw StoreError(.unsupported, path: store.path, message: "refused")
  }
  func didRollBack(_ store: PersistentStore) {}
}
