import MergewalkDiagnostics
import MergewalkRecordFormats

/// An object in the only record of a document whose members are objects that have members in common: a map, with what
/// may be the records in it.
struct RecordMap {
  /// The names of the members that lead to the object; none when it is the record.
  private let way: [String]
  /// How many objects are in it.
  let count: Int
  /// The names of what these have, and of what is deeper in them.
  private let inner: Set<[String]>
  private let isJSON: Bool

  /// Maps are looked for so deep.
  private static let deepest = 3

  /// Finds the outermost map; nil if there is none.
  init?(_ sample: SourceSample) {
    let name = sample.definition.formatName
    guard sample.records == 1, name.isJSON || [.yaml, .propertyList].contains(name) else { return nil }
    let columns = sample.columns.enumerated().map { column, path in
      let profile = sample.profiles[column]
      return (
        names: JSONReader.memberNames(ofPath: path) ?? [path], isObject: profile.structures > 0 && profile.lists == 0
      )
    }
    for depth in 0..<Self.deepest {
      var met: Set<[String]> = []
      for column in columns where column.names.count > depth {
        let way = Array(column.names.prefix(depth))
        guard met.insert(way).inserted else { continue }
        var members: [String: Set<[String]>] = [:]
        var isMap = true
        for other in columns where other.names.count > depth && other.names.starts(with: way) {
          let rest = other.names.dropFirst(depth)
          isMap = isMap && (rest.count > 1 || other.isObject)
          members[rest[depth], default: []].formUnion(rest.count > 1 ? [Array(rest.dropFirst())] : [])
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
  private var command: String {
    var taken = Set(inner.compactMap { $0.first?.lowercased() })
    let name = GuessedNames.unique("key", in: &taken)
    let path = way.map { ".\"\(Self.quoted($0))\"" }.joined()
    return (isJSON ? "" : "convert the file to JSON, then ")
      + "jq -c '\(path.isEmpty ? "" : path + " | ")to_entries[] | \(name == "key" ? "{key}" : "{\(name): .key}") + .value'"
  }

  /// A name inside quotes of jq, which are inside quotes of the shell.
  private static func quoted(_ name: String) -> String {
    name.unicodeScalars.map { scalar in
      let isPlain = scalar.value >= 0x20 && !["\"", "'", "\\"].contains(scalar)
      let digits = String(scalar.value, radix: 16)
      return isPlain ? String(scalar) : "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined()
  }
}
