import MergewalkBytes

/// What speaks for a first record of text above columns of values being a record all the same.
///
/// A record whose numbers and dates are all missing looks as names do. Taken for the header it would be lost, so that the
/// decision stays, and is told of.
enum HeaderDoubt {
  /// Words for a missing value besides ``CellKind/missingWords``; none is a likely name of a column of values.
  private static let missingWords: Set<String> = [
    "unknown", "missing", "n.a.", "not available", "not applicable", "not known", "no data", "undefined", "tbd", "tba",
    "..", "...", "unbekannt", "k.a.", "inconnu", "desconocido", "sconosciuto", "onbekend", "ukendt",
  ]

  /// A clause about the first sign of it; nil where there is none.
  ///
  /// - Parameters:
  ///   - names: the texts of the record.
  ///   - kinds: what they are, as far as nothing shows them to be words (``NameSeries``).
  ///   - isTyped: whether the columns hold numbers, dates and so on.
  ///   - below: the texts of each column below.
  ///   - isUnit: the record may name units, of which a dash is none.
  static func clause(
    _ names: [String], _ kinds: [CellKind], _ isTyped: [Bool], _ below: [Set<String>], isUnit: Bool = false
  ) -> String? {
    for (i, name) in names.enumerated() where i < kinds.count && i < isTyped.count && i < below.count {
      let place = "but its field \(i + 1), “\(name)”,"
      if isTyped[i] {
        // “Na” is sodium, too.
        let isMissing = (kinds[i] == .missing && name != "Na") || missingWords.contains(name.lowercased())
        if isMissing, !isUnit { return "\(place) may mean a missing value" }
        continue
      }
      if kinds[i].isTyped { return "\(place) is a value" }
      if name.isEmpty || name.lowercased() == "id" { continue }
      if below[i].contains(name) { return "\(place) stands below, too" }
      if continues(name, below[i]) { return "\(place) is formed like all values below" }
    }
    return nil
  }

  /// Whether a text with digits has the form of all texts of its column: the same but for its digits (`x1` above `x2`), or
  /// letters and digits of the same number (hashes and the like).
  private static func continues(_ name: String, _ below: Set<String>) -> Bool {
    guard name.utf8.contains(where: \.isDigit) else { return false }
    let values = below.filter { !$0.isEmpty && !CellKind.missingWords.contains(Array($0.lowercased().utf8)) }
    if values.isEmpty { return false }
    let form = form(name)
    if values.allSatisfy({ Self.form($0) == form }) { return true }
    let isCode = name.utf8.count >= 8 && values.count >= 3
    return isCode
      && values.allSatisfy {
        $0.utf8.count == name.utf8.count && $0.utf8.contains(where: \.isDigit)
          && zip($0.utf8, name.utf8).allSatisfy { isSign($0) == isSign($1) && (!isSign($0) || $0 == $1) }
      }
  }

  private static func isSign(_ byte: UInt8) -> Bool { !byte.isDigit && !byte.isLetter }

  /// A text with a zero for each number in it.
  private static func form(_ text: String) -> [UInt8] {
    var form: [UInt8] = []
    for byte in text.utf8 {
      if !byte.isDigit { form.append(byte) } else if form.last != 48 { form.append(48) }
    }
    return form
  }
}
