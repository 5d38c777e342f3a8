import MergewalkTestSupport

/// Draws of one seed.
struct Dice {
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// A number below `count`.
  mutating func number(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
  mutating func chance(_ percent: Int) -> Bool { number(100) < percent }
  mutating func pick<Value>(_ values: [Value]) -> Value { values[number(values.count)] }
  mutating func shuffled(_ values: [String]) -> [String] { values.shuffled(using: &random) }
  /// One of `count` names, as JSON.
  mutating func name(_ letter: String, _ count: Int) -> String { "\"\(letter)\(number(count))\"" }
}

extension BookImport {
  /// A model with relationships of every kind, with or without inverses, and all delete rules.
  static func model(
    _ dice: inout Dice, _ family: Set<String>, isOrdered: Bool, isRequired: Bool, isUnique: Bool
  ) -> String {
    func rule() -> String { dice.pick(["nullify", "nullify", "cascade", "deny"]) }
    func entity(_ name: String, _ text: String) -> String {
      "  \(name):\n" + (family.contains(name) ? "    parent: Thing\n" : "") + text + "\n"
    }
    var model = "entities:\n" + (family.isEmpty ? "" : "  Thing: { abstract: true }\n")
    model += entity(
      "Book",
      """
          attributes: { k: string!, v: integer32, isbn: string }
          relationships:
            author: { to_one: Person, inverse: books, delete: nullify }
            tag: { to_one: Tag }
            sequel: { to_one: Book, inverse: prequels, delete: \(dice.pick(["nullify", "nullify", "cascade"])) }
            prequels: { to_many: Book, inverse: sequel, delete: nullify }
            lines: { to_many: Line, inverse: book, ordered: \(isOrdered), delete: \(rule()) }
            fans: { to_many: Person, inverse: favourite, delete: \(rule()) }
            tags: { to_many: Tag, inverse: tagged }
            cover: { to_one: Tag, inverse: covers }
          unique: [k\(isUnique ? ", isbn" : "")]
      """)
    model += entity(
      "Person",
      """
          attributes: { e: string!, name: string }
          relationships:
            books: { to_many: Book, inverse: author, delete: \(rule()) }
            favourite: { to_one: Book, inverse: fans }
            boss: { to_one: Person }
            plines: { to_many: Line, inverse: person, delete: \(rule()) }
          unique: [e]
      """)
    model += entity(
      "Tag",
      """
          attributes: { n: string! }
          relationships: { tagged: { to_many: Book, inverse: tags }, covers: { to_one: Book, inverse: cover } }
          unique: [n]
      """)
    model += entity(
      "Line",
      """
          attributes: { no: integer16!, t: string }
          relationships:
            book: { to_one: Book, inverse: lines, required: \(isRequired) }
            part: { to_one: Tag }
            person: { to_one: Person, inverse: plines }
            nxt: { to_one: Line }
            figures: { to_many: Figure, inverse: line, delete: \(rule()) }
      """)
    model += entity(
      "Figure",
      """
          attributes: { l: string!, c: string }
          relationships:
            line: { to_one: Line, inverse: figures }
            who: { to_one: Person }
      """)
    return model
  }

  // MARK: What is stored

  /// What a store holds, by the keys of the objects: their values, what they refer to, their tags, and the lines of each
  /// book in their order.
  func objects(_ folder: TemporaryFolder) throws -> [String] {
    func rows(_ sql: String) throws -> [String] { try folder.rows(sql, of: "s.sqlite") }
    func objects(_ entity: String, _ columns: [String], more: String = "") throws -> [String] {
      try rows(
        "SELECT '\(entity)', \(([label(entity, "o")] + columns).joined(separator: ", ")) FROM \(table(entity)) AS o"
          + " WHERE o.Z_ENT = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '\(entity)')\(more)")
    }
    var found = try objects(
      "Book",
      ["o.ZV", "o.ZISBN", target("o.ZAUTHOR", "Person")]
        + [target("o.ZTAG", "Tag"), target("o.ZSEQUEL", "Book"), target("o.ZCOVER", "Tag")])
    found += try objects("Person", ["o.ZNAME", target("o.ZFAVOURITE", "Book"), target("o.ZBOSS", "Person")])
    found += try objects("Tag", [target("o.ZCOVERS", "Book")])
    found += try objects("Line", [target("o.ZPART", "Tag"), target("o.ZPERSON", "Person"), target("o.ZNXT", "Line")])
    found += try objects("Figure", ["o.ZC", target("o.ZLINE", "Line"), target("o.ZWHO", "Person")])
    let join = try rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'Z_[0-9]*'")
    let columns = try rows("SELECT name FROM pragma_table_info('\(join.first ?? "")')")
    let books = columns.first { $0.contains("TAGGED") } ?? ""
    let tags = columns.first { $0.contains("TAGS") } ?? ""
    found += try rows(
      "SELECT 'tags', \(target("o.\(books)", "Book")), \(target("o.\(tags)", "Tag")) FROM \(join.first ?? "") AS o")
    found.sort()
    guard isOrdered else { return found }
    let order = " AND o.ZBOOK IS NOT NULL ORDER BY 3, o.Z_FOK_BOOK"
    return try found + objects("Line", [target("o.ZBOOK", "Book")], more: order)
  }

  private func table(_ entity: String) -> String { "Z" + (family.contains(entity) ? "THING" : entity.uppercased()) }

  /// What an object is known by, as SQL.
  private func label(_ entity: String, _ row: String) -> String {
    if entity != "Line" { return "\(row).Z\((Self.keys[entity] ?? "").uppercased())" }
    return "\(row).ZNO || '/' || ifnull(\(row).ZT, '-') || '@' || \(target("\(row).ZBOOK", "Book"))"
  }

  /// What a column refers to, as SQL; an exclamation mark where it leads to nothing.
  private func target(_ column: String, _ entity: String) -> String {
    let row = entity.lowercased()
    return "CASE WHEN \(column) IS NULL THEN '-' ELSE ifnull((SELECT \(label(entity, row)) FROM \(table(entity))"
      + " AS \(row) WHERE \(row).Z_PK = \(column)), '!') END"
  }
}
