import MergewalkRecordFormats
import Testing

/// Inputs on which fuzzing found readers to depend on how bytes arrive.
@Suite("CSV: findings of fuzzing") struct CSVFuzzFindingTests {
  @Test(
    "a line that is passed over is too long in the same place, however it arrives", arguments: [99, 100, 101, 150, 300])
  func longSkippedLine(_ length: Int) {
    for lineEnd in ["", "\n", "\r\n"] {
      var options = CSVOptions()
      options.header = .none
      options.skippedLines = 1
      options.maxRecordBytes = 100
      let bytes = Array((String(repeating: "x", count: length) + lineEnd + (lineEnd.isEmpty ? "" : "a,b")).utf8)
      for chunk in [1, 2, 7, 64, Int.max] {
        let reading = Reading.of { () throws(ReadError) in
          try CSVReader(source: ByteSource(bytes: bytes, chunkSize: chunk), options: options)
        }
        if length > 100 {
          #expect(reading.failure == "recordTooLong@1:1" && reading.lines.isEmpty, "pieces of \(chunk)")
        } else {
          #expect(reading.failure == nil && reading.lines.count == (lineEnd.isEmpty ? 0 : 1), "pieces of \(chunk)")
        }
      }
    }
  }
}
