import ReaderFuzzing
import MergewalkRecordFormats

/// Called by libFuzzer: the first two bytes choose options, the rest is the file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFixed(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: data, count: count))
  guard input.count > 2 else { return 0 }
  let (switches, choice) = (input[0], input[1])
  var options = FixedWidthOptions(columns: [
    FixedWidthOptions.Column(name: "a", start: 1, width: 3), FixedWidthOptions.Column(name: "b", start: 4, width: 1),
    FixedWidthOptions.Column(name: "c", start: 7, width: 5),
  ])
  options.trim = [.trailing, .both, .none, .trailing][Int(switches & 3)]
  options.skippedLines = Int(switches >> 2 & 1)
  options.comment = switches & 8 == 0 ? nil : "#"
  options.blankLines = switches & 16 == 0 ? .skip : .record
  options.padShortLines = switches & 32 != 0
  options.truncateLongLines = switches & 64 != 0
  options.nullTokens = switches & 128 == 0 ? [] : ["", "N"]
  options.encoding = [.automatic, .utf16, .latin1, .utf8][Int(choice & 3)]
  options.maxRecordBytes = choice & 4 == 0 ? 1 << 20 : 20
  ReaderCheck.run(.fixedWidth(options), Array(input[2...]), named: ["c", "a"])
  return 0
}
