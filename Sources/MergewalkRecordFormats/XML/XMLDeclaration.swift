import MergewalkBytes

/// Tells the encoding of an XML document from its first bytes.
///
/// A byte order mark decides; else the form of the first characters tells enough to read the declaration's `encoding`;
/// else it is UTF-8, as XML demands.
///
/// Source: XML 1.0 (fifth edition), appendix F.1, "Detection Without External Encoding Information".
enum XMLDeclaration {
  /// How far a declaration is looked for.
  static let longest = 1024

  /// The encoding that the first bytes show.
  enum Encoding: Equatable {
    case known(TextEncoding)
    /// A name that iconv does not know.
    case unknown(String)
    /// A declaration in bytes that cannot be the encoding it names.
    case contradicts(String)
  }

  /// The encoding that a document's first bytes tell, ``longest`` of them if there are as many.
  static func encoding(_ bytes: UnsafeRawBufferPointer) -> Encoding {
    if let mark = TextEncoding.marked(bytes) { return .known(mark.encoding) }
    let forms: [([UInt8], TextEncoding)] = [
      ([0, 0, 0, 0x3C], .utf32BigEndian), ([0x3C, 0, 0, 0], .utf32LittleEndian), ([0, 0x3C], .utf16BigEndian),
      ([0x3C, 0], .utf16LittleEndian),
    ]
    for (form, encoding) in forms where bytes.starts(with: form) { return .known(encoding) }
    let isEBCDIC = bytes.starts(with: [0x4C, 0x6F, 0xA7, 0x94])
    guard let name = declared(isEBCDIC ? plain(bytes) : Array(bytes)) else {
      return isEBCDIC ? .unknown("EBCDIC") : .known(.utf8)
    }
    guard let encoding = TextEncoding(named: name) else { return .unknown(name) }
    switch encoding.kind {
    // These have other bytes for the declaration itself.
    case .utf16, .utf32: return .contradicts(name)
    case .automatic, .detect: return .unknown(name)
    default: return .known(encoding)
    }
  }

  /// The encoding that a document's first bytes tell.
  ///
  /// - Throws: `unknownEncoding`; `invalidDocument` when the bytes cannot be in the encoding that they name.
  static func encoding(of first: [UInt8], path: String) throws(ReadError) -> TextEncoding {
    switch first.withUnsafeBytes({ encoding($0) }) {
    case .known(let encoding): return encoding
    case .unknown(let name):
      throw ReadError(
        .unknownEncoding, path: path,
        message: "the document declares the encoding “\(name)”, which the C library on this machine does not know;"
          + " set its “encoding”")
    case .contradicts(let name):
      throw ReadError(
        .invalidDocument, path: path,
        message: "the document declares the encoding “\(name)”, in which its own declaration would have other bytes;"
          + " set its “encoding”", hasCure: true)
    }
  }

  /// The encoding's name in a declaration; nil without one.
  ///
  /// Source: XML 1.0, productions 23 to 26 and 80, 81.
  static func declared(_ bytes: [UInt8]) -> String? {
    guard bytes.starts(with: "<?xml".utf8), bytes.count > 5, bytes[5].isDocumentSpace else { return nil }
    var i = 5
    while i < bytes.count {
      while i < bytes.count, bytes[i].isDocumentSpace { i += 1 }
      let nameStart = i
      while i < bytes.count, !bytes[i].isDocumentSpace, bytes[i] != UInt8(ascii: "="), bytes[i] != UInt8(ascii: "?") {
        i += 1
      }
      let name = bytes[nameStart..<i]
      while i < bytes.count, bytes[i].isDocumentSpace { i += 1 }
      guard i < bytes.count, bytes[i] == UInt8(ascii: "=") else { return nil }
      i += 1
      while i < bytes.count, bytes[i].isDocumentSpace { i += 1 }
      guard i < bytes.count, bytes[i] == UInt8(ascii: "\"") || bytes[i] == UInt8(ascii: "'") else { return nil }
      let valueStart = i + 1
      guard let end = bytes[valueStart...].firstIndex(of: bytes[i]) else { return nil }
      if name.elementsEqual("encoding".utf8) { return String(decoding: bytes[valueStart..<end], as: UTF8.self) }
      i = end + 1
    }
    return nil
  }

  /// The first bytes of an EBCDIC text in ASCII, as far as all EBCDICs have the same characters.
  private static func plain(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    guard let encoding = TextEncoding(named: "ibm037"), let stream = try? ByteSource(bytes: bytes).openFile() else {
      return []
    }
    var text = TextStream(stream, encoding: encoding)
    return (try? text.sample(longest)) ?? []
  }
}
