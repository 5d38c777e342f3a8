import MergewalkBytes
import MergewalkObjectModel

enum StoreUUID {
  /// A random UUID (version 4) as 36 characters in upper case.
  static func make() -> String { UniqueID().description }

  /// The UUID (version 8) that belongs to a digest: equal stores get equal ones.
  ///
  /// Source: [RFC 9562, section 5.8](https://www.rfc-editor.org/rfc/rfc9562#section-5.8).
  static func make(fromDigest digest: [UInt8]) -> String {
    precondition(digest.count >= 16, "a UUID has 16 bytes")
    let (high, low) = digest.withUnsafeBytes { UUIDText.halves(bytes: $0) }
    return UUIDText.text(high & 0xFFFF_FFFF_FFFF_0FFF | 0x8000, low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
  }

  /// Whether a UUID was made from a digest: two files with the same bytes may have the same.
  static func isMadeOfDigest(_ text: String) -> Bool { text.utf8.dropFirst(14).first == UInt8(ascii: "8") }

  /// Whether a text is 36 characters of upper-case hexadecimal digits and dashes in the right places.
  static func isValid(_ text: String) -> Bool {
    UUIDText.halves(text).map { UUIDText.text($0.high, $0.low) == text } ?? false
  }
}
