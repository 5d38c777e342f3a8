import ReaderFuzzing
import RecordFormats

/// Called by libFuzzer: the first two bytes choose options, the rest is the file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCSV(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: data, count: count))
  guard input.count > 2 else { return 0 }
  let (switches, choice) = (input[0], input[1])
  var options = switches & 1 == 0 ? CSVOptions() : .tabSeparated
  options.header = switches & 2 == 0 ? .firstRecord : .none
  options.trim = switches & 4 != 0
  options.lenientQuotes = switches & 8 != 0
  options.padShortRecords = switches & 16 != 0
  options.truncateLongRecords = switches & 32 != 0
  options.blankLines = switches & 64 == 0 ? .skip : .record
  options.quotedNulls = switches & 128 != 0
  options.nullTokens = choice & 1 == 0 ? [] : ["", "N"]
  options.comment = choice & 2 == 0 ? nil : "#"
  options.escape = choice & 4 == 0 ? nil : UInt8(ascii: "\\")
  options.skippedLines = choice & 8 == 0 ? 0 : 1
  options.encoding = [.automatic, .utf16, .latin1, .utf8][Int(choice >> 4 & 3)]
  options.maxRecordBytes = choice & 64 == 0 ? 1 << 20 : 100
  ReaderCheck.run(.csv(options), Array(input[2...]), named: ["1", "a"])
  return 0
}
