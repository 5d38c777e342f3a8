import Foundation
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

@Suite("Tokens of history")
struct HistoryTokenTests {
  static let first = "01234567-89AB-CDEF-0123-456789ABCDEF"
  static let second = "F1234567-89AB-CDEF-0123-456789ABCDEF"

  @Test("tokens come back from text and from Codable")
  func roundTrip() throws {
    let one = try #require(PersistentHistoryToken(storeID: Self.first, transactionNumber: 17))
    let other = try #require(PersistentHistoryToken(storeID: Self.second, transactionNumber: 0))
    let both = PersistentHistoryToken([other, one])
    #expect(one.description == "\(Self.first):17")
    #expect(both.description == "\(Self.first):17,\(Self.second):0")
    for token in [one, other, both] {
      #expect(PersistentHistoryToken(token.description) == token)
      #expect(try JSONDecoder().decode(PersistentHistoryToken.self, from: JSONEncoder().encode(token)) == token)
    }
    #expect(both.storeIDs == [Self.first, Self.second])
    #expect(both.transactionNumber(forStore: Self.second) == 0)
    #expect(one.transactionNumber(forStore: Self.second) == nil)
    let later = try #require(PersistentHistoryToken(storeID: Self.first, transactionNumber: 18))
    #expect(PersistentHistoryToken([later, both]).transactionNumber(forStore: Self.first) == 18)
  }

  @Test(
    "texts that are no tokens are refused",
    arguments: [
      "", ",", ":", "17", "\(first)", "\(first):", ":17", "\(first):-1", "\(first):+1", "\(first):1:2", "\(first):1,",
      "\(first):1,\(first):2", "\(first):9223372036854775808", "\(first):1 ", "\(first):१",
      "01234567-89ab-cdef-0123-456789abcdef:1", String(repeating: "\(first):1,", count: 10_000),
    ])
  func refused(_ text: String) {
    #expect(PersistentHistoryToken(text) == nil)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(PersistentHistoryToken.self, from: JSONEncoder().encode(text))
    }
  }

  @Test("a store that is none and a negative number make no token")
  func badParts() {
    #expect(PersistentHistoryToken(storeID: "shop", transactionNumber: 1) == nil)
    #expect(PersistentHistoryToken(storeID: Self.first, transactionNumber: -1) == nil)
  }

  @Test("random texts never trap")
  func randomTexts() {
    let seed = Soak.seed(4104)
    var random = SeededGenerator(seed: seed)
    let alphabet = Array("0123456789ABCDEF-:,x")
    for _ in 0..<5000 {
      var text = "\(Self.first):\(Int.random(in: 0...99, using: &random))"
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        var characters = Array(text)
        guard let place = characters.indices.randomElement(using: &random) else { continue }
        characters[place] = alphabet.randomElement(using: &random) ?? "x"
        text = String(characters)
      }
      if let token = PersistentHistoryToken(text) {
        #expect(PersistentHistoryToken(token.description) == token, "seed \(seed), text \(text)")
      }
    }
  }
}
