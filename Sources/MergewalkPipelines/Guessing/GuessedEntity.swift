import MergewalkDiagnostics
import MergewalkRecordFormats

/// An entity that the records of a source become.
struct GuessedEntity {
  let sample: SourceSample
  let name: String
  var attributes: [GuessedAttribute] = []
  /// The attributes that identify an object, by number; none when nothing does.
  var key: [Int] = []
  /// Why these.
  var keyEvidence = ""
  var relationships: [GuessedRelationship] = []
  /// The relationships that others have to it, by name.
  var inverses: [GuessedInverse] = []
  /// The questions for a person to decide about the entity.
  var questions: [String] = []
  /// The names of properties that are taken, in lower case.
  var names: Set<String> = []

  /// The names of the other sources' entities, in lower case.
  private let others: Set<String>

  init(_ sample: SourceSample, name: String, others: [String] = []) {
    self.sample = sample
    self.name = name
    self.others = Set(others.map { $0.lowercased() }).subtracting([name.lowercased()])
    for (column, path) in sample.columns.enumerated() {
      let words = sample.definition.format.hasFixedColumns ? path : path.split(separator: "\\").joined()
      let property = GuessedNames.unique(GuessedNames.property(words, of: name), in: &names)
      attributes.append(GuessedAttribute(column: column, name: property, of: sample))
    }
    chooseKey()
    askAboutKinds()
    askAboutLists()
    if let map = RecordMap(sample) { questions.append(map.question) }
  }

  // MARK: Keys

  private mutating func chooseKey() {
    let unique = attributes.indices.filter { isKeyable($0) && sample.uniqueColumns.contains(attributes[$0].column) }
    let scored = unique.map { (index: $0, score: score($0)) }.filter { $0.score > 0 }
      .sorted { ($1.score, $0.index) < ($0.score, $1.index) }
    for (place, candidate) in scored.prefix(Self.mostSearches).enumerated() where isKey([candidate.index]) {
      let others = scored.dropFirst(place + 1).prefix(5).map { attributes[$0.index].name }
      if !others.isEmpty { keyEvidence += "; so could \(others.joined(separator: ", "))" }
      return
    }
    let parts = attributes.indices.filter { isKeyable($0) && isReference($0) && hasAll($0) }
    if (2...4).contains(parts.count), sample.records > sample.rejects,
      sample.isUnique(parts.map { attributes[$0].column }), isKey(parts)
    {
      return
    }
    let names = unique.prefix(5).map { attributes[$0].name }
    // What is named like a key and repeats is often the key of records that come again.
    if let index = attributes.indices.first(where: { isKeyable($0) && score($0) >= 70 }) {
      let attribute = attributes[index]
      let different = sample.hashes(attribute.column).count
      questions.append(
        "\(attribute.name) has \(PrintableText.grouped(different)) different values in"
          + " \(PrintableText.count(sample.profiles[attribute.column].records, "record")): is it the key? then find_by: [\(attribute.name)], without mode"
      )
    }
    questions.append(
      "no column is a key by its name and its values, so each run inserts all records again"
        + (names.isEmpty ? "" : "; unique in the sample: \(names.joined(separator: ", "))"))
  }

  /// So many columns are looked for in a whole source at most.
  private static let mostSearches = 3

  /// Takes some attributes as the key if no record of the whole source contradicts it, as far as that can be told.
  private mutating func isKey(_ parts: [Int]) -> Bool {
    let names = parts.map { attributes[$0].name }.joined(separator: ", ")
    let seen =
      parts.count == 1
      ? "\(PrintableText.count(sample.profiles[attributes[parts[0]].column].values, "value")), all different, none missing"
      : "no two records have the same values in all of them, none is missing"
    if sample.isWhole {
      keyEvidence = seen
    } else {
      switch KeySearch(definition: sample.definition).look(parts.map { attributes[$0].columnName }) {
      case .unique(let records):
        keyEvidence = "\(PrintableText.count(records, "record")), which are all, have different values, none is missing"
      case .repeated(let line):
        questions.append("\(names) looks like a key, but the record on line \(line) has the value of an earlier one")
        return false
      case .missing(let line):
        questions.append("\(names) looks like a key, but the record on line \(line) has no value")
        return false
      case .unknown(let reason):
        keyEvidence = seen + " in the first \(PrintableText.count(sample.records, "record"))"
        questions.append(
          "\(names) was looked at in the first \(PrintableText.count(sample.records, "record")) only, because of the source:"
            + " \(reason); is it different in all others, too?")
      }
    }
    key = parts
    return true
  }

  private func isKeyable(_ index: Int) -> Bool {
    // What is spelt in two ways may be one value.
    if attributes[index].trims || attributes[index].verdict.groupMark != nil { return false }
    switch attributes[index].verdict.type {
    case .integer, .uuid: return true
    case .text: return sample.profiles[attributes[index].column].longest <= 100
    default: return false
    }
  }

  private func hasAll(_ index: Int) -> Bool {
    let profile = sample.profiles[attributes[index].column]
    return profile.values == profile.records && profile.missing(as: attributes[index].verdict.type) == 0
      && profile.records > 0
  }

  private func isReference(_ index: Int) -> Bool {
    let last = GuessedNames.words(attributes[index].columnName).last?.lowercased()
    return last == "id" || last == "key" || last == "code"
  }

  /// How much a unique column looks like the key: by its name, its place, its type.
  private func score(_ index: Int) -> Int {
    let attribute = attributes[index]
    guard hasAll(index) else { return 0 }
    let words = GuessedNames.words(attribute.columnName).map { $0.lowercased() }
    let plain = words.joined()
    let entity = name.lowercased()
    var score = 0
    if plain == "id" || plain == entity + "id" {
      score = 100
    } else if plain == "uuid" || plain == "guid" || plain == entity {
      score = 90
    } else if plain.hasPrefix(entity), let last = words.last, Self.keyWords.contains(last) {
      score = 80
    } else if let last = words.last, Self.keyWords.contains(last) {
      // The key of another source may also be that of a table that adds to it, where many records have it once each.
      let isForeign = others.contains { plain.hasPrefix($0) && plain.count == $0.count + last.count }
      score = isForeign ? sample.records >= 20 ? 20 : 0 : index == 0 ? 70 : 40
    } else if index == 0, attribute.verdict.type != .text || sample.records >= 20 {
      score = 30
    }
    return score
  }

  private static let keyWords: Set<String> = [
    "id", "uuid", "guid", "key", "code", "number", "no", "nr", "sku", "isbn", "ean", "gtin", "iata", "icao", "iso",
    "email",
    "slug", "symbol",
  ]

  /// Asks about what the sample does not decide: columns of one file only, and records of several kinds.
  private mutating func askAboutKinds() {
    if let (path, names) = sample.furtherColumns {
      questions.append(
        "“\(path)” has columns that the first file does not have: \(names.joined(separator: ", ")); they are not imported. Name them"
          + " in the pipeline, with “contract: { missing: evolve }” for the files without them, or list them under “ignore”"
      )
    }
    for (column, objects, empty) in sample.emptyObjects {
      questions.append(
        "\(column) is an object in \(PrintableText.count(objects, "record")) and an empty text in"
          + " \(PrintableText.grouped(empty)), where its members are absent. Does that text mean no object? If not, take"
          + " \(column) itself, as text")
    }
    if sample.elements.count > 1, !isEnvelope || !attributes.contains(where: { sample.profiles[$0.column].lists > 0 }) {
      let most = sample.elements.max { $0.count < $1.count }?.name ?? ""
      let counts = sample.elements.prefix(6).map { "\($0.name) \($0.count)" }.joined(separator: ", ")
      questions.append(
        "the records are elements of \(sample.elements.count) names (\(counts)). Are only some of them records? Then guess again"
          + " with --option 'records=/*/\(most)'")
    }
  }

  /// Whether the document is rather an envelope around the records: it has one, or each of its elements stands once.
  private var isEnvelope: Bool {
    sample.isWhole && (sample.records == 1 || sample.records == sample.elements.count)
  }

  private mutating func askAboutLists() {
    for attribute in attributes where sample.profiles[attribute.column].lists > 0 {
      let name = attribute.columnName.split(separator: RecordFormat.wholeElement).joined()
      let element = sample.elements.dropFirst(sample.firstRecord(with: attribute.column)).first?.name
      let path =
        sample.definition.formatName.isJSON
        ? "$.\(name)" : element.map { "/*/\($0)/" + name.split(separator: ".").joined(separator: "/") }
      questions.append(
        isEnvelope && path != nil
          ? "\(name) holds a list, kept as JSON text. Are its elements the records? Then guess again with"
            + " --option 'records=\(path ?? "")'; for a to-many relationship read the same file once more with each: \(name)"
          : "\(name) holds lists, kept as JSON text; for a to-many relationship read the same file once more with"
            + " each: \(name)")
    }
  }
}
