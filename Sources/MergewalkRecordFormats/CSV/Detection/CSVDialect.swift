/// The detected dialect of a delimited text, with the evidence.
public struct CSVDialect: Sendable, Hashable {
  /// The options to read it with.
  public var options: CSVOptions
  /// The evidence for the options and other observations, one sentence each, with counts; the delimiter comes first.
  public var evidence: [String]
  /// Whether no other dialect fits about as well.
  public var isCertain: Bool
  /// Options that would read what is refused now, and lose or make up text: for a person to decide.
  package var proposals: [CSVProposal] = []
  /// The same, whatever the encoding is.
  package var isTableCertain = true
  /// The sentence about the encoding, if it is not certain.
  package var encodingDoubt: String?
  /// Words that mean null in columns of numbers, and stand in columns of text, where they stay text.
  package var nullDoubt: CSVProposal?
  /// Columns that blanks align, where no delimiter explains the text: it may be fixed-width.
  package var aligned: AlignedColumns?
  /// Words such as `NA` that mean null in columns of numbers, dates or the like.
  ///
  /// They are not among ``CSVOptions/nullTokens``, which hold for all columns: elsewhere such a word may be a value.
  public var nullWords: [String] { options.nullWords }
  /// Whether the encoding was detected from the bytes, so that another file may have another one.
  public var isEncodingToldByBytes = false
}

extension CSVDialect {
  /// Takes the first record for none of names if the reader, which splits it by all the options, refuses it as a header.
  ///
  /// - Parameter text: The sample in UTF-8.
  mutating func checkHeader(_ text: [UInt8]) {
    guard options.header == .firstRecord else { return }
    var read = options
    read.encoding = .utf8
    do throws(ReadError) {
      _ = try CSVReader(source: ByteSource(bytes: text), options: read)
    } catch {
      guard [.emptyHeader, .duplicateHeader, .invalidHeader, .missingHeader].contains(error.code) else { return }
      options.header = .none
      options.headerRows = 1
      (isCertain, isTableCertain) = (false, false)
      evidence.append("header none after all: \(error.message)")
    }
  }
}

/// An option that detection does not set by itself.
package struct CSVProposal: Sendable, Hashable {
  /// The option's name, as pipelines have it.
  package var option: String
  /// Its value, as pipelines have it.
  package var value: String
  /// The finding, and its effect while the dialect is detected.
  package var reason: String
  /// The finding, and its effect in a pipeline that sets the other options and not this one.
  package var reasonUnsaid: String

  package init(option: String, value: String, reason: String, reasonUnsaid: String? = nil) {
    self.option = option
    self.value = value
    self.reason = reason
    self.reasonUnsaid = reasonUnsaid ?? reason
  }
}

/// Known options, which are not detected.
public struct CSVKnownOptions: OptionSet, Sendable, Hashable {
  /// A bit for each option.
  public let rawValue: Int

  /// Creates a set from its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// `CSVOptions.delimiter`.
  public static let delimiter = CSVKnownOptions(rawValue: 1 << 0)
  /// `CSVOptions.quote`.
  public static let quote = CSVKnownOptions(rawValue: 1 << 1)
  /// `CSVOptions.escape`.
  public static let escape = CSVKnownOptions(rawValue: 1 << 2)
  /// `CSVOptions.header` and `CSVOptions.headerRows`.
  public static let header = CSVKnownOptions(rawValue: 1 << 3)
  /// `CSVOptions.skippedLines`.
  public static let skippedLines = CSVKnownOptions(rawValue: 1 << 4)
  /// `CSVOptions.comment`.
  public static let comment = CSVKnownOptions(rawValue: 1 << 5)
  /// `CSVOptions.nullTokens`.
  public static let nullTokens = CSVKnownOptions(rawValue: 1 << 6)
  /// `CSVOptions.trim`.
  public static let trim = CSVKnownOptions(rawValue: 1 << 7)
  /// `CSVOptions.padShortRecords`.
  public static let shortRecords = CSVKnownOptions(rawValue: 1 << 8)
  /// `CSVOptions.longRecords`.
  public static let longRecords = CSVKnownOptions(rawValue: 1 << 9)
  /// `CSVOptions.lenientQuotes`.
  public static let lenientQuotes = CSVKnownOptions(rawValue: 1 << 10)
  /// `CSVOptions.trimQuoted`.
  public static let trimQuoted = CSVKnownOptions(rawValue: 1 << 12)
  /// `CSVOptions.table`.
  public static let table = CSVKnownOptions(rawValue: 1 << 11)
}
