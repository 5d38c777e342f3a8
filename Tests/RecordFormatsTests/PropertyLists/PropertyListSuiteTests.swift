import Foundation
import MergewalkTestSupport
import Testing

private func files(_ folder: String) -> [String] {
  guard Locations.shared != nil else { return [] }
  let path = Locations.shared("suites/plist/" + folder)
  return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted().map { folder + "/" + $0 }
}

/// The files of libplist's and GNUstep's tests, judged as those projects judge them.
@Suite(.enabled(if: Locations.shared != nil)) struct PropertyListSuiteTests {
  /// What libplist's tests want refused (a wrong reference, a wrong tag, a key that is no string, a list inside itself), and
  /// GNUstep's.
  private static let refused = [
    "amp.plist", "invalid_tag.plist", "malformed_dict.bplist", "recursion.bplist", "cyclic.plist",
  ]

  private func read(_ name: String, _ columns: [String]? = nil) throws -> Reading {
    readList(Array(try Data(contentsOf: URL(fileURLWithPath: Locations.shared("suites/plist/" + name)))), columns)
  }

  @Test("lists are read or refused", arguments: files("libplist-test-data") + files("gnustep-PropertyLists"))
  func judged(_ name: String) throws {
    if name.hasSuffix(".json") { return }
    let start = ProcessorTime.now
    let reading = try read(name)
    if Self.refused.contains(String(name.split(separator: "/")[1])) {
      #expect(reading.failure?.hasPrefix("invalidDocument") == true && reading.lines.isEmpty)
    } else if name.hasSuffix("empty_keys.plist") {
      // libplist keeps one of two members of the same name; here that refuses the record.
      #expect(reading.failure == nil && reading.lines == ["duplicateMember@5:5"])
    } else {
      #expect(reading.failure == nil && !reading.lines.isEmpty)
    }
    #expect(ProcessorTime.now - start < .seconds(5))
  }

  @Test(
    "XML and binary are equal",
    arguments: [
      ("signed.plist", "signed.bplist"), ("unsigned.plist", "unsigned.bplist"),
      ("signedunsigned.plist", "signedunsigned.bplist"), ("order.plist", "order.bplist"),
    ]
      + (1...8).map { ("offxml.plist", "off\($0)byte\($0 == 1 ? "" : "s").bplist") }
      + (1...8).map { ("offxml.plist", "dictref\($0)byte\($0 == 1 ? "" : "s").bplist") })
  func pair(_ xml: String, _ binary: String) throws {
    let left = try read("libplist-test-data/" + xml)
    let right = try read("libplist-test-data/" + binary)
    #expect(left == right && left.failure == nil && !left.lines.isEmpty)
  }

  @Test("OpenStep text has what libplist reads in it")
  func openStep() throws {
    let first = try read("libplist-test-data/o1.ostep", ["test", "more.a", "foo"])
    #expect(first.lines.first?.hasPrefix("$[\"1\",\"1\"]|«yo»|$[[\"-1337\"],") == true)
    let second = try read("libplist-test-data/o2.ostep", ["Some Int", "Some String with Unicode entity"])
    #expect(second.lines == ["32434543632|«Yeah check this: \u{1234} !!!»"])
    let third = try read("libplist-test-data/o3.ostep", ["AFirstKey", "BFirstKey", "CSecondKey"])
    #expect(third.lines == ["«A First Value»|·|·", "·|·|«C Second Corrected Value»"])
    let strings = try read("libplist-test-data/test.strings")
    #expect(strings.lines.count == 12 && strings.lines[4] == "«ENTRY1»|«日本語»")
  }

  @Test("both encodings of GNUstep's lists are equal", arguments: ["plist", "strings"])
  func gnustep(_ suffix: String) throws {
    let wide = try read("gnustep-PropertyLists/non_ascii_utf16." + suffix)
    let narrow = try read("gnustep-PropertyLists/non_ascii_utf8." + suffix)
    #expect(wide.lines.count == narrow.lines.count && wide.failure == nil && narrow.failure == nil)
    #expect(wide.lines.joined().contains("åäö"))
  }
}
