import MergewalkTestSupport
import Testing
import MergewalkYAML

@Suite struct YAMLOutputTests {
  @Test func `block and flow values are laid out as people write them`() {
    let value = YAMLOutput.mapping([
      ("model", .string("Shop")),
      ("empty", .mapping([])),
      ("entities", .mapping([("Order", .flowMapping([("n", .literal("1")), ("s", .string("a, b"))]))])),
      ("list", .list([.string("x"), .mapping([("a", .literal("1")), ("b", .flowList([.string("no")]))])])),
    ])
    #expect(
      value.text == """
        model: Shop
        empty: {}
        entities:
          Order: { n: 1, s: "a, b" }
        list:
          - x
          - a: 1
            b: ["no"]

        """)
  }

  @Test(arguments: 1...300 as ClosedRange<UInt64>)
  func `any text survives writing and reading`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let alphabet = Array(
      "ab z09:#,[]{}&*!|>'\"%@`-?.~\\\n\r\t\u{85}\u{2028}\u{FEFF}é日😀\u{7F}\u{0}_/$=<x".unicodeScalars)
    func text() -> String {
      var out = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...12, using: &random) {
        out.append(alphabet[Int.random(in: 0..<alphabet.count, using: &random)])
      }
      return String(out)
    }
    let key = text()
    let values = (0..<5).map { _ in text() }
    let tree = YAMLOutput.mapping([
      (key, .list(values.map { .string($0) })), (key + "2", .flowList(values.map { .string($0) })),
      (key + "3", .flowMapping([(values[0], .string(values[1]))])),
    ])
    let root = try YAMLDocument.parse(tree.text, path: "seed \(seed)")
    #expect(root.entries?[0].key.scalar == .string(key), "seed \(seed)\n\(tree.text)")
    #expect(root.entries?[0].value.items?.map(\.scalar) == values.map { .string($0) }, "seed \(seed)\n\(tree.text)")
    #expect(root.entries?[1].value.items?.map(\.scalar) == values.map { .string($0) }, "seed \(seed)\n\(tree.text)")
    #expect(root.entries?[2].value.entries?[0].key.text == values[0], "seed \(seed)\n\(tree.text)")
  }
}
