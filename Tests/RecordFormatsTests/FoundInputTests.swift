import Foundation
import MergewalkTestSupport
import Testing

@testable import MergewalkRecordFormats

/// Inputs with which the fuzzer ended the process, read by the options that their first byte chooses there.
@Suite struct FoundInputTests {
  private static let xml: RecordFormat = {
    var options = XMLOptions()
    options.maxRecordBytes = 100
    return .xml(options)
  }()

  private static let yaml: RecordFormat = {
    var options = YAMLOptions()
    (options.records, options.each) = ("a", "b")
    (options.maxRecordBytes, options.maxAnchorBytes) = (100, 500)
    return .yaml(options)
  }()

  @Test("a record that is too long ends in an error, in whatever pieces it comes", arguments: [1, 7, 64, .max])
  func longRecords(chunk: Int) throws {
    let inputs = [
      (Self.xml, "readers-xml/found-long-record-of-several-cells"),
      (Self.yaml, "readers-yaml/found-long-record-at-an-anchor"),
    ]
    for (format, name) in inputs {
      let url = URL(fileURLWithPath: Locations.repository + "/Tests/Fuzz/Corpus/" + name)
      let bytes = [UInt8](try Data(contentsOf: url).dropFirst())
      let columns = ["a", "b", "b.c", "b.@k", "@k", "#text", "p:a", "first name", "a.b.#text"]
      for request in [ColumnRequest.all, .named(columns)] {
        var codes: Set<RecordError.Code> = []
        let failure = #expect(throws: ReadError.self) {
          var reader = try format.reader(
            source: ByteSource(bytes: bytes, chunkSizes: [chunk]), columns: request, index: 0)
          var batch = RecordBatch()
          while try reader.read(into: &batch, limit: BatchLimit()) { codes.formUnion(batch.errors.map(\.code)) }
        }
        #expect(failure?.code == .invalidDocument, "\(name)")
        #expect(codes.isSubset(of: [.recordTooLong]), "\(name)")
      }
    }
  }
}
