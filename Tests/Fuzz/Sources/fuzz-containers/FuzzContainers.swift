import ReaderFuzzing
import MergewalkRecordFormats

/// Called by libFuzzer with bytes that are perhaps packed: their lines are read as records, of all members.
///
/// The file is read in pieces of all sizes, except where it is a zip archive, which is not read from its start.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzContainers(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: data, count: count))
  var options = CSVOptions()
  options.header = .none
  options.padShortRecords = true
  options.longRecords = .truncate
  options.lenientQuotes = true
  options.maxRecordBytes = 1 << 16
  var container = ContainerOptions()
  container.formats = nil
  container.members = ["*"]
  ReaderCheck.run(.csv(options), input, named: ["1", "2"], container: container, offsetsAreOfInput: false)
  return 0
}
