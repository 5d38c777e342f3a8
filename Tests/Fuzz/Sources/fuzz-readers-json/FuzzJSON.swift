import ReaderFuzzing
import MergewalkRecordFormats

/// Called by libFuzzer: the first byte chooses the form and options, the second others, the rest is the file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSON(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: data, count: count))
  guard input.count > 2 else { return 0 }
  let (form, choice) = (input[0], input[1])
  let each: String? = [nil, "l", "a.l", "a"][Int(form >> 2 & 3)]
  let scalars = choice & 1 == 0 ? JSONScalars.reject : .value
  let duplicates = choice & 2 == 0 ? JSONDuplicates.reject : .last
  let longest = choice & 4 == 0 ? 1 << 20 : 30
  let encoding = choice & 8 == 0 ? TextEncoding.utf8 : .automatic
  let format: RecordFormat
  switch form & 3 {
  case 0:
    var options = NDJSONOptions()
    (options.each, options.scalars, options.duplicates) = (each, scalars, duplicates)
    (options.maxRecordBytes, options.encoding) = (longest, encoding)
    format = .ndjson(options)
  case 1:
    var options = JSONSequenceOptions()
    (options.each, options.scalars, options.duplicates) = (each, scalars, duplicates)
    (options.maxRecordBytes, options.encoding) = (longest, encoding)
    format = .jsonSequence(options)
  default:
    var options = JSONOptions()
    options.records = form & 3 == 2 ? nil : "$.r"
    (options.each, options.scalars, options.duplicates) = (each, scalars, duplicates)
    (options.maxRecordBytes, options.encoding) = (longest, encoding)
    format = .json(options)
  }
  let text = Array(input[2...])
  // UTF-16 has more bytes than its text.
  ReaderCheck.run(
    format, text, named: ["a", "b.c", "l.a", "l", "value", "a", "a longer name of a member"],
    offsetsAreOfInput: encoding == .utf8)
  _ = SourceFormat(sample: text, fileName: "x.json")
  return 0
}
