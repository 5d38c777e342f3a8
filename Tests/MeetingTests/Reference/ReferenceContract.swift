import MergewalkImporting

/// Holds records against what is agreed about their source.
struct ReferenceContract {
  private let contract: SchemaContract
  private let known: Set<String>
  private let columns: [String]
  private let names: Names
  /// The columns of which a reader makes lists whatever they hold.
  private let lists: Set<String>
  /// The kind of the first value of each column of the current file.
  private(set) var kinds: [String: Int] = [:]
  /// Whether a record was not as agreed that ends the run.
  private(set) var isBroken = false

  /// - Parameters:
  ///   - columns: the columns that the import asks for.
  ///   - lists: those of which a reader makes lists whatever they hold, as XML has no types.
  init(_ contract: SchemaContract, columns: [String], names: Names, lists: Set<String>) {
    self.contract = contract
    self.lists = lists
    self.columns = columns
    self.names = names
    let ignored = names == .members ? contract.ignored.filter(Self.isName).map(Self.first) : []
    known = Set(columns.map { names == .members ? Self.first($0) : $0 } + contract.ignored + ignored)
  }

  /// The first member of a path.
  private static func first(_ path: String) -> String {
    var name = ""
    var isEscaped = false
    for character in path {
      if isEscaped || character != "." && character != "\\" {
        name.append(character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else {
        break
      }
    }
    return name
  }

  /// Whether a path leads no further than to a member.
  private static func isName(_ path: String) -> Bool {
    first(path).replacing("\\", with: "\\\\").replacing(".", with: "\\.") == path
  }

  /// Where names are told that the import may not know.
  enum Names {
    /// In the header of a file.
    case header
    /// In each record.
    case members
    case untold
  }

  /// Begins with a file.
  ///
  /// - Parameter kinds: those of the whole file's first values, where only some of its records come.
  mutating func startFile(_ kinds: [String: Int] = [:]) { self.kinds = kinds }

  /// The codes of what a record is not allowed to be.
  mutating func codes(_ record: ReadRecord) -> [String] {
    var codes: [String] = []
    func note(_ code: String, _ policy: SchemaContract.Policy?) {
      if policy == .reject { codes.append(code) } else if policy == .freeze { isBroken = true }
    }
    if names != .untold, record.names.contains(where: { !known.contains($0) }) {
      note("contract.newColumn", contract.newColumns)
    }
    if names == .header, contract.missingColumns == .reject, columns.contains(where: { !record.names.contains($0) }) {
      codes.append("contract.missingColumn")
    }
    guard names != .header else { return codes }
    for column in columns {
      guard var kind = Self.kind(record.cells[column] ?? .absent) else { continue }
      if lists.contains(column) { kind = 3 }
      if let first = kinds[column], first != kind { note("contract.type", contract.types) }
      if kinds[column] == nil { kinds[column] = kind }
    }
    return codes
  }

  private static func kind(_ cell: Cell) -> Int? {
    switch cell {
    case .absent, .null: nil
    case .text: 0
    case .number: 1
    case .boolean: 2
    case .list, .object: 3
    }
  }
}
