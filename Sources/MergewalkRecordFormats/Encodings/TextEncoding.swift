import MergewalkBytes
import MergewalkDiagnostics

/// The encoding of a text file.
///
/// Readers work on UTF-8; other encodings are decoded as the file streams in, strictly: bytes that are invalid in the
/// encoding refuse their record, and nothing is replaced. Byte offsets refer to the file, columns to the decoded text.
public struct TextEncoding: Sendable, Hashable, CustomStringConvertible {
  enum Kind: Sendable, Hashable {
    case automatic, detect
    case utf8
    /// The order of a unit's bytes; nil: a byte order mark tells, and without one the low byte comes first.
    case utf16(lowFirst: Bool?)
    case utf32(lowFirst: Bool?)
    case latin1
    case windows1252
    /// Any other that the C library's iconv knows.
    case other
  }

  /// The name in lower case, such as `utf-8` or `shift_jis`.
  public let name: String
  let kind: Kind

  private init(_ name: String, _ kind: Kind) {
    self.name = name
    self.kind = kind
  }

  /// UTF-16 or UTF-32 if the file starts with one of their byte order marks, else UTF-8.
  public static let automatic = TextEncoding("automatic", .automatic)
  /// The encoding detected from the first 64 KiB, see `EncodingDetector`.
  public static let detect = TextEncoding("detect", .detect)
  /// UTF-8, checked strictly; a byte order mark is skipped.
  public static let utf8 = TextEncoding("utf-8", .utf8)
  /// UTF-16; a byte order mark gives the order of bytes; without one, the low byte comes first.
  public static let utf16 = TextEncoding("utf-16", .utf16(lowFirst: nil))
  /// UTF-16, low byte first; a byte order mark is skipped.
  public static let utf16LittleEndian = TextEncoding("utf-16le", .utf16(lowFirst: true))
  /// UTF-16, high byte first; a byte order mark is skipped.
  public static let utf16BigEndian = TextEncoding("utf-16be", .utf16(lowFirst: false))
  /// UTF-32; a byte order mark gives the order of bytes; without one, the low byte comes first.
  public static let utf32 = TextEncoding("utf-32", .utf32(lowFirst: nil))
  /// UTF-32, low byte first; a byte order mark is skipped.
  public static let utf32LittleEndian = TextEncoding("utf-32le", .utf32(lowFirst: true))
  /// UTF-32, high byte first; a byte order mark is skipped.
  public static let utf32BigEndian = TextEncoding("utf-32be", .utf32(lowFirst: false))
  /// ISO 8859-1: each byte is the code point of the same number.
  public static let latin1 = TextEncoding("iso-8859-1", .latin1)
  /// Windows code page 1252; its five unassigned bytes (81, 8D, 8F, 90, 9D) are refused.
  public static let windows1252 = TextEncoding("windows-1252", .windows1252)

  /// Whether it is UTF-7 by one of its names (`utf-7`, `utf7`, `unicode-1-1-utf-7`, `utf-7-imap`).
  var isUTF7: Bool { Self.plain(name).contains("utf7") }

  private static let own: [TextEncoding] = [
    automatic, detect, utf8, utf16, utf16LittleEndian, utf16BigEndian, utf32, utf32LittleEndian, utf32BigEndian, latin1,
    windows1252,
  ]

  /// The encoding of this name, ignoring case: one of those above, or any that the C library's iconv knows (`iconv -l`
  /// lists them).
  ///
  /// Nil for an unknown name.
  public init?(named name: String) {
    let lower = name.lowercased()
    let plain = Self.plain(lower)
    if let known = Self.own.first(where: { Self.plain($0.name) == plain }) {
      self = known
      return
    }
    switch plain {
    case "latin1", "l1", "cp819": self = .latin1
    case "cp1252": self = .windows1252
    default:
      // A slash would begin options that make the conversion less strict.
      guard !lower.isEmpty, lower.utf8.count <= 64, lower.utf8.allSatisfy(Self.isNameByte),
        let converter = Converter(from: lower, to: "UTF-8")
      else { return nil }
      _ = converter
      self.init(lower, .other)
    }
  }

  /// The well-known encoding with the most similar name; nil if there is none.
  public static func nearestName(to name: String) -> String? {
    namesElsewhere[plain(name.lowercased())] ?? NearestName.find(name, in: own.map(\.name) + commonNames)
  }

  /// The names that databases and office programs give to encodings.
  private static let namesElsewhere = [
    "ansi": "windows-1252", "windows": "windows-1252", "excel": "windows-1252", "western": "windows-1252",
    "utf8mb4": "utf-8", "utf8mb3": "utf-8", "utf8sig": "utf-8", "utf8bom": "utf-8",
    "unicode": "utf-16",
  ]

  /// The name.
  public var description: String { name }

  /// Common encodings of files, as far as they take iconv.
  static let commonNames: [String] =
    ["us-ascii"] + (2...16).filter { $0 != 12 }.map { "iso-8859-\($0)" } + (1250...1258).map { "windows-\($0)" }
    + (1250...1258).map { "cp\($0)" } + [
      "latin1", "koi8-r", "koi8-u", "ibm437", "ibm850", "ibm852", "ibm855", "ibm866", "cp437", "cp850", "cp866",
      "macintosh", "mac-cyrillic", "shift_jis", "windows-31j", "cp932", "euc-jp", "iso-2022-jp", "euc-kr", "cp949",
      "iso-2022-kr", "gb2312", "gbk", "gb18030", "big5", "big5-hkscs", "euc-tw", "tis-620", "viscii", "tcvn", "ucs-2",
      "utf-7",
    ]

  private static func plain(_ name: String) -> String { name.filter { $0 != "-" && $0 != "_" && $0 != " " } }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "+"),
      UInt8(ascii: "("), UInt8(ascii: ")"):
      true
    // Of names in small letters.
    default: byte.isLetter || byte.isDigit
    }
  }

  /// The encoding that a byte order mark tells, and the mark's length; nil without one.
  ///
  /// FF FE 00 00 is UTF-32: a text that begins with NUL is none.
  static func marked(_ bytes: UnsafeRawBufferPointer) -> (encoding: TextEncoding, length: Int)? {
    if bytes.starts(with: [0xFF, 0xFE, 0, 0]) { return (.utf32LittleEndian, 4) }
    if bytes.starts(with: [0, 0, 0xFE, 0xFF]) { return (.utf32BigEndian, 4) }
    if bytes.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
    if bytes.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
    return nil
  }
}
