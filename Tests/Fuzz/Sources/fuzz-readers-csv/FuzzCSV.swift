import ReaderFuzzing
import MergewalkRecordFormats

/// Called by libFuzzer: the first two bytes choose options, the rest is the file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCSV(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: data, count: count))
  guard input.count > 2 else { return 0 }
  let (switches, choice) = (input[0], input[1])
  var options = switches & 1 == 0 ? CSVOptions() : .tabSeparated
  // The rarest of the switches together with another one, so that old inputs mean what they meant mostly.
  if switches & 129 == 129 { options.delimiter = ["||", ", ", "§", "\t\t", " | ", "\\t"][input.count % 6] }
  options.header = switches & 2 == 0 ? .firstRecord : .none
  options.trim = switches & 4 != 0
  options.lenientQuotes = switches & 8 != 0
  options.padShortRecords = switches & 16 != 0
  options.longRecords = switches & 32 != 0 ? .truncate : .refuse
  options.blankLines = switches & 64 == 0 ? .skip : .record
  options.trimQuoted = switches & 132 == 132
  options.quotedNulls = switches & 128 != 0
  options.nullTokens = choice & 1 == 0 ? [] : ["", "N"]
  options.comment = choice & 2 == 0 ? nil : "#"
  options.escape = choice & 4 == 0 ? nil : UInt8(ascii: "\\")
  if options.delimiter == "\\t" { options.escape = nil }
  options.skippedLines = choice & 8 == 0 ? 0 : 1
  options.encoding = [.automatic, .utf16, .latin1, .utf8][Int(choice >> 4 & 3)]
  options.maxRecordBytes = choice & 64 == 0 ? 1 << 20 : 100
  let bytes = Array(input[2...])
  if choice & 128 == 0 {
    ReaderCheck.run(.csv(options), bytes, named: ["1", "a"])
  } else {
    checkDetection(of: bytes, options)
  }
  return 0
}

/// Detects a dialect, which must not depend on how the bytes arrive, and reads by it.
private func checkDetection(of bytes: [UInt8], _ base: CSVOptions) {
  let known: CSVKnownOptions = bytes.count % 3 == 0 ? [.delimiter] : bytes.count % 5 == 0 ? [.header] : []
  let found = detection(ByteSource(bytes: bytes, chunkSizes: [.max]), base, known)
  for chunks in [[1], [7, 64, 1, 1000]] {
    let other = detection(ByteSource(bytes: bytes, chunkSizes: chunks), base, known)
    require("\(String(describing: found))" == "\(String(describing: other))", "found \(found) and \(other)")
  }
  guard case .success(let dialect?) = found else { return }
  require(!dialect.evidence.isEmpty, "a dialect without evidence")
  ReaderCheck.run(.csv(dialect.options), bytes, named: ["1", "a"])
}

private func detection(
  _ source: ByteSource, _ base: CSVOptions, _ known: CSVKnownOptions
) -> Result<CSVDialect?, ReadError> {
  Result { () throws(ReadError) in try CSVDialectDetector.detect(source, base: base, known: known) }
}
