package import MergewalkRecordFormats

/// Checks the JSON types of values against the first one of their column in a file, be it a source or a member of one:
/// `types` of a ``SchemaContract``.
///
/// A run asks it for all records, and so does the split of a family of stores: a part alone has only some of them.
package struct ContractTypes: Sendable {
  private let policy: SchemaContract.Policy
  private let columns: [String]
  /// The type of each column's first value in the file at hand.
  private var types: [Kind?]
  /// The member of an archive that this file is.
  private var member: String?
  /// Whether ``kinds`` is asked for.
  private let tellsKinds: Bool
  /// The types of the files before it, as far as they do not differ from each other.
  private var common: [Kind?]
  /// What ``kinds`` says of those that differ.
  private var others: [UInt8] = []
  /// What ``kinds`` said at the end of the whole source, and the types of each of its files by the member; those of the
  /// empty one are the common ones.
  private var whole: (kinds: String?, types: [String: [Kind?]]) = (nil, [:])
  private let notes: SourceNotes
  /// The columns that lists are read from.
  private let lists: Set<Int>
  /// Whether a list of one element is told from the element: in XML one is a text, and several are an array.
  private var tellsLists = true

  private enum Kind: String, CaseIterable {
    case text = "a string"
    case number = "a number"
    case boolean = "true or false"
    case structure = "an object or array"

    /// Its letter in ``ContractTypes/kinds``.
    var letter: UInt8 {
      switch self {
      case .text: UInt8(ascii: "t")
      case .number: UInt8(ascii: "n")
      case .boolean: UInt8(ascii: "b")
      case .structure: UInt8(ascii: "s")
      }
    }

    init?(_ state: FieldState) {
      switch state {
      case .absent, .null: return nil
      case .text, .quoted: self = .text
      case .number: self = .number
      case .true, .false: self = .boolean
      case .json: self = .structure
      }
    }
  }

  /// Whether a contract says anything about types.
  package static func areNeeded(_ contract: SchemaContract?) -> Bool {
    contract?.types.map { $0 != .discard } ?? false
  }

  /// - Parameters:
  ///   - columns: The first columns of the batches, in their order.
  ///   - lists: Those that lists are read from.
  ///   - notes: Takes what the summary warns of.
  ///   - tellsKinds: Whether ``kinds`` is asked for.
  /// - Returns: `nil` when the contract says nothing about types.
  init?(
    _ contract: SchemaContract?, columns: [String], lists: [Int], notes: SourceNotes, tellsKinds: Bool = false
  ) {
    guard Self.areNeeded(contract), let policy = contract?.types else { return nil }
    self.policy = policy
    self.columns = columns
    self.notes = notes
    self.lists = Set(lists)
    self.tellsKinds = tellsKinds
    types = Array(repeating: nil, count: columns.count)
    common = types
  }

  /// The same with notes of its own (``warnings``), and where any column may be one of lists.
  package init?(_ contract: SchemaContract?, columns: [String]) {
    self.init(contract, columns: columns, lists: Array(columns.indices), notes: SourceNotes(), tellsKinds: true)
  }

  package var warnings: [RunWarning] { notes.all }

  /// The type of each column's first value so far, a letter each.
  ///
  /// Behind a zero follow those of each member of an archive that has other ones, and the member's name. An archive of
  /// any number of members that are alike needs no more than a single file.
  package var kinds: String {
    var whole = self
    whole.endFile()
    return String(decoding: Self.letters(whole.common) + whole.others, as: UTF8.self)
  }

  private static func letters(_ types: [Kind?]) -> [UInt8] { types.map { $0?.letter ?? UInt8(ascii: "-") } }

  /// Notes the types of a file that ends.
  private mutating func endFile() {
    guard tellsKinds else { return }
    // A column without values in a file may have any type there.
    if zip(common, types).allSatisfy({ $0 == nil || $1 == nil || $0 == $1 }) {
      for column in common.indices where common[column] == nil { common[column] = types[column] }
    } else {
      others += [0] + Self.letters(types) + Array((member ?? "").utf8)
    }
  }

  /// Begins with another source.
  ///
  /// - Parameter kinds: What ``kinds`` said at the end of the whole source, where this is only some of its records.
  package mutating func begin(_ format: RecordFormat, _ kinds: String? = nil) {
    // The pieces of one source come one after the other.
    if kinds != whole.kinds { whole = (kinds, Self.types(in: kinds ?? "", columns.count)) }
    common = Array(repeating: nil, count: columns.count)
    others = []
    tellsLists = !format.hasElements
    begin(member: nil)
  }

  private mutating func begin(member: String?) {
    self.member = member
    types = whole.types[member ?? ""] ?? whole.types[""] ?? Array(repeating: nil, count: columns.count)
  }

  /// Reads what ``kinds`` wrote.
  private static func types(in kinds: String, _ count: Int) -> [String: [Kind?]] {
    var types: [String: [Kind?]] = [:]
    for file in kinds.utf8.split(separator: 0) where file.count >= count {
      let member = String(decoding: file.dropFirst(count), as: UTF8.self)
      // Of two members with one name the first is meant.
      if types[member] == nil {
        types[member] = file.prefix(count).map { letter in Kind.allCases.first { $0.letter == letter } }
      }
    }
    return types
  }

  /// Looks at the records of a batch.
  ///
  /// - Parameters:
  ///   - path: The source's path.
  ///   - missing: Columns that the source does not have.
  ///   - refuse: Takes the records that are to be rejected, and why; a record comes once for each of its columns.
  /// - Throws: `contract` for the first difference, when the policy says so.
  package mutating func check(
    _ batch: RecordBatch, of path: String, except missing: [Int] = [], refuse: (Int, String) -> Void
  ) throws(ImportError) {
    if batch.member != member {
      if member != nil { endFile() }
      begin(member: batch.member)
    }
    for column in columns.indices where !missing.contains(column) {
      for record in 0..<batch.recordCount {
        guard var kind = Kind(batch.state(record, column)) else { continue }
        if !tellsLists, lists.contains(column) { kind = .structure }
        guard let first = types[column] else {
          types[column] = kind
          continue
        }
        guard kind != first else { continue }
        let message = "“\(columns[column])” is \(kind.rawValue), and was \(first.rawValue) in earlier records"
        switch policy {
        case .evolve:
          notes.add(
            .contractType, "record \(batch.records[record].index + 1): \(message)",
            file: ContractCheck.file(path, batch), position: batch.position(record, column))
          types[column] = kind
        case .freeze: throw ContractCheck.broken(": \(message)", path, batch, record, column)
        case .reject: refuse(record, message)
        case .discard: break
        }
      }
    }
  }
}
