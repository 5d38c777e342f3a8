/// The three ways in which a property list is written.
enum PropertyListForm: Sendable, Hashable {
  /// `bplist00` and numbered objects.
  case binary
  /// `<plist>` with an element for each value.
  case xml
  /// OpenStep text: `{ key = value; }`, or pairs without braces in a `.strings` file.
  case text

  /// The form that a file's first bytes begin.
  init(sample: UnsafeRawBufferPointer) {
    if sample.starts(with: "bplist".utf8) {
      self = .binary
      return
    }
    // Byte order marks and the NULs of wider units are passed over: only the first letters matter.
    let text = sample.prefix(512).filter { $0 != 0 && $0 < 0x80 }.drop { $0 == 0x20 || (9...13).contains($0) }
    guard text.first == UInt8(ascii: "<"), let second = text.dropFirst().first else {
      self = .text
      return
    }
    // OpenStep data begins with a bracket, too: <0fbd77>, <*I5>, <[base64]>.
    self = [UInt8(ascii: "?"), UInt8(ascii: "!"), UInt8(ascii: "p")].contains(second) ? .xml : .text
  }
}
