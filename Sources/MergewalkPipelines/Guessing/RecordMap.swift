import MergewalkDiagnostics
import MergewalkRecordFormats

/// An object in the only record of a document whose members are objects that have members in common: a map, with what
/// may be the records in it.
struct RecordMap {
  /// The names of the members that lead to the object; none when it is the record.
  private let way: [Substring]
  /// How many objects are in it.
  let count: Int
  /// The paths of what these have.
  private let inner: Set<Substring>
  private let isJSON: Bool

  /// Maps are looked for so deep.
  private static let deepest = 3

  /// Finds the outermost map; nil if there is none.
  init?(_ sample: SourceSample) {
    let name = sample.definition.formatName
    guard sample.records == 1, name.isJSON || [.yaml, .propertyList].contains(name) else { return nil }
    let columns = sample.columns.enumerated().map { column, path in
      let profile = sample.profiles[column]
      return (parts: path.split(separator: "."), path: path, isObject: profile.structures > 0 && profile.lists == 0)
    }
    for depth in 0..<Self.deepest {
      var met: Set<[Substring]> = []
      for column in columns where column.parts.count > depth {
        let way = Array(column.parts.prefix(depth))
        // A name with a dot would be taken for two.
        guard met.insert(way).inserted, !way.contains(where: { $0.contains("\\") }) else { continue }
        var members: [Substring: Set<Substring>] = [:]
        var isMap = true
        for other in columns where other.parts.count > depth && other.parts.starts(with: way) {
          let rest = other.parts.dropFirst(depth)
          isMap = isMap && (rest.count > 1 || other.isObject)
          if let second = rest.dropFirst().first {
            members[rest[depth], default: []].insert(other.path[second.startIndex...])
          } else {
            members[rest[depth], default: []].formUnion([])
          }
        }
        let counts = members.values.joined().reduce(into: [:]) { $0[$1, default: 0] += 1 }
        guard isMap, members.count >= 3, counts.isEmpty || counts.values.contains(where: { $0 * 2 > members.count })
        else { continue }
        (self.way, count, inner, isJSON) = (way, members.count, Set(counts.keys), name.isJSON)
        return
      }
    }
    return nil
  }

  /// Asks whether these are the records.
  var question: String {
    let place = way.isEmpty ? "the record" : "“\(way.joined(separator: "."))”"
    return
      "\(place) is an object with \(count) objects in it. Are these the records? Then make lines of them, and guess"
      + " from those: \(command)"
  }

  /// The command that makes lines of the members of the object, and of their names a member that none of them has.
  var command: String {
    var taken = Set(inner.map { $0.prefix { $0 != "." }.lowercased() })
    let name = GuessedNames.unique("key", in: &taken)
    let path = way.map { ".\"\($0)\"" }.joined()
    return (isJSON ? "" : "convert the file to JSON, then ")
      + "jq -c '\(path.isEmpty ? "" : path + " | ")to_entries[] | \(name == "key" ? "{key}" : "{\(name): .key}") + .value'"
  }
}
