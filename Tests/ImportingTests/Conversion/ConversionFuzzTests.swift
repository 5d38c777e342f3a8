@testable import MergewalkImporting
import MergewalkObjectModel
import MergewalkObjectStore
@testable import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

@Suite struct ConversionFuzzTests {
  /// Alphabets in which random texts come near what each type expects.
  private static let alphabets = [
    "0123456789", "0123456789+-.eE,", "0123456789-:TZ +.", "0123456789abcdefABCDEF-{}", "ABab09+/-_=",
    "http:/[]@%#?é 0",
    "truefalsTRUEyno10", " \t\u{A0}\u{3000}aé😀\u{85}",
  ]

  /// Every way of converting, over bytes that are nearly right: nothing traps, every cell is one of its type and lies
  /// in the batch, and every failure is reported once.
  @Test(arguments: [UInt64(81), 82, 83])
  func anyBytesGiveACellOfTheTypeOrAFailure(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var fields: [MadeField] = []
    for _ in 0..<1_500 {
      let alphabet = Array(Self.alphabets[Int.random(in: 0..<Self.alphabets.count, using: &generator)])
      let length = Int.random(in: 0...(Bool.random(using: &generator) ? 12 : 45), using: &generator)
      let text = String((0..<length).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] })
      fields.append(MadeField(text, FieldState(rawValue: UInt8.random(in: 0...7, using: &generator)) ?? .text))
    }
    let types = AttributeType.allCases.filter { ![.undefined, .objectID, .composite].contains($0) }
    for type in types {
      for variant in 0..<6 {
        var attribute = AttributeDescription(name: "a", type: type)
        attribute.isOptional = true
        attribute.defaultValue = type == .string ? .string("default") : nil
        var field = FieldImport(attributeName: "a", column: "a")
        field.conversion.trim = variant % 2 == 1
        if variant >= 2 {
          field.conversion.groupMark = UInt8(ascii: ",")
          field.conversion.binaryEncoding = variant == 2 ? .hex : .raw
          field.conversion.dateFormat =
            [
              .pattern("d.M.y H:m:s.SSS Z"), .pattern("EEE d MMM yyyy hh:mm a"), .secondsSince1970,
              .millisecondsSince1970,
            ][variant - 2]
          field.whenNull = .reject
          field.whenEmpty = .useDefault
        }
        let compiled = try CompiledField(field, attribute: attribute)
        var batch = makeBatch(fields)
        var cells = CellColumn()
        var failures: [FieldFailure] = []
        compiled.convert(&batch, column: 0, into: &cells, failures: &failures)
        let allowed = Self.tags(of: type)
        for row in fields.indices {
          let tag = cells.tags[row]
          #expect(allowed.contains(tag) || tag <= CellTag.null || tag >= CellTag.absent, "seed \(seed): \(type) \(tag)")
          if tag == CellTag.text || tag == CellTag.blob {
            let range = ByteRange(payload: cells.payloads[row])
            #expect(range.offset + range.length <= batch.byteCount, "seed \(seed)")
          }
        }
        let failed = fields.indices.filter { cells.tags[$0] == CellTag.failed }
        #expect(failures.map { Int($0.record) } == failed, "seed \(seed): \(type)")
      }
    }
  }

  private static func tags(of type: AttributeType) -> [UInt8] {
    switch type {
    case .integer16, .integer32, .integer64, .boolean: [CellTag.integer]
    case .decimal: [CellTag.integer, CellTag.real]
    case .double, .float, .date: [CellTag.real]
    case .string, .uri: [CellTag.text]
    default: [CellTag.blob]
    }
  }
}
