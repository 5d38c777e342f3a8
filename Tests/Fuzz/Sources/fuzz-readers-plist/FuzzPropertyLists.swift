import ReaderFuzzing
import MergewalkRecordFormats

/// Called by libFuzzer: the first byte chooses options, the rest is the file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPropertyLists(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: data, count: count))
  guard let choice = input.first else { return 0 }
  var options = PropertyListOptions()
  options.records = choice & 1 == 0 ? nil : "a"
  options.each = choice & 2 == 0 ? nil : "b"
  options.maxRecordBytes = choice & 4 == 0 ? 1 << 20 : 100
  ReaderCheck.run(.propertyList(options), Array(input[1...]), named: ["a", "b", "b.c", "value"])
  return 0
}
