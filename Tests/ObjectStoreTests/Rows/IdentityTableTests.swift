import MergewalkTestSupport
import Testing

@testable import MergewalkObjectStore

@Suite("Identity table")
struct IdentityTableTests {
  @Test("finds what a dictionary finds, through inserts, removals and growth", arguments: Soak.seeds(8, from: 1))
  func agreesWithDictionary(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var table = IdentityTable()
    var plain: [Int64: Int32] = [:]
    // A row's key stays in place when the row is removed from the table, as in a row buffer.
    let keys = UnsafeMutablePointer<Int64>.allocate(capacity: 20_000)
    defer { keys.deallocate() }
    var count: Int32 = 0
    let range: ClosedRange<Int64> = seed % 2 == 0 ? 1...500 : .min ... .max
    for _ in 0..<20_000 {
      let key = Int64.random(in: range, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<5 where plain[key] == nil:
        keys[Int(count)] = key
        table.insert(count, in: keys)
        plain[key] = count
        count += 1
      case 5..<8:
        let victim = plain.keys.randomElement(using: &random) ?? key
        table.remove(victim, in: keys)
        plain[victim] = nil
      default:
        let wanted = plain.keys.randomElement(using: &random) ?? key
        if table.find(wanted, in: keys) != plain[wanted] { Issue.record("seed \(seed): \(wanted) is not found") }
      }
      if table.find(key, in: keys) != plain[key] { Issue.record("seed \(seed): \(key) differs") }
    }
    for (key, row) in plain where table.find(key, in: keys) != row { Issue.record("seed \(seed): \(key) is lost") }
    table.removeAll()
    #expect(plain.keys.allSatisfy { table.find($0, in: keys) == nil })
  }

  @Test("an empty table finds and removes nothing")
  func empty() {
    var table = IdentityTable()
    let keys: [Int64] = [1]
    keys.withUnsafeBufferPointer { keys in
      guard let keys = keys.baseAddress else { return }
      table.remove(1, in: keys)
      #expect(table.find(1, in: keys) == nil)
    }
  }
}
