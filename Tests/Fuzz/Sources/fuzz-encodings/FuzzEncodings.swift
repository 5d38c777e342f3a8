import ReaderFuzzing
import MergewalkRecordFormats

/// The encodings that are tried: those with decoders of their own, and those of iconv that differ most.
private let encodings: [TextEncoding] =
  [.automatic, .detect, .utf8, .utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32BigEndian, .windows1252]
  + [
    "koi8-r", "shift_jis", "euc-jp", "gb18030", "big5-hkscs", "euc-kr", "iso-2022-jp", "iso-2022-kr", "utf-7",
    "ibm437", "euc-tw", "iso-2022-cn-ext", "tis-620", "johab",
  ].compactMap { TextEncoding(named: $0) }

/// Called by libFuzzer: the first byte chooses an encoding, the rest is a text whose lines are records.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEncodings(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: data, count: count))
  guard let choice = input.first else { return 0 }
  var options = CSVOptions()
  options.header = .none
  options.padShortRecords = true
  options.longRecords = .truncate
  options.lenientQuotes = true
  options.encoding = encodings[Int(choice) % encodings.count]
  ReaderCheck.run(.csv(options), Array(input[1...]), named: ["1", "2"])
  return 0
}
