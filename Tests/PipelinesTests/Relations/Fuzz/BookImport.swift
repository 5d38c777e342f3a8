import MergewalkTestSupport

/// A random pipeline of books with references and lists that meet: people, tags, lines and figures are found and made in
/// several ways, some of them in one hierarchy with the books; with records for the run before and for the run itself.
struct BookImport {
  /// The entities that are in one hierarchy.
  let family: Set<String>
  /// Whether the lines of a book have an order.
  let isOrdered: Bool
  /// The model as YAML.
  let model: String
  /// The records of the run that comes before, without any policies; empty for a new store.
  let before: String
  /// The records of the run itself.
  let records: String
  /// The records of its second import; empty when it has none.
  let others: String
  private let mode: String
  private let duplicates: String
  private let relationships: [String]
  private let other: (entity: String, mode: String)
  private let options: String

  static let keys = ["Book": "k", "Person": "e", "Tag": "n", "Line": "no", "Figure": "l"]

  /// - Parameter isInterrupted: Whether the run is resumed: then an object is found again by its key alone.
  init(seed: UInt64, isInterrupted: Bool = false) {
    var dice = Dice(seed: seed)
    let isOne = dice.chance(35)
    family = Set(["Book", "Person", "Tag", "Line", "Figure"].filter { _ in dice.chance(50) || isOne })
    isOrdered = dice.chance(30)
    let isRequired = dice.chance(15)
    let isUnique = dice.chance(30)
    model = Self.model(&dice, family, isOrdered: isOrdered, isRequired: isRequired, isUnique: isUnique)
    // An author of the books' own hierarchy can have no boss.
    let hasBoss = !family.isSuperset(of: ["Book", "Person"])
    let relationships = Self.relationships(&dice, isRequired: isRequired, hasBoss: hasBoss)
    self.relationships = relationships
    let modes = ["update", "insert", "create-missing", "sync", "sync", "replace"]
    mode = dice.pick(Array(repeating: "upsert", count: 5) + modes)
    duplicates = dice.pick(["last", "last", "last", "first", "reject"])
    // A line that needs a book is made by none of these.
    let entities = ["", "", "", "Person", "Tag", "Figure", "Book"] + (isRequired ? [] : ["Line"])
    let (entity, wanted) = (dice.pick(entities), dice.pick(["sync", "sync", "upsert", "update"]))
    // Lines may share a number, and of those to which a record referred the first one may have been deleted since.
    let isAmbiguous = isInterrupted && entity == "Line" && relationships.contains { $0.contains("nxt: ") }
    other = (entity, isAmbiguous && wanted == "sync" ? "upsert" : wanted)
    let (find, memory) = (dice.pick(["", "", "find: seek\n", "find: scan\n"]), dice.chance(20))
    options = find + (memory ? "memory: { keys: 2000 }\n" : "")
    let first = dice.pick([0, 4, 4, 8])
    before = Self.records(&dice, count: first, bad: 0, isUnique: isUnique)
    let (count, bad) = (dice.pick([4, 8, 14]), dice.pick([0, 12, 25]))
    records = Self.records(&dice, count: count, bad: bad, isUnique: isUnique)
    let names = [
      "Person": ["\"p0\"", "\"p1\"", "\"p5\""], "Tag": ["\"t0\"", "\"t1\""], "Line": ["1", "2"],
      "Figure": ["\"f0\"", "\"f1\""], "Book": ["\"b1\"", "\"b2\"", "\"b7\""],
    ]
    others = names[other.entity].map { names in (0..<2).map { _ in "{\"x\": \(dice.pick(names))}\n" }.joined() } ?? ""
  }

  // MARK: Pipelines

  /// The pipeline as YAML, with batches of some records.
  func pipeline(batch: Int) -> String {
    text(options, batch: batch, mode: mode, duplicates: duplicates, relationships, hasOthers: !others.isEmpty)
  }

  /// The pipeline of the run before, which makes everything that its records name.
  var firstPipeline: String {
    let policies = ["missing: reject, ", "missing: \"null\", ", "mode: update, ", "mode: create-missing, "]
    let plain = relationships.map { text in
      policies.reduce(text) { $0.replacingAll($1, with: "") }
        .replacingAll("nxt: { ", with: "nxt: { missing: \"null\", ")
    }
    return text("", batch: 1, mode: "upsert", duplicates: "last", plain, hasOthers: false)
  }

  private func text(
    _ options: String, batch: Int, mode: String, duplicates: String, _ relationships: [String], hasOthers: Bool
  ) -> String {
    func sync(_ mode: String) -> String {
      mode == "sync" || mode == "replace" ? ", sync: { unreadable: delete, allow_empty: true }" : ""
    }
    func part(_ name: String, _ file: String, _ fields: String, _ relationships: [String]) -> String {
      """
        - name: \(name)
          source: { files: \(file), format: ndjson }
          import: {
            \(fields),
            relationships: {
              \(relationships.joined(separator: ",\n        ")) } }

      """
    }
    let books = "entity: Book, find_by: [k], mode: \(mode), duplicates: \(duplicates)\(sync(mode))"
    var text = "model: model.yaml\nstore: s.sqlite\nrejects: rejects.ndjson\n"
    text += "batch: { records: \(batch) }\n\(options)imports:\n"
    text += part("books", "b.ndjson", books + ", attributes: { k: k, v: v, isbn: isbn }", relationships)
    if hasOthers {
      let key = Self.keys[other.entity] ?? ""
      let fields = "entity: \(other.entity), find_by: [\(key)], mode: \(other.mode)\(sync(other.mode))"
      text += part("others", "o.ndjson", fields + ", attributes: { \(key): x }", [])
    }
    return text
  }

  /// The relationships of the records, in a random order.
  private static func relationships(_ dice: inout Dice, isRequired: Bool, hasBoss: Bool) -> [String] {
    func missing() -> String { dice.pick(["", "", "missing: reject, ", "missing: \"null\", "]) }
    func policy() -> String {
      let mode = dice.pick(["", "", "", "", "mode: update, ", "mode: create-missing, "])
      // What is made where it is not there is never missing.
      return mode == "mode: create-missing, " ? mode : mode + missing()
    }
    func fate(isNeeded: Bool = false) -> String {
      dice.pick((isNeeded ? [] : ["", ""]) + ["links: add, ", "orphans: delete, ", "orphans: delete, "])
    }
    func scope() -> String { dice.pick(["", "find_in: everywhere, "]) }
    func lines() -> String {
      var inner: [String] = []
      if dice.chance(50) { inner.append("part: { \(missing())find_by: { n: part } }") }
      if dice.chance(30) { inner.append("person: { \(missing())find_by: { e: person } }") }
      if dice.chance(30) {
        inner.append("nxt: { \(dice.pick(["missing: reject, ", "missing: \"null\", "]))find_by: { no: nxt } }")
      }
      if dice.chance(50) {
        let who = dice.chance(30) ? ", relationships: { who: { \(missing())find_by: { e: who } } }" : ""
        inner.append(
          "figures: { each: figures, \(policy())\(fate())\(scope())find_by: { l: l }, attributes: { c: c }\(who) }")
      }
      let relationships = inner.isEmpty ? "" : ", relationships: { \(inner.joined(separator: ", ")) }"
      let options = policy() + fate(isNeeded: isRequired) + scope()
      return "lines: { each: lines, \(options)find_by: { no: no }, attributes: { t: t }\(relationships) }"
    }
    var parts: [String] = []
    if dice.chance(60) {
      let boss = dice.chance(40) && hasBoss ? ", relationships: { boss: { \(missing())find_by: { e: boss } } }" : ""
      parts.append("author: { \(policy())find_by: { e: author }, attributes: { name: author_name }\(boss) }")
    }
    if dice.chance(40) { parts.append("tag: { \(missing())find_by: { n: tag } }") }
    if dice.chance(20) { parts.append("cover: { \(missing())find_by: { n: cover } }") }
    if dice.chance(40) { parts.append("sequel: { \(missing())find_by: { k: sequel } }") }
    if dice.chance(70) { parts.append(lines()) }
    if dice.chance(40) {
      parts.append("fans: { each: fans, \(policy())\(fate())find_by: { e: e }, attributes: { name: name } }")
    }
    if dice.chance(40) {
      parts.append("tags: { each: tags, \(dice.pick(["", "", "", "links: add, "]))\(missing())find_by: { n: . } }")
    }
    return dice.shuffled(parts)
  }

  // MARK: Records

  /// Records as JSON lines.
  ///
  /// - Parameter bad: how many of a hundred have a value that cannot be read.
  private static func records(_ dice: inout Dice, count: Int, bad: Int, isUnique: Bool) -> String {
    func line() -> String {
      var members = ["\"no\": \(dice.chance(bad / 3) ? "\"q\"" : "\(dice.number(4))")", "\"t\": \(dice.name("x", 3))"]
      if dice.chance(50) { members.append("\"part\": \(dice.name("t", 5))") }
      if dice.chance(50) { members.append("\"person\": \(dice.name("p", 6))") }
      if dice.chance(40) { members.append("\"nxt\": \(dice.number(5))") }
      if dice.chance(60) {
        let figures = (0..<dice.number(3)).map { _ in
          let who = dice.chance(50) ? ", \"who\": \(dice.name("p", 6))" : ""
          return "{\"l\": \(dice.name("f", 4)), \"c\": \(dice.name("c", 3))\(who)}"
        }
        members.append("\"figures\": [\(figures.joined(separator: ", "))]")
      }
      return "{\(members.joined(separator: ", "))}"
    }
    func record() -> String {
      var members = ["\"k\": \(dice.name("b", 6))", "\"v\": \(dice.chance(bad) ? "\"x\"" : "\(1 + dice.number(3))")"]
      if isUnique, dice.chance(60) { members.append("\"isbn\": \(dice.name("i", 5))") }
      let fields = [
        ("author", 70, "p", 5), ("author_name", 50, "N", 3), ("boss", 40, "p", 6), ("tag", 60, "t", 5),
        ("cover", 50, "t", 5), ("sequel", 60, "b", 8),
      ]
      for (field, share, letter, count) in fields where dice.chance(share) {
        members.append("\"\(field)\": \(dice.name(letter, count))")
      }
      if dice.chance(80) {
        let lines = (0..<dice.number(4)).map { _ in line() }
        members.append("\"lines\": [\(lines.joined(separator: ", "))]")
      }
      if dice.chance(70) {
        let fans = (0..<dice.number(3)).map { _ in "{\"e\": \(dice.name("p", 6)), \"name\": \(dice.name("N", 3))}" }
        members.append("\"fans\": [\(fans.joined(separator: ", "))]")
      }
      if dice.chance(70) {
        let tags = (0..<dice.number(3)).map { _ in dice.name("t", 6) }
        members.append("\"tags\": [\(tags.joined(separator: ", "))]")
      }
      return "{\(members.joined(separator: ", "))}\n"
    }
    return (0..<count).map { _ in record() }.joined()
  }
}
