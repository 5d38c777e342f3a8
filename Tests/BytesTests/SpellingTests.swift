import MergewalkBytes
import Foundation
import MergewalkTestSupport
import Testing

@Suite("Bytes as text") struct SpellingTests {
  private static func bytes(_ seed: UInt64) -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    return (0..<Int.random(in: 0..<20, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  @Test("base64 is Foundation's, and comes back in every form")
  func base64() {
    for seed in Soak.seeds(100) {
      let bytes = Self.bytes(seed)
      let text = Data(bytes).base64EncodedString()
      #expect(Base64.text(bytes) == text, "seed \(seed)")
      for form in [Base64.Form.padded, .spaced, .exact] {
        #expect(Base64.decode(text.utf8, form) == bytes, "seed \(seed)")
      }
      let broken = text.map { "\($0)\n" }.joined()
      #expect(Base64.decode(broken.utf8, .spaced) == bytes, "seed \(seed)")
      #expect(Base64.decode(broken.utf8, .padded) == (bytes.isEmpty ? [] : nil), "seed \(seed)")
      let url = text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
      #expect(Base64.decode(url.utf8, .exact) == bytes, "seed \(seed)")
    }
  }

  @Test(
    "what is no base64 of a form",
    arguments: [
      ("A", "pse"), ("AA", "ps"), ("AAA", "ps"), ("AA=", "pse"), ("A===", "pse"), ("====", "pse"), ("AA==AA==", "pse"),
      ("AA=A", "pse"), ("A-__", "ps"), ("AB==", "e"), ("AAB=", "e"), ("AA AA", "pe"), ("AA==\n", "pe"), ("AA*=", "pse"),
      ("=", "pse"), ("AAAA=", "pse"),
    ])
  func noBase64(text: String, refusers: String) {
    for (letter, form) in [("p", Base64.Form.padded), ("s", .spaced), ("e", .exact)] {
      let isRefused = Base64.decode(text.utf8, form) == nil
      #expect(isRefused == refusers.contains(letter), "\(form)")
    }
  }

  @Test("hexadecimal digits come back, in both cases")
  func hexadecimal() {
    for seed in Soak.seeds(50) {
      let bytes = Self.bytes(seed)
      let text = bytes.map { String(format: "%02x", $0) }.joined()
      #expect(Hexadecimal.text(bytes) == text && Hexadecimal.text(bytes, .capital) == text.uppercased(), "seed \(seed)")
      #expect(Hexadecimal.decode(text.utf8) == bytes, "seed \(seed)")
      #expect(Hexadecimal.decode(text.uppercased().utf8) == bytes, "seed \(seed)")
    }
    for text in ["a", "0g", "g0", "/0", ":0", "@0", "`0", "０a"] {
      #expect(Hexadecimal.decode(text.utf8) == nil, "\(text)")
    }
    for byte in 0...UInt8.max {
      #expect((Hexadecimal.value(byte) <= 15) == Unicode.Scalar(byte).properties.isASCIIHexDigit)
    }
    #expect(Hexadecimal.text(0xAB as UInt64, width: 4) == "00ab")
    #expect(Hexadecimal.text(0xABCDE as UInt64, width: 4, .capital) == "ABCDE")
  }

  @Test("UUIDs are Foundation's")
  func uuids() {
    for seed in Soak.seeds(50) {
      var random = SeededGenerator(seed: seed)
      let (high, low) = (
        UInt64.random(in: 0...UInt64.max, using: &random), UInt64.random(in: 0...UInt64.max, using: &random)
      )
      let text = UUIDText.text(high, low)
      #expect(UUID(uuidString: text)?.uuidString == text, "seed \(seed)")
      for spelling in [text, text.lowercased()] {
        let halves = UUIDText.halves(spelling)
        #expect(halves?.high == high && halves?.low == low, "seed \(seed)")
      }
      for spelling in ["{\(text)}", text.replacing("-", with: "")] {
        #expect(UUIDText.halves(spelling) == nil && decode(spelling) == decode(text), "seed \(seed)")
      }
    }
  }

  private func decode(_ text: String) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 16)
    return Array(text.utf8).withUnsafeBufferPointer { UUIDText.decode($0, into: &bytes) } ? bytes : nil
  }

  @Test(
    "what is no UUID",
    arguments: [
      "", "E621E1F8-C36C-495A-93FC-0C247A3E6E5", "E621E1F8-C36C-495A-93FC-0C247A3E6E5FF",
      "E621E1F8C-36C-495A-93FC-0C247A3E6E5F", "E621E1F8-C36C-495A-93FC-0C247A3E6E5G",
      "(E621E1F8-C36C-495A-93FC-0C247A3E6E5F)", "{E621E1F8-C36C-495A-93FC-0C247A3E6E5F",
      "E621E1F8+C36C-495A-93FC-0C247A3E6E5F",
    ])
  func noUUID(text: String) {
    #expect(UUIDText.halves(text) == nil && decode(text) == nil)
  }

  @Test("ascending numbers come back; damaged ones end where they stop making sense")
  func ascendingNumbers() {
    for numbers in [[], [0], [7, 7, 8, 127, 128, 500_000, 1 << 40, Int.max]] {
      #expect(AscendingNumbers.decode(AscendingNumbers.encode(numbers)) == numbers)
    }
    #expect(AscendingNumbers.encode(Array(1...100)).count == 100)
    #expect(AscendingNumbers.decode([0x81]) == [])
    #expect(AscendingNumbers.decode([5, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]) == [5])
  }

  @Test("the search finds the first place, as a walk does")
  func search() {
    for count in 0..<20 {
      for first in 0...count {
        var questions = 0
        let found = (3..<3 + count).first(fromWhich: {
          questions += 1
          return $0 >= 3 + first
        })
        #expect(found == 3 + first)
        #expect(questions <= 5)
      }
    }
  }
}
