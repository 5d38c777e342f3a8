import ReaderFuzzing
import MergewalkRecordFormats

/// Called by libFuzzer: the first byte chooses options, the rest is the file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzYAML(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: data, count: count))
  guard let choice = input.first else { return 0 }
  var options = YAMLOptions()
  options.records = choice & 1 == 0 ? nil : "a"
  options.each = choice & 2 == 0 ? nil : "b"
  options.takesScalars = choice & 4 != 0
  options.maxRecordBytes = choice & 8 == 0 ? 1 << 20 : 100
  options.maxAnchorBytes = choice & 16 == 0 ? 1 << 20 : 500
  ReaderCheck.run(.yaml(options), Array(input[1...]), named: ["a", "b", "b.c", "value", "d.e"])
  return 0
}
