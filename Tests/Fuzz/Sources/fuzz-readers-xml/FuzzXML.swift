import ReaderFuzzing
import MergewalkRecordFormats

/// Called by libFuzzer: the first byte chooses options, the rest is the file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzXML(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: data, count: count))
  guard let choice = input.first else { return 0 }
  var options = XMLOptions()
  options.records = [nil, "//a", "/*", "/r/*/i"][Int(choice & 3)]
  options.each = choice & 4 == 0 ? nil : "b"
  options.maxRecordBytes = choice & 8 == 0 ? 1 << 20 : 100
  options.mixed = [.reject, .text, .markup, .reject][Int(choice >> 4 & 3)]
  if choice & 64 != 0 { options.namespaces = ["p": "u", "": "d"] }
  ReaderCheck.run(
    .xml(options), Array(input[1...]),
    named: ["a", "b", "b.c", "b.@k", "@k", "#text", "p:a", "first name", "a.b.#text"])
  return 0
}
