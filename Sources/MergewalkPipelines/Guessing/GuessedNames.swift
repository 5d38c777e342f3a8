import MergewalkObjectModel
import MergewalkRecordFormats

/// Names for entities and properties, made of the names of files and columns.
enum GuessedNames {
  /// The words of a text: runs of letters and digits, cut where a capital begins a new word.
  ///
  /// `customer_id`, `customerID` and `Customer Id` have the same two words but for case.
  static func words(_ text: String) -> [String] {
    var words: [String] = []
    var current = ""
    var wasLower = false
    let scalars = Array(text.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      guard scalar.properties.isAlphabetic || (scalar.value >= 0x30 && scalar.value <= 0x39) else {
        if !current.isEmpty { words.append(current) }
        (current, wasLower) = ("", false)
        continue
      }
      let isUpper = scalar.properties.isUppercase
      let endsRun =
        isUpper && !current.isEmpty && index + 1 < scalars.count && scalars[index + 1].properties.isLowercase
      if (isUpper && wasLower) || endsRun {
        if !current.isEmpty { words.append(current) }
        current = ""
      }
      current.unicodeScalars.append(scalar)
      wasLower = !isUpper
    }
    if !current.isEmpty { words.append(current) }
    return words
  }

  /// The words in lower case, put together: what names are compared by.
  static func plain(_ text: String) -> String { words(text).joined().lowercased() }

  // MARK: Entities

  /// The name of an entity for the records of a file: `orders-2024.csv.gz` is `Order`, and so are the records at
  /// `$.data.orders[*]` or `/shop/order`.
  static func entity(ofPath path: String, records: String?) -> String {
    let place = records?.split { "./$[]*@".contains($0) }.last.map(String.init)
    // Numbers and dates alone name nothing.
    func named(_ text: String) -> [String] { Self.words(text).filter { $0.contains { !$0.isNumber } } }
    var words = named(place ?? "")
    if words.isEmpty { words = named(stem(path)) }
    guard let last = words.popLast() else { return "Record" }
    words.append(singular(last))
    let name = words.map(capitalised).joined()
    if yamlWords.contains(name.lowercased()) { return name + "Record" }
    return name.first?.isNumber == true ? "Record" + name : name
  }

  /// A path's last part without its endings.
  static func stem(_ path: String) -> String {
    var name = path.split(separator: "/").last.map(String.init) ?? ""
    if name == "-" { return "" }
    let packed = ["gz", "zst", "bz2", "xz", "zip", "tar", "tgz"]
    while let dot = name.lastIndex(of: "."), dot > name.startIndex {
      let ending = name[name.index(after: dot)...].lowercased()
      name = String(name[..<dot])
      // The ending of a glob such as `w-*.csv*` may go on.
      if !packed.contains(ending), ending.contains(where: { $0 != "*" && $0 != "?" }) { break }
    }
    return name
  }

  /// The name of a file made of a stem: without what is a nuisance in a shell, and of a glob without what its marks leave
  /// of separators.
  static func fileStem(_ stem: String) -> String {
    let parts = stem.split(omittingEmptySubsequences: false) { "*?[]".contains($0) }.map { part in
      String(part.filter { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" || $0 == "." })
    }
    if parts.count == 1 { return parts[0] }
    return parts.map { part in
      func isSeparator(_ character: Character) -> Bool { "_-.".contains(character) }
      let end = part.lastIndex { !isSeparator($0) }.map { part.index(after: $0) } ?? part.startIndex
      return String(part[..<end].drop(while: isSeparator))
    }.filter { !$0.isEmpty }.joined(separator: "-")
  }

  /// The common part of several files' names, without the separator before their numbers.
  static func common(_ paths: [String]) -> String {
    var common = stem(paths[0])
    for path in paths.dropFirst() {
      common = String(zip(common, stem(path)).prefix { $0 == $1 }.map(\.0))
    }
    while let last = common.last, !last.isLetter { common.removeLast() }
    return common
  }

  /// One of what an English plural names; other words stay as they are.
  static func singular(_ word: String) -> String {
    let lower = word.lowercased()
    for ending in ["ss", "us", "is"] where lower.hasSuffix(ending) { return word }
    if lower.hasSuffix("ies"), lower.count > 4 { return word.dropLast(3) + "y" }
    for ending in ["sses", "xes", "ches", "shes", "zes"] where lower.hasSuffix(ending) {
      return String(word.dropLast(2))
    }
    return lower.hasSuffix("s") && lower.count > 2 ? String(word.dropLast()) : word
  }

  /// Many of what a word names.
  static func plural(_ word: String) -> String {
    if word.hasSuffix("y"), let before = word.dropLast().last, !"aeiou".contains(before) {
      return word.dropLast() + "ies"
    }
    for ending in ["s", "x", "ch", "sh", "z"] where word.hasSuffix(ending) { return word + "es" }
    return word + "s"
  }

  // MARK: Properties

  /// The name of an attribute for a column; it may be taken by another.
  static func property(_ path: String, of entity: String) -> String {
    let column = path.split(separator: RecordFormat.wholeElement).joined()
    // What is a name already stays.
    let isName =
      column.first?.isLowercase == true
      && column.unicodeScalars.allSatisfy { $0.properties.isAlphabetic || ($0.value >= 0x30 && $0.value <= 0x39) }
    let words = words(column)
    var name = isName ? column : camelCase(words)
    if name.isEmpty { name = "column" }
    if name.first?.isNumber == true { name = "column" + capitalised(name) }
    return ReservedNames.methods.contains(name) || yamlWords.contains(name.lowercased())
      ? lowered(entity) + capitalised(name) : name
  }

  static func camelCase(_ words: [String]) -> String {
    guard let first = words.first else { return "" }
    return first.lowercased() + words.dropFirst().map { capitalised($0.lowercased()) }.joined()
  }

  static func capitalised(_ word: some StringProtocol) -> String { word.prefix(1).uppercased() + word.dropFirst() }
  static func lowered(_ word: String) -> String { word.prefix(1).lowercased() + word.dropFirst() }

  /// The name with a number behind it, if need be, so that nothing else has it; it is then taken.
  static func unique(_ name: String, in names: inout Set<String>) -> String {
    var result = name
    var number = 2
    while !names.insert(result.lowercased()).inserted {
      result = "\(name)\(number)"
      number += 1
    }
    return result
  }

  /// The words that are not text in YAML unless they are quoted.
  private static let yamlWords: Set<String> = ["null", "true", "false"]

  /// Whether the name of a column says that its digits are no number: `zip`, `phone` ...
  static func isCode(_ column: String) -> Bool {
    let words = Set(words(column).map { $0.lowercased() })
    return !words.isDisjoint(with: codes)
  }

  private static let codes: Set<String> = [
    "zip", "zipcode", "postal", "postalcode", "postcode", "plz", "phone", "telephone", "tel", "fax", "mobile", "isbn",
    "issn", "ean", "gtin", "upc", "iban", "bic", "ssn", "vat", "barcode",
  ]
}
