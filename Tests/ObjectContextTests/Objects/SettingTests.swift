import MergewalkObjectModel
import MergewalkTestSupport
import Testing

@testable import MergewalkObjectContext

extension ObjectTests {
  @Suite("Setting attributes")
  struct SettingTests {
    /// Values of all kinds, at home in some attributes and strangers in others.
    private static let values: [AttributeValue] = [
      .null, .boolean(true), .boolean(false), .integer(0), .integer(7), .integer(70_000), .integer(.min), .double(0.1),
      .double(-0.0), .double(1e300), .date(0), .date(730_900_800.25),
      .decimal(DecimalNumber(significand: 1250, exponent: -2)),
      .decimal(DecimalNumber(significand: 1_234_567_890_123_456_789, exponent: -19)), .string(""), .string("Grüße"),
      .string(String(repeating: "x", count: 300)), .uri("https://example.org/"), .binary([]), .binary([1, 2, 3]),
      .uuid(1, 2),
    ]

    @Test("the short way sets what the long way sets, and refuses what it refuses", arguments: Soak.seeds(6, from: 1))
    func sameEitherWay(seed: UInt64) throws {
      var random = SeededGenerator(seed: seed)
      let place = try Workplace(Models.staff())
      let (short, long) = (try place.context.insert("Worker"), try place.context.insert("Worker"))
      let keys = short.entity.attributes.map(\.name)
      // Whoever is observed takes the long way.
      let observation = long.observe("name") { _ in }
      defer { withExtendedLifetime(observation) {} }
      for step in 0..<600 {
        let key = try #require(keys.randomElement(using: &random))
        let value = try #require(Self.values.randomElement(using: &random))
        let comment: Comment = "seed \(seed), step \(step): \(key) = \(value)"
        let codes = [short, long].map { object in
          objectErrorCode { () throws(ObjectError) in try object.setValue(value, forKey: key) }
        }
        #expect(codes[0] == codes[1], comment)
        #expect(try short.value(forKey: key) == long.value(forKey: key), comment)
        if step % 100 == 99 {
          for object in [short, long] {
            for attribute in object.entity.attributes where !attribute.isOptional && !attribute.isDerived {
              try object.setValue(attribute.defaultValue ?? .null, forKey: attribute.name)
            }
            try object.setValue(.integer(1), forKey: "age")
          }
          let changed = [short, long].map(\.hasChanges)
          #expect(changed[0] == changed[1], comment)
        }
      }
    }

    @Test("New keys are found by old ones, with and without gaps, and back", arguments: Soak.seeds(12, from: 1))
    func replacedKeys(seed: UInt64) {
      var random = SeededGenerator(seed: seed)
      let first = Int64.random(in: -5_000 ... -1_000, using: &random)
      var old = (0..<200).map { first + $0 }
      if seed % 3 > 0 { old.removeAll { _ in Bool.random(using: &random) } }
      if seed % 3 == 2 { old.shuffle(using: &random) }
      let pairs = old.enumerated().map { (old: $1, new: Int64(1_000 + $0)) }
      let keys = ReplacedKeys(pairs)
      let plain = Dictionary(uniqueKeysWithValues: pairs.map { ($0.old, $0.new) })
      let back = Dictionary(uniqueKeysWithValues: pairs.map { ($0.new, $0.old) })
      for key in (first - 3)...(first + 203) { #expect(keys[key] == plain[key], "seed \(seed), key \(key)") }
      for key in Int64(997)...1_203 { #expect(keys.inverted[key] == back[key], "seed \(seed), key \(key)") }
      #expect(Dictionary(uniqueKeysWithValues: keys.map { ($0, $1) }) == plain)
    }
  }
}
