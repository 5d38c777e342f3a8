import Foundation
@testable import MergewalkImporting
import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

@Suite struct RejectCodeTests {
  @Test func stagesAgreeOnTheirCodes() {
    for code in ConversionFailureCode.allCases { #expect(RejectCode(code).rawValue == code.rawValue) }
    for code in ValidationFailureCode.allCases { #expect(RejectCode(code).rawValue == code.rawValue) }
    for code in RecordError.Code.allCases { #expect(RejectCode(code).rawValue == "read." + code.rawValue) }
    let stages =
      RecordError.Code.allCases.count + ConversionFailureCode.allCases.count + ValidationFailureCode.allCases.count
    let own: [RejectCode] = [
      .nullKey, .emptyKey, .duplicateKey, .missingTarget, .inverse, .unique, .database, .valueIdentities, .deleteDenied,
      .storeBadName,
    ]
    let transforms = RejectCode.allCases.filter(\.isAboutSource)
    #expect(
      transforms.allSatisfy { ["transform", "process", "hook", "contract"].contains($0.rawValue.prefix { $0 != "." }) })
    #expect(RejectCode.allCases.count == stages + own.count + transforms.count)
  }

  @Test func everyCodeIsDocumentedAndNoOther() throws {
    let documentation = try String(contentsOfFile: Locations.repository + "/docs/rejects.md", encoding: .utf8)
    var documented: [String] = []
    for line in documentation.split(separator: "\n") {
      guard let match = line.firstMatch(of: /^\| `([a-z]+\.[a-zA-Z0-9]+)` \|/) else { continue }
      documented.append(String(match.1))
    }
    #expect(documented.sorted() == RejectCode.allCases.map(\.rawValue).sorted())
    for code in ValidationFailureCode.allCases {
      #expect(documentation.contains("| `\(code.rawValue)` | \(code.coreDataErrorNumber) |"), "\(code)")
    }
  }

  @Test func everyConversionHasItsSectionInTheDocumentation() throws {
    let documentation = try String(contentsOfFile: Locations.repository + "/docs/conversions.md", encoding: .utf8)
    for type in AttributeType.allCases where ![.undefined, .objectID, .composite].contains(type) {
      #expect(documentation.contains("**\(type.xmlName)**"), "\(type)")
    }
    for policy in FieldImport.Substitute.allCases { #expect(documentation.contains("`\(policy.rawValue)`")) }
  }

  @Test(arguments: [
    ("31.02.2024", "\"31.02.2024\""), ("a\nb\t\u{1}\u{7F}", "\"a\\nb\\t\\u{1}\\u{7f}\""), ("", "\"\""),
    ("é😀", "\"é😀\""),
    ("a\u{2028}\u{85}", "\"a\\u{2028}\\u{85}\""),
    (String(repeating: "x", count: 64), "\"" + String(repeating: "x", count: 64) + "\""),
    (String(repeating: "x", count: 65), "\"" + String(repeating: "x", count: 64) + "\"… (65 bytes)"),
    (String(repeating: "x", count: 63) + "é", "\"" + String(repeating: "x", count: 63) + "\"… (65 bytes)"),
  ])
  func valuesAreShownShortAndOnOneLine(text: String, expected: String) {
    #expect(Array(text.utf8).withUnsafeBytes { RejectMessage.shown($0) } == expected)
  }

  @Test func bytesThatAreNotTextAreShownAsEscapes() {
    let bytes: [UInt8] = [0x61, 0xFF, 0xC3, 0x28, 0xE2, 0x82]
    #expect(bytes.withUnsafeBytes { RejectMessage.shown($0) } == "\"a\\u{ff}\\u{c3}(\\u{e2}\\u{82}\"")
  }

  @Test func messagesSayWhatWasFoundAndExpectedWhere() throws {
    var field = FieldImport(attributeName: "orderedAt", column: "ordered_at")
    let attribute = AttributeDescription(name: "orderedAt", type: .date)
    func message(_ code: RejectCode, _ text: String?) throws -> String {
      let compiled = try CompiledField(field, attribute: attribute)
      guard let text else { return RejectMessage.text(code, value: nil, field: compiled, entity: "Order") }
      return Array(text.utf8).withUnsafeBytes {
        RejectMessage.text(code, value: $0, field: compiled, entity: "Order")
      }
    }
    #expect(try message(.valueDate, "31.02.2024") == "\"31.02.2024\" is not a date (ISO 8601) for Order.orderedAt")
    field.conversion.dateFormat = .pattern("dd.MM.yyyy")
    #expect(try message(.valueDate, "x") == "\"x\" is not a date (dd.MM.yyyy) for Order.orderedAt")
    #expect(try message(.validateMissing, nil) == "Order.orderedAt is not optional and has no value")
    #expect(try message(.missingTarget, "x") == "there is no Order with Order.orderedAt = \"x\"")
    for unnamed in [nil, ""] {
      #expect(try message(.missingTarget, unnamed) == "the record names no Order: Order.orderedAt is empty")
    }
    let others: [RejectCode] = [.database, .storeBadName]
    for code in RejectCode.allCases
    where !code.rawValue.hasPrefix("read.") && !others.contains(code) && !code.isAboutSource {
      #expect(try message(code, "x").contains("Order"), "\(code)")
    }
  }
}
