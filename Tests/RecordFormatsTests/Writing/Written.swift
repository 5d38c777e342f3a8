import Foundation
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

/// What a row writer wrote into a file.
func written(
  _ format: RowFormat, _ columns: [String], _ body: (RowWriter) throws -> Void
) throws -> String {
  String(decoding: try writtenBytes(format, columns, body), as: UTF8.self)
}

/// The same as bytes.
func writtenBytes(
  _ format: RowFormat, _ columns: [String], _ body: (RowWriter) throws -> Void
) throws -> [UInt8] {
  let folder = TemporaryFolder()
  let path = try folder.write("", to: "rows")
  let file = try #require(FileHandle(forWritingAtPath: path))
  let writer = RowWriter(format, columns: columns, to: ByteSink(descriptor: file.fileDescriptor))
  try body(writer)
  try writer.finish()
  try file.close()
  return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
}

extension RowWriter {
  /// Writes bytes as text.
  func text(bytes: [UInt8]) { bytes.withUnsafeBytes { text($0) } }
  /// Writes bytes as a binary.
  func binary(bytes: [UInt8]) { bytes.withUnsafeBytes { binary($0) } }
  /// Writes one row of a lone text.
  func row(_ texts: String...) throws {
    for text in texts { self.text(text) }
    try endRow()
  }
}
