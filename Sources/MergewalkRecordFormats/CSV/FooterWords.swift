/// The words with which a record begins that sums up the others.
enum FooterWords {
  private static let all: Set<String> = [
    "total", "totals", "grand total", "sub total", "subtotal", "sub-total", "sum", "overall", "record count",
    "summe", "gesamt", "gesamtsumme", "insgesamt", "zwischensumme", "endsumme", "gesamtergebnis",
    "totaux", "total général", "sous-total", "somme", "suma", "total general", "soma", "total geral",
    "totale", "somma", "totaal", "totalt", "summa", "razem", "celkem", "итого", "всего", "合計", "总计",
  ]

  /// The longest of them has fewer bytes, with what may stand around it.
  private static let longest = 40

  /// Whether a text is one of them, in whatever case, perhaps with a colon and the like around it.
  static func contains(_ text: [UInt8]) -> Bool {
    if text.count > longest { return false }
    func isAround(_ character: Character) -> Bool { " \t:.*=-#".contains(character) }
    let words = String(decoding: text, as: UTF8.self).lowercased()
    guard let first = words.firstIndex(where: { !isAround($0) }), let last = words.lastIndex(where: { !isAround($0) })
    else { return false }
    return all.contains(String(words[first...last]))
  }
}

extension CSVParser {
  /// Whether a record seems to sum up the others: the first text in it says so, and a number follows.
  func isFooter(_ record: UnsafeRawBufferPointer) -> Bool {
    record.withMemoryRebound(to: UInt8.self) { bytes in
      guard let base = bytes.baseAddress else { return false }
      var (isNamed, hasNumber) = (false, false)
      eachField(base, 0, bytes.count) { from, to in
        var text: [UInt8] = []
        eachByte(base, from, to) { text.append($0) }
        let kind = text.withUnsafeBufferPointer { CellKind($0, 0, $0.count) }
        if kind == .empty { return true }
        if isNamed {
          hasNumber = kind == .number
        } else {
          isNamed = FooterWords.contains(text)
        }
        return isNamed && !hasNumber
      }
      return isNamed && hasNumber
    }
  }
}
