import MergewalkDiagnostics

/// An order as a text: `name,-placed,title:localized`.
package enum SortKeys {
  /// The words behind `:`.
  package static let comparisons: [(word: String, comparison: ObjectSortDescriptor.Comparison)] = [
    ("c", .folded(.caseInsensitive)), ("d", .folded(.diacriticInsensitive)),
    ("cd", .folded([.caseInsensitive, .diacriticInsensitive])), ("localized", .localized),
    ("localized-c", .localizedCaseInsensitive), ("natural", .localizedStandard),
  ]

  /// Reads the keys, which are key paths of the entity or names of columns.
  ///
  /// - Throws: ``PredicateError`` with its place in the text.
  package static func read(_ text: String, in scope: ModelScope) throws(PredicateError) -> [ObjectSortDescriptor] {
    var descriptors: [ObjectSortDescriptor] = []
    var offset = 0
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      descriptors.append(try descriptor(part, offset: offset, in: scope.reading(text)))
      offset += part.utf8.count + 1
    }
    return descriptors
  }

  private static func descriptor(
    _ part: Substring, offset: Int, in scope: ModelScope
  ) throws(PredicateError) -> ObjectSortDescriptor {
    var rest = part
    while rest.first == " " { rest = rest.dropFirst() }
    while rest.last == " " { rest = rest.dropLast() }
    let ascending = rest.first != "-"
    if let sign = rest.first, sign == "-" || sign == "+" { rest = rest.dropFirst() }
    let start = offset + part.utf8.distance(from: part.startIndex, to: rest.startIndex)
    let pieces = rest.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let key = String(pieces.first ?? "")
    guard let path = PropertyPath(key) else {
      throw PredicateError(
        .syntax, "expected a key path, found \(key.isEmpty ? "nothing" : "“\(key)”")",
        hint: "keys are like name, -placed or customer.name:cd"
      ).shifted(by: start, in: scope.source)
    }
    // A column's name is any text.
    let name = scope.columns[key] == nil ? path.text : key
    if scope.columns[name] == nil { _ = try scope.target(path.components, from: scope.entity) }
    guard pieces.count == 2 else { return ObjectSortDescriptor(name, ascending: ascending) }
    guard let known = comparisons.first(where: { $0.word == pieces[1] }) else {
      let words = comparisons.map(\.word)
      let near = NearestName.find(String(pieces[1]), in: words).map { "did you mean \($0)?" }
      throw PredicateError(
        .syntax, "expected \(words.dropLast().joined(separator: ", ")) or \(words.last ?? ""), found “\(pieces[1])”",
        hint: ["asc", "desc", "ascending", "descending"].contains(pieces[1].lowercased())
          ? "write \(pieces[1].lowercased().hasPrefix("d") ? "-" : "")\(key)" : near
      ).shifted(by: start + key.utf8.count + 1, in: scope.source)
    }
    return ObjectSortDescriptor(name, ascending: ascending, comparison: known.comparison)
  }
}
