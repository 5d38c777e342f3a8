import CMergewalkICU

/// The form in which texts are compared without regard to case (`[c]`) or diacritics (`[d]`).
///
/// Canonical decomposition; with `d` nonspacing marks (general category Mn) are removed; with `c` full case folding;
/// canonical composition. So with either option composed and decomposed spellings have the same form, and "ß" and "SS"
/// with `c`. Nothing depends on a locale.
/// Source: The Unicode Standard, 3.13 "Default Case Algorithms" (D145, canonical caseless matching).
package enum TextFolding {
  /// The options that fold: `[c]`, `[d]`, both or none.
  package typealias Options = ComparisonPredicate.Options

  /// ICU works on blocks of about this many bytes, so that the memory for a long text stays small.
  private static let blockSize = 1 << 16

  /// The options that still apply to folding: none when `[n]` says that the texts are folded already.
  @inline(__always)
  package static func effective(_ options: Options) -> Options {
    options.contains(.normalized) ? [] : options.intersection([.caseInsensitive, .diacriticInsensitive])
  }

  package static func fold(_ text: String, _ options: Options) -> String {
    let options = effective(options)
    if options.isEmpty { return text }
    return text.withBytes { bytes in
      // ASCII without capitals is folded already.
      if TextBytes.areASCII(bytes),
        !options.contains(.caseInsensitive) || !bytes.contains(where: { $0 &- 0x41 < 26 })
      {
        return text
      }
      return String(decoding: fold(bytes, options), as: UTF8.self)
    }
  }

  /// Returns the folded bytes; bytes that are not UTF-8 become U+FFFD.
  package static func fold(_ bytes: UnsafeBufferPointer<UInt8>, _ options: Options) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    append(bytes, options, to: &output)
    return output
  }

  /// Appends the folded bytes to others; these begin at a boundary.
  ///
  /// - Complexity: O(bytes), one table look-up each as long as no character is beyond U+02FF.
  package static func append(_ bytes: UnsafeBufferPointer<UInt8>, _ options: Options, to output: inout [UInt8]) {
    let options = effective(options)
    guard !options.isEmpty else {
      output.append(contentsOf: bytes)
      return
    }
    let ignoresCase = options.contains(.caseInsensitive)
    let table = FoldingTable.table(options)
    var index = 0
    // Where the last character began, in the text and in the output: a mark that follows changes it.
    var last = (input: 0, output: output.count)
    while index < bytes.count {
      let byte = bytes[index]
      if byte < 0x80 {
        last = (index, output.count)
        output.append(ignoresCase && byte &- 0x41 < 26 ? byte | 0x20 : byte)
        index += 1
      } else if byte >= 0xC2, byte < 0xCC, index + 1 < bytes.count, bytes[index + 1] & 0xC0 == 0x80 {
        last = (index, output.count)
        table.append(Int(byte & 0x1F) << 6 | Int(bytes[index + 1] & 0x3F), to: &output)
        index += 2
      } else {
        output.removeLast(output.count - last.output)
        appendBlocks(UnsafeBufferPointer(rebasing: bytes[last.input...]), options, to: &output)
        return
      }
    }
  }

  /// Calls `body` with the folded bytes; ASCII of moderate size is folded on the stack.
  @inline(__always)
  package static func withFolded<Result>(
    _ bytes: UnsafeBufferPointer<UInt8>, _ options: Options, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    let options = effective(options)
    if options.isEmpty { return body(bytes) }
    guard TextBytes.areASCII(bytes) else { return fold(bytes, options).withUnsafeBufferPointer(body) }
    guard options.contains(.caseInsensitive) else { return body(bytes) }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count) { folded in
      for index in bytes.indices {
        let byte = bytes[index]
        folded[index] = byte &- 0x41 < 26 ? byte | 0x20 : byte
      }
      return body(UnsafeBufferPointer(folded))
    }
  }

  /// Folds through ICU, block by block.
  private static func appendBlocks(
    _ bytes: UnsafeBufferPointer<UInt8>, _ options: Options, to output: inout [UInt8]
  ) {
    var work = UTF16Buffer()
    var other = UTF16Buffer()
    var start = 0
    while start < bytes.count {
      let end = blockEnd(bytes, from: start)
      work.set(UnsafeBufferPointer(rebasing: bytes[start..<end]))
      appendFolded(&work, &other, options, to: &output)
      start = end
    }
  }

  /// Folds the text of a buffer, which is gone then, with another one to work in.
  fileprivate static func appendFolded(
    _ work: inout UTF16Buffer, _ other: inout UTF16Buffer, _ options: Options, to output: inout [UInt8]
  ) {
    other.set({ mergewalk_decompose($0, $1, $2, $3, &$4) }, of: work)
    if options.contains(.diacriticInsensitive) { other.removeMarks() }
    if options.contains(.caseInsensitive) {
      work.set({ mergewalk_foldCase($0, $1, $2, $3, &$4) }, of: other)
      other.set({ mergewalk_compose($0, $1, $2, $3, &$4) }, of: work)
      other.append(to: &output)
    } else {
      work.set({ mergewalk_compose($0, $1, $2, $3, &$4) }, of: other)
      work.append(to: &output)
    }
  }

  /// Where a block ends: before a character that does not combine with what precedes it.
  private static func blockEnd(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    guard bytes.count - start > 2 * blockSize else { return bytes.count }
    var index = start + blockSize
    // A text of marks alone is cut anywhere: it is no text.
    let limit = min(bytes.count, start + 16 * blockSize)
    while index < limit {
      let byte = bytes[index]
      if byte < 0x80 { return index }
      if byte & 0xC0 != 0x80 {
        var next = index
        if mergewalk_beginsSegment(Int32(UTF8Scalars.decode(bytes, &next).value)) != 0 { return index }
      }
      index += 1
    }
    while index > start + 1, index < bytes.count, bytes[index] & 0xC0 == 0x80 { index -= 1 }
    return index
  }
}

/// The folded forms of the characters below U+0300, which do not combine with what comes before them.
struct FoldingTable: Sendable {
  private static let count = 0x300
  /// Where each character's form begins in ``bytes``; one more for the end.
  private var starts: [UInt16] = []
  private var bytes: [UInt8] = []

  private static let insensitiveToCase = FoldingTable(.caseInsensitive)
  private static let insensitiveToMarks = FoldingTable(.diacriticInsensitive)
  private static let insensitiveToBoth = FoldingTable([.caseInsensitive, .diacriticInsensitive])

  /// The table of options that are not empty.
  static func table(_ options: TextFolding.Options) -> FoldingTable {
    guard options.contains(.caseInsensitive) else { return insensitiveToMarks }
    return options.contains(.diacriticInsensitive) ? insensitiveToBoth : insensitiveToCase
  }

  private init(_ options: TextFolding.Options) {
    var source = UTF16Buffer()
    var other = UTF16Buffer()
    for value in 0..<UInt32(Self.count) {
      starts.append(UInt16(bytes.count))
      guard let scalar = Unicode.Scalar(value) else { continue }
      Array(String(Character(scalar)).utf8).withUnsafeBufferPointer { source.set($0) }
      TextFolding.appendFolded(&source, &other, options, to: &bytes)
    }
    starts.append(UInt16(bytes.count))
  }

  @inline(__always)
  func append(_ character: Int, to output: inout [UInt8]) {
    for index in Int(starts[character])..<Int(starts[character + 1]) { output.append(bytes[index]) }
  }
}
