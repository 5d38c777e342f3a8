import MergewalkDiagnostics
import Foundation
import Testing

@testable import MergewalkRecordFormats

@Suite struct XMLEncodingTests {
  private func encoded(_ text: String, _ name: String) throws -> [UInt8] {
    let input = Process()
    input.executableURL = URL(fileURLWithPath: "/usr/bin/iconv")
    input.arguments = ["-f", "UTF-8", "-t", name]
    let (inPipe, outPipe) = (Pipe(), Pipe())
    input.standardInput = inPipe
    input.standardOutput = outPipe
    try input.run()
    inPipe.fileHandleForWriting.write(Data(text.utf8))
    try inPipe.fileHandleForWriting.close()
    let data = outPipe.fileHandleForReading.readDataToEndOfFile()
    input.waitUntilExit()
    return Array(data)
  }

  @Test(
    "the declaration or the byte order mark tells the encoding",
    arguments: [
      "UTF-8", "ISO-8859-1", "ISO-8859-15", "windows-1252", "UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "UTF-32LE",
      "UTF-32BE", "IBM037", "IBM1047", "IBM500", "KOI8-R", "Shift_JIS", "EUC-JP", "GB18030", "Big5", "MACINTOSH",
      "ISO-2022-JP",
    ])
  func declared(_ name: String) throws {
    let word: String =
      switch name {
      case "KOI8-R": "Привет"
      case "Shift_JIS", "EUC-JP", "ISO-2022-JP": "日本語ア"
      case "GB18030", "Big5": "中文"
      case "UTF-8", "UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "UTF-32LE", "UTF-32BE": "é日😀"
      default: "Zoë"
      }
    let text = "<?xml version=\"1.0\" encoding='\(name)' ?>\n<r><i k=\"\(word)\"><a>\(word)\n&#x20AC;</a></i><i/></r>"
    let bytes = try encoded(text, name)
    for size in [1, 3, Int.max] {
      #expect(
        XMLSample(bytes: bytes).reading(["a", "@k"], arrivals: [size])
          == Reading(lines: ["\(word)⏎€|\(word)", "·|·"]), "\(name)")
    }
  }

  @Test("offsets are those of the file")
  func offsets() throws {
    let bytes = try encoded("<?xml version=\"1.0\" encoding='UTF-16BE'?><r><i/><i><a>é</a></i></r>", "UTF-16BE")
    let batch = try XMLSample(bytes: bytes).batch(["a"])
    #expect(batch.records[1].byteOffset == 2 * 48 && batch.records[1].column == 49)
    #expect(batch.position(1, 0).byteOffset == 2 * 54)
  }

  @Test("a byte order mark is no part of the document, and stronger than the declaration")
  func mark() {
    let text = Array("<?xml version='1.0' encoding='ISO-8859-1'?><r><i><a>é</a></i></r>".utf8)
    #expect(XMLSample(bytes: [0xEF, 0xBB, 0xBF] + text).lines(["a"]) == ["é"])
    #expect(XMLSample(bytes: text).lines(["a"]) == ["Ã©"])
    #expect(XMLSample(bytes: text) { $0.encoding = .utf8 }.lines(["a"]) == ["é"])
  }

  @Test("encodings that are not known, or that the declaration itself is not in, are refused")
  func refused() {
    func failure(_ name: String) -> String? {
      XMLSample("<?xml version='1.0' encoding='\(name)'?><r/>").reading(["a"]).failure
    }
    #expect(failure("nothing-like-it") == "unknownEncoding")
    #expect(failure("UTF-16") == "invalidDocument")
    #expect(failure("utf-8") == nil)
    #expect(failure("UTF-8//IGNORE") == "unknownEncoding")
  }
}
