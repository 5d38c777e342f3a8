import CMergewalkScan
import Foundation
import MergewalkTestSupport
import Testing

@testable import MergewalkRecordFormats

/// Which of the ways of scanning text this machine tests: those that it has no instructions for are said to be skipped.
@Suite("Ways of scanning") struct ScanLevelTests {
  private static let best = cscan_best_level()

  private static func read(_ level: cscan_level) throws -> [String] {
    let text = (0..<300).map { "\($0),\"a \"\"quoted\"\" field\",größe \($0)\n" }.joined()
    var options = CSVOptions()
    options.header = .none
    var reader = try CSVReader(
      stream: MemoryStream(path: "memory", bytes: Array(text.utf8), chunks: []), options: options, columns: .all,
      index: 0, level: level)
    var batch = RecordBatch()
    var fields: [String] = []
    while try reader.read(into: &batch, limit: BatchLimit(records: 64)) {
      for record in 0..<batch.recordCount { fields.append(batch.text(record, 1) ?? "") }
    }
    return fields
  }

  private func check(_ level: cscan_level) throws {
    #expect(try Self.read(level) == Array(repeating: "a \"quoted\" field", count: 300))
  }

  @Test("byte by byte, everywhere")
  func none() throws { try check(CSCAN_NONE) }

  @Test(
    "with AVX2", .enabled(if: best.rawValue >= CSCAN_AVX2.rawValue, "this processor has no AVX2: that way is skipped"))
  func avx2() throws { try check(CSCAN_AVX2) }

  @Test(
    "with AVX-512",
    .enabled(if: best.rawValue >= CSCAN_AVX512.rawValue, "this processor has no AVX-512: that way is skipped"))
  func avx512() throws { try check(CSCAN_AVX512) }

  @Test("MERGEWALK_SCAN chooses among the ways that there are")
  func chosen() {
    let wanted = ProcessInfo.processInfo.environment["MERGEWALK_SCAN"]
    switch wanted {
    case "none": #expect(cscan_level.current == CSCAN_NONE)
    case "avx2": #expect(cscan_level.current.rawValue == min(CSCAN_AVX2.rawValue, Self.best.rawValue))
    default: #expect(cscan_level.current == Self.best)
    }
  }
}
