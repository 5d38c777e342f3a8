/// A compression or archive format that is unpacked while reading.
public enum ContainerFormat: String, Sendable, Hashable, CaseIterable {
  /// RFC 1952; consecutive members are one file.
  case gzip
  /// RFC 8878.
  case zstd
  /// bzip2 of version 1, one stream or several.
  case bzip2
  /// The .xz file format, one stream or several.
  case xz
  /// POSIX tar (ustar and pax), GNU's long names and version 7.
  case tar
  /// PKWARE's zip, with zip64.
  case zip

  /// Whether it contains several files rather than one.
  public var isArchive: Bool { self == .tar || self == .zip }

  /// The bytes it starts with; those of tar stand further behind.
  var magic: [UInt8] {
    switch self {
    case .gzip: [0x1F, 0x8B]
    case .zstd: [0x28, 0xB5, 0x2F, 0xFD]
    case .bzip2: Array("BZh".utf8)
    case .xz: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]
    case .tar: []
    case .zip: Array("PK".utf8)
    }
  }

  /// How many first bytes tell the format.
  static let sampleSize = 512

  /// The format whose signature the bytes begin with; nil for anything else, text above all.
  init?(sample: UnsafeRawBufferPointer) {
    func starts(_ bytes: [UInt8]) -> Bool { sample.starts(with: bytes) }
    if starts(Self.gzip.magic) {
      self = .gzip
    } else if starts(Self.zstd.magic) || Self.isSkippableFrame(sample) {
      self = .zstd
    } else if starts(Self.xz.magic) {
      self = .xz
    } else if starts(Self.bzip2.magic), sample.count >= 10, (0x31...0x39).contains(sample[3]) {
      // A block, or the end of an empty stream; "BZh" alone may begin a text.
      let block = Array(sample[4..<10])
      guard block == [0x31, 0x41, 0x59, 0x26, 0x53, 0x59] || block == [0x17, 0x72, 0x45, 0x38, 0x50, 0x90] else {
        return nil
      }
      self = .bzip2
    } else if starts([0x50, 0x4B, 0x03, 0x04]) || starts([0x50, 0x4B, 0x05, 0x06]) || starts([0x50, 0x4B, 0x06, 0x06]) {
      self = .zip
    } else if sample.count >= TarHeader.size, TarHeader.isHeader(sample) {
      self = .tar
    } else {
      return nil
    }
  }

  /// Whether a file that begins with these bytes is compressed or an archive.
  public static func isPacked(_ sample: [UInt8]) -> Bool {
    sample.withUnsafeBytes { ContainerFormat(sample: $0) != nil }
  }

  /// The format of which the bytes, all that a file has, are the first ones of a signature; nil for anything else.
  ///
  /// - Returns: also whether it can hardly be anything else; one to three ASCII letters may be a text as well.
  static func begun(by whole: UnsafeRawBufferPointer) -> (format: ContainerFormat, isCertain: Bool)? {
    if whole.isEmpty { return nil }
    let signatures: [(ContainerFormat, [UInt8])] = [
      (.gzip, gzip.magic), (.zstd, zstd.magic), (.xz, xz.magic), (.zip, [0x50, 0x4B, 0x03, 0x04]),
      (.zip, [0x50, 0x4B, 0x05, 0x06]), (.zip, [0x50, 0x4B, 0x06, 0x06]),
    ]
    let isCertain = whole.count > 3 || whole.contains { $0 < 0x20 || $0 >= 0x7F }
    for (format, signature) in signatures where signature.count > whole.count && signature.starts(with: whole) {
      return (format, isCertain)
    }
    if isBzip2Begin(whole) { return (.bzip2, isCertain) }
    return nil
  }

  private static func isBzip2Begin(_ whole: UnsafeRawBufferPointer) -> Bool {
    guard whole.count < 10, whole.starts(with: bzip2.magic.prefix(whole.count)) else { return false }
    if whole.count > 3, !(0x31...0x39).contains(whole[3]) { return false }
    let block = whole.dropFirst(4)
    return [UInt8](arrayLiteral: 0x31, 0x41, 0x59, 0x26, 0x53, 0x59).starts(with: block)
      || [UInt8](arrayLiteral: 0x17, 0x72, 0x45, 0x38, 0x50, 0x90).starts(with: block)
  }

  private static func isSkippableFrame(_ sample: UnsafeRawBufferPointer) -> Bool {
    sample.count >= 4 && sample[0] & 0xF0 == 0x50 && sample[1] == 0x2A && sample[2] == 0x4D && sample[3] == 0x18
  }

  /// The name of a container whose signature is known and which is not read here.
  static func unsupported(sample: UnsafeRawBufferPointer) -> String? {
    let known: [(name: String, magic: [UInt8])] = [
      ("7-Zip", [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]), ("RAR", Array("Rar!".utf8) + [0x1A, 0x07]),
      ("LZ4", [0x04, 0x22, 0x4D, 0x18]), ("compress (.Z)", [0x1F, 0x9D]), ("pack (.z)", [0x1F, 0x1E]),
      ("LZMA (.lzma)", [0x5D, 0x00, 0x00]), ("lzip", Array("LZIP".utf8) + [1]),
    ]
    return known.first { sample.starts(with: $0.magic) }?.name
  }

  /// The kind of a file that is neither packed nor text, and the advice for it; nil for anything else.
  static func binary(sample: UnsafeRawBufferPointer) -> (name: String, advice: String)? {
    let parquet = "convert it with DuckDB or pyarrow and pipe that in"
    let known: [(name: String, magic: [UInt8], advice: String)] = [
      ("a Parquet file", Array("PAR1".utf8), parquet), ("an encrypted Parquet file", Array("PARE".utf8), parquet),
      ("an Arrow file", Array("ARROW1".utf8), parquet), ("a Feather file", Array("FEA1".utf8), parquet),
      ("an ORC file", Array("ORC".utf8), parquet), ("an Avro file", Array("Obj\u{1}".utf8), "convert it to NDJSON"),
      ("an Excel workbook", [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], "save it as CSV"),
      ("a PDF document", Array("%PDF-".utf8), "export the data itself"),
      (
        "a file of macOS beside the one of the same name without “._”",
        [0x00, 0x05, 0x16, 0x07, 0x00, 0x02, 0x00, 0x00],
        "give that one"
      ),
    ]
    guard let found = known.first(where: { sample.starts(with: $0.magic) }) else { return nil }
    // Letters alone may begin a text, which has no control characters but those of lines and of ISO-2022.
    let isText = found.magic.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    if isText, !sample.contains(where: { $0 < 9 || (16..<27).contains($0) }), !found.magic.starts(with: "%PDF-".utf8) {
      return nil
    }
    return (found.name, found.advice)
  }

  /// The formats indicated by a file's name, the outermost first; none for other names.
  public static func named(_ fileName: String) -> [ContainerFormat] {
    guard let dot = fileName.utf8.lastIndex(of: UInt8(ascii: ".")) else { return [] }
    let inner = fileName[..<dot]
    switch fileName[fileName.index(after: dot)...].lowercased() {
    case "gz", "gzip": return [.gzip] + tar(inner)
    case "zst", "zstd": return [.zstd] + tar(inner)
    case "bz2", "bzip2": return [.bzip2] + tar(inner)
    case "xz": return [.xz] + tar(inner)
    case "tgz": return [.gzip, .tar]
    case "tzst": return [.zstd, .tar]
    case "tbz", "tbz2": return [.bzip2, .tar]
    case "txz": return [.xz, .tar]
    case "tar": return [.tar]
    case "zip": return [.zip]
    default: return []
    }
  }

  private static func tar(_ inner: Substring) -> [ContainerFormat] {
    inner.lowercased().hasSuffix(".tar") ? [.tar] : []
  }

  /// A file's name without what says how it is compressed.
  package static func unpackedName(_ fileName: String) -> String {
    guard let first = named(fileName).first, !first.isArchive,
      let dot = fileName.utf8.lastIndex(of: UInt8(ascii: "."))
    else { return fileName }
    return String(fileName[..<dot])
  }
}

/// The packing of a source, and the members to read from it.
public struct ContainerOptions: Sendable, Hashable {
  /// The packing of the source, the outermost first; none for a source that is read as it is; nil to detect it from the
  /// source's first bytes.
  ///
  /// The name is not trusted; see ``SourceContents``.
  public var formats: [ContainerFormat]?
  /// Names or patterns of the members to read from an archive; `*` also matches slashes.
  ///
  /// They are read in the archive's order. Without any, the archive must contain a single file.
  public var members: [String] = []
  /// Whether selected members with nothing in them but blanks are skipped, unless all are such.
  public var skipsEmptyMembers = false
  /// The maximum number of unpacked bytes for each byte of the file, once there are 64 MiB of them.
  ///
  /// gzip and zip cannot pack more than 1,032 into one.
  public var maximumExpansion = 1100

  /// Creates options that detect containers by their first bytes.
  public init() {}
}
