/// The type of a column's values, as far as they determine it without a doubt.
package enum ColumnType: Sendable, Hashable {
  /// Whole numbers of 64 bits.
  case integer
  /// Numbers with a fraction of at most 15 digits altogether.
  case decimal
  /// Other numbers of which a double loses no digit.
  case double
  /// `true` and `false`.
  case boolean
  /// Dates: in ISO 8601, or in a pattern of UTS 35.
  case date(pattern: String?)
  case uuid
  /// Objects and lists, as their JSON text.
  case json
  /// Everything else, and everything that may mean two things.
  case text

  /// One word: `integer`, `date` ...
  package var name: String {
    switch self {
    case .integer: "integer"
    case .decimal: "decimal"
    case .double: "double"
    case .boolean: "boolean"
    case .date: "date"
    case .uuid: "uuid"
    case .json: "json"
    case .text: "text"
    }
  }
}

extension ColumnProfile {
  /// The types of the columns of one source, which are judged together.
  static func verdicts(_ profiles: [ColumnProfile], named names: [String]) -> [Verdict] {
    let proofs = profiles.enumerated().compactMap { index, profile in
      profile.provenDecimalMark.map {
        DecimalProof(mark: $0, column: names.indices.contains(index) ? names[index] : "")
      }
    }
    // Columns that contradict each other prove nothing.
    let proof = proofs.first { first in proofs.allSatisfy { $0.mark == first.mark } }
    return profiles.map { $0.verdict(proof) }
  }

  /// How many values there are without the spellings of null.
  var plainValues: Int { values - nullCounts.reduce(0, +) }

  /// Decides; what could mean two things is text.
  ///
  /// - Parameter proof: the decimal mark that another column of the source shows.
  private func verdict(_ proof: DecimalProof?) -> Verdict {
    let count = plainValues
    guard count > 0 else {
      return Verdict(
        type: .text, evidence: values == 0 ? [] : ["nothing but " + spellings.joined(separator: ", ")])
    }
    var verdict: Verdict
    if booleans == count {
      verdict = Verdict(type: .boolean, evidence: ["true or false"])
    } else if uuids == count {
      verdict = Verdict(type: .uuid)
    } else if dates == count {
      verdict = dateVerdict(count)
    } else if strings == 0, numbers == count {
      verdict = numberVerdict(proof)
    } else {
      return textVerdict(count)
    }
    if verdict.type != .text { verdict.nullSpellings = spellings }
    return verdict
  }

  var spellings: [String] {
    Self.nullSpellings.indices.filter { nullCounts[$0] > 0 }.map { Self.nullSpellings[$0] }
  }
}
