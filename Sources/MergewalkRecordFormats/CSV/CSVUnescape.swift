import CMergewalkScan
import MergewalkSystem

extension RecordBatch {
  /// Writes the values of all fields that are not a range of the raw bytes behind those bytes.
  ///
  /// Unescaping never lengthens a value, so the room needed is known before.
  mutating func unescapeFields() {
    if escapes.isEmpty { return }
    var room = 0
    for field in escapes where field.kind != .shared { room += Int(field.end - field.start) }
    reserveBytes(used: byteCount, byteCount + room)
    let hasVectors = cscan_has_rows(.current) != 0
    var target = byteCount
    bytes.withUnsafeMutableBufferPointer { bytes in
      for field in escapes {
        let start = target
        switch field.kind {
        case .copied: continue
        case .shared:
          starts[Int(field.slot)] = starts[Int(field.end)]
          lengths[Int(field.slot)] = lengths[Int(field.end)]
          continue
        case .json:
          guard let base = bytes.baseAddress else { continue }
          target += JSONEscape.unescape(UnsafePointer(base), Int(field.start), Int(field.end), to: base + target)
        case .quotedCSV:
          let length = Int(field.end - field.start)
          // It writes 64 bytes too many.
          if hasVectors, csvEscape == nil, target + length + 64 <= bytes.count, let quote = csvQuote,
            let base = bytes.baseAddress
          {
            let count = cscan_csv_unquote(base + Int(field.start), length, quote, base + target)
            if count >= 0 {
              target += count
              break
            }
          }
          unescapeCSV(bytes, Int(field.start), Int(field.end), &target, quote: csvQuote, escape: csvEscape)
        case .unquotedCSV:
          unescapeCSV(bytes, Int(field.start), Int(field.end), &target, quote: nil, escape: csvEscape)
        }
        starts[Int(field.slot)] = UInt32(truncatingIfNeeded: start)
        lengths[Int(field.slot)] = UInt32(truncatingIfNeeded: target - start)
      }
    }
    byteCount = target
  }
}

/// Copies `bytes[start..<end]` to `target` without its escapes.
///
/// With a `quote`, the text begins inside quotes: two quotes are one, and a single one ends the quoted part, after
/// which (in lenient reading) quotes are ordinary.
private func unescapeCSV(
  _ bytes: UnsafeMutableBufferPointer<UInt8>, _ start: Int, _ end: Int, _ target: inout Int, quote: UInt8?,
  escape: UInt8?
) {
  var quote = quote
  var i = start
  if escape == nil, let mark = quote, let base = bytes.baseAddress {
    // Quotes are few: what is between them is copied as a whole, each with the first quote of the pair behind it.
    while let found = memchr(base + i, Int32(mark), end - i) {
      let at = found - UnsafeMutableRawPointer(base)
      let isPair = at + 1 < end && base[at + 1] == mark
      let count = at - i + (isPair ? 1 : 0)
      memcpy(base + target, base + i, count)
      target += count
      i = at + (isPair ? 2 : 1)
      if !isPair { break }
    }
    memcpy(base + target, base + i, end - i)
    target += end - i
    return
  }
  while i < end {
    var byte = bytes[i]
    i += 1
    if byte == quote {
      if i < end, bytes[i] == byte {
        i += 1
      } else {
        quote = nil
        continue
      }
    } else if byte == escape, i < end {
      byte = bytes[i]
      i += 1
    }
    bytes[target] = byte
    target += 1
  }
}
