/// Suggestions for misspelt names.
package enum NearestName {
  /// Returns the candidate with the smallest edit distance to `name`, if it is near enough to be meant.
  ///
  /// Near enough is a distance of at most a third of the longer name's length (at least 1), letters compared
  /// without case and without white space around the names; ties go to the candidate that comes first. Without one, a
  /// name that a single candidate begins with means that one: one of at least four letters, or of two where the candidate
  /// has at most five. Names of two or three letters mean it also when another candidate is near.
  ///
  /// - Complexity: O(candidates × name length × candidate length).
  package static func find(_ name: String, in candidates: some Sequence<String>) -> String? {
    let wanted = Array(bare(name).utf8)
    if wanted.isEmpty { return nil }
    var best: (name: String, distance: Int)?
    var longer: [String] = []
    for candidate in candidates {
      let other = Array(bare(candidate).utf8)
      if wanted.count >= (other.count > 5 ? 4 : 2), other.starts(with: wanted) { longer.append(candidate) }
      let limit = max(1, max(wanted.count, other.count) / 3)
      // The distance is at least what one is longer than the other.
      guard abs(wanted.count - other.count) <= limit else { continue }
      let distance = editDistance(wanted, other)
      if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    // Of two or three letters, one that differs says less than all that are the same.
    if longer.count == 1, wanted.count < 4, best?.distance != 0 { return longer[0] }
    return best?.name ?? (longer.count == 1 ? longer[0] : nil)
  }

  /// Advice about a name that does not exist: the nearest candidate, or the list of candidates; `nil` when there are
  /// none.
  package static func hint(for name: String, among candidates: [String]) -> String? {
    if let nearest = find(name, in: candidates) {
      // What cannot be seen is said.
      var padding = ""
      if bare(nearest) == bare(name) {
        if bare(name) != name.lowercased() { padding = ", without the white space around it" }
        if bare(nearest) != nearest.lowercased() { padding = ", with the white space around it" }
      }
      return "did you mean “\(nearest)”\(padding)?"
    }
    if candidates.isEmpty { return nil }
    let shown = likeliest(name, among: candidates)
    let others = candidates.count - shown.count
    return "there is " + shown.joined(separator: ", ")
      + (others > 0 ? " and \(PrintableText.count(others, "other"))" : "")
  }

  /// How many candidates a list of them has.
  private static let mostShown = 12

  /// The candidates for a list, in their order: of too many, those most like the name.
  ///
  /// - Complexity: O(candidates × name length × candidate length).
  private static func likeliest(_ name: String, among candidates: [String]) -> [String] {
    guard candidates.count > mostShown else { return candidates }
    let wanted = bare(name)
    func distance(_ candidate: String) -> Int {
      let other = bare(candidate)
      // One name in the other says more than equal letters.
      let isPart = wanted.utf8.count > 2 && other.utf8.count > 2 && (other.contains(wanted) || wanted.contains(other))
      return isPart ? 0 : editDistance(Array(wanted.utf8), Array(other.utf8))
    }
    let ranked = candidates.enumerated().map { (place: $0.offset, distance: distance($0.element)) }
      .sorted { ($0.distance, $0.place) < ($1.distance, $1.place) }
    return ranked.prefix(mostShown).map(\.place).sorted().map { candidates[$0] }
  }

  /// Advice about a text that lacks the colon behind one of the names: `from born`; `nil` for another.
  package static func colonHint(for text: String, among names: some Sequence<String>) -> String? {
    names.first { text.hasPrefix($0 + " ") }.map { "write “\($0): \(text.dropFirst($0.count + 1))”" }
  }

  /// A name without what is seen badly: capital letters, and white space or a byte order mark around it.
  private static func bare(_ name: String) -> String {
    func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
      scalar.properties.isWhitespace || scalar.properties.generalCategory == .format
    }
    var scalars = name.unicodeScalars.drop(while: isUnseen)
    while let last = scalars.last, isUnseen(last) { scalars.removeLast() }
    return String(scalars).lowercased()
  }

  /// The Levenshtein distance, in which two neighbours that changed places are one edit too, with three rows of memory.
  static func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    if left.isEmpty || right.isEmpty { return max(left.count, right.count) }
    var previous = Array(0...right.count)
    var current = previous
    var beforePrevious = previous
    for i in left.indices {
      current[0] = i + 1
      for j in right.indices {
        let substitution = previous[j] + (left[i] == right[j] ? 0 : 1)
        current[j + 1] = min(substitution, previous[j + 1] + 1, current[j] + 1)
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
          current[j + 1] = min(current[j + 1], beforePrevious[j - 1] + 1)
        }
      }
      swap(&beforePrevious, &previous)
      swap(&previous, &current)
    }
    return previous[right.count]
  }
}
