/// The text that a reader skipped because it belongs to no record: lines and bytes of each kind.
///
/// Refused records are records, and not counted here.
public struct SkippedText: Sendable, Hashable {
  /// The kind of text that belongs to no record.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The mark of the encoding at the start of a file.
    case byteOrderMark
    /// Lines to skip above the header or the first record.
    case preamble
    /// The names of the columns.
    case header
    /// The names of the columns, repeated below records.
    case repeatedHeader
    /// A line that draws a rule below or above the names of the columns, or a copy of it.
    case rule
    /// An empty line, or one of blanks where these do not count.
    case blankLine
    /// A line that begins like a comment, or a comment between the records of an XML document.
    case comment
    /// Text below the last record.
    case footer
    /// A table of the file other than the one that is read.
    case otherTable
    /// Text around and between records: punctuation, white space, elements and members that were not requested as
    /// records; also comments in YAML and in property lists.
    case structure
    /// Records without any of the elements of `each`, which become records.
    case withoutElements
    /// Fields after the last column that are to be dropped.
    case surplusFields
    /// Escapes before characters that need none, which are dropped.
    case escape

    /// Its name in sentences.
    public var words: String {
      switch self {
      case .byteOrderMark: "byte order marks"
      case .preamble: "text above the table"
      case .header: "headers"
      case .repeatedHeader: "repeated headers"
      case .rule: "rules below the header"
      case .blankLine: "blank lines"
      case .comment: "comments"
      case .footer: "text below the table"
      case .otherTable: "other tables"
      case .structure: "structure"
      case .withoutElements: "records without elements of “each”"
      case .surplusFields: "fields after the last column"
      case .escape: "unnecessary escapes"
      }
    }

    fileprivate var index: Int {
      switch self {
      case .byteOrderMark: 0
      case .preamble: 1
      case .header: 2
      case .repeatedHeader: 3
      case .blankLine: 4
      case .comment: 5
      case .footer: 6
      case .otherTable: 7
      case .structure: 8
      case .withoutElements: 9
      case .surplusFields: 10
      case .escape: 11
      case .rule: 12
      }
    }
  }

  /// An amount of text.
  public struct Amount: Sendable, Hashable {
    /// The number of lines skipped completely; a line shared with a record is not counted, nor is text without lines:
    /// the structure and the comments of documents.
    public var lines = 0
    /// The number of bytes in UTF-8, including line ends.
    public var bytes = 0

    /// Creates an amount.
    public init(lines: Int = 0, bytes: Int = 0) {
      self.lines = lines
      self.bytes = bytes
    }

    /// Adds two amounts.
    public static func + (left: Amount, right: Amount) -> Amount {
      Amount(lines: left.lines + right.lines, bytes: left.bytes + right.bytes)
    }
  }

  /// One for each kind; empty while nothing was skipped.
  private var amounts: [Amount] = []

  /// Creates an empty count.
  public init() {}

  /// The amount of a kind that was skipped.
  public subscript(kind: Kind) -> Amount { amounts.isEmpty ? Amount() : amounts[kind.index] }

  /// The kinds with an amount, in their order.
  public var kinds: [Kind] { Kind.allCases.filter { self[$0] != Amount() } }

  /// The total of all kinds.
  public var total: Amount { amounts.reduce(Amount(), +) }

  /// Counts text.
  public mutating func add(_ kind: Kind, lines: Int, bytes: Int) {
    if amounts.isEmpty { amounts = Array(repeating: Amount(), count: Kind.allCases.count) }
    amounts[kind.index].lines += lines
    amounts[kind.index].bytes += bytes
  }

  /// Adds the text that another reader, or a later batch, skipped.
  public static func += (left: inout SkippedText, right: SkippedText) {
    if right.amounts.isEmpty { return }
    if left.amounts.isEmpty {
      left.amounts = right.amounts
    } else {
      for index in left.amounts.indices { left.amounts[index] = left.amounts[index] + right.amounts[index] }
    }
  }

  /// Resets all counts.
  public mutating func removeAll() { amounts.removeAll(keepingCapacity: true) }

  /// Two are equal if they count the same.
  public static func == (left: SkippedText, right: SkippedText) -> Bool {
    Kind.allCases.allSatisfy { left[$0] == right[$0] }
  }

  /// Hashes the counts.
  public func hash(into hasher: inout Hasher) {
    for kind in Kind.allCases { hasher.combine(self[kind]) }
  }
}

/// The accounting of the text that a reader processed: each byte belongs to a record or was skipped for a named reason.
public struct TextAccount: Sendable, Hashable {
  /// The number of bytes of text: unpacked, and decoded to UTF-8; 0 for inputs that are not text, such as databases.
  public var bytes = 0
  /// The number of bytes that belong to records, including refused ones, with their line ends.
  public var recordBytes = 0
  /// The skipped text.
  public var skipped = SkippedText()
  /// The text of the first record without elements, see ``SkippedText/Kind/withoutElements``, up to 64 KiB; empty if
  /// there is none.
  public var withoutElements: [UInt8] = []

  /// Creates an empty account.
  public init() {}

  /// Whether each byte is accounted for.
  public var isBalanced: Bool { bytes == recordBytes + skipped.total.bytes }

  /// Adds the account of more text.
  public static func += (left: inout TextAccount, right: TextAccount) {
    left.bytes += right.bytes
    left.recordBytes += right.recordBytes
    left.skipped += right.skipped
    if left.withoutElements.isEmpty { left.withoutElements = right.withoutElements }
  }

  /// Counts a record that has none of the elements of `each`.
  mutating func addChildless(_ raw: UnsafeRawBufferPointer, lines: Int, bytes: Int) {
    skipped.add(.withoutElements, lines: lines, bytes: bytes)
    if withoutElements.isEmpty { withoutElements = Array(raw.prefix(1 << 16)) }
  }

  /// Resets the account.
  public mutating func removeAll() {
    bytes = 0
    recordBytes = 0
    skipped.removeAll()
    withoutElements = []
  }
}
