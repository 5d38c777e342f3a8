import MergewalkBytes

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
    let text = sample.prefix(512).filter { $0 != 0 && $0 < 0x80 }.drop { $0.isSpace }
    guard text.first == UInt8(ascii: "<"), let second = text.dropFirst().first else {
      self = .text
      return
    }
    // OpenStep data begins with a bracket, too: <0fbd77>, <*I5>, <[base64]>.
    self = [UInt8(ascii: "?"), UInt8(ascii: "!"), UInt8(ascii: "p")].contains(second) ? .xml : .text
  }

  /// The form that the text of a single record is from: elements, JSON where the form was binary, else OpenStep text.
  init(record raw: [UInt8]) {
    func next(_ index: Int) -> Int { raw[index...].firstIndex { $0 != 0x20 && !(9...13).contains($0) } ?? raw.endIndex }
    let start = next(0)
    guard start < raw.endIndex else {
      self = .binary
      return
    }
    switch raw[start] {
    // OpenStep data has no slash, but in base64, and that stands in further brackets.
    case UInt8(ascii: "<"):
      self = raw.contains(UInt8(ascii: "/")) && raw.dropFirst(start + 1).first != UInt8(ascii: "[") ? .xml : .text
    case UInt8(ascii: "{"):
      var index = next(start + 1)
      guard index < raw.endIndex, raw[index] == UInt8(ascii: "\"") else {
        self = index == raw.endIndex || raw[index] == UInt8(ascii: "}") ? .binary : .text
        return
      }
      index += 1
      while index < raw.endIndex, raw[index] != UInt8(ascii: "\"") { index += raw[index] == UInt8(ascii: "\\") ? 2 : 1 }
      let colon = index < raw.endIndex ? next(index + 1) : raw.endIndex
      self = colon < raw.endIndex && raw[colon] == UInt8(ascii: "=") ? .text : .binary
    case UInt8(ascii: "("): self = .text
    default: self = .binary
    }
  }
}
