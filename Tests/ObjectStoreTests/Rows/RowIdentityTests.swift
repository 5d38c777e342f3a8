import MergewalkObjectModel
import MergewalkTestSupport
import Testing

@testable import MergewalkObjectStore

@Suite("Rows by their keys")
struct RowIdentityTests {
  @Test("are found as a dictionary finds them, however late the first look comes", arguments: Soak.seeds(24, from: 1))
  func agreesWithDictionary(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let model = try Models.zoo()
    let animal = try #require(model.entity(named: "Animal"))
    let buffer = RowBuffer(model: model, root: animal)
    var rows: [Int64: Int] = [:]
    var unused: Int64 = 1
    // Rows that nobody looked for are in no table yet: some seeds look from the start, others late, others at the end.
    let firstLook = [0, 200, 900, 2_000][Int(seed % 4)]
    for step in 0..<1_500 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<5:
        rows[unused] = buffer.takeRow(entity: Int32(animal.index), state: RowState.clean, primaryKey: unused)
        unused += 1
      case 5..<8:
        guard let (key, row) = rows.sorted(by: { $0.key < $1.key }).randomElement(using: &random) else { continue }
        buffer.release(row: row)
        rows[key] = nil
      case 8:
        guard let (key, row) = rows.sorted(by: { $0.key < $1.key }).randomElement(using: &random) else { continue }
        buffer.setPrimaryKey(row: row, -unused)
        rows[key] = nil
        rows[-unused] = row
        unused += 1
      default:
        guard step >= firstLook else { continue }
        let key = Int64.random(in: -unused...unused, using: &random)
        #expect(buffer.row(primaryKey: key) == rows[key], "seed \(seed), step \(step), key \(key)")
      }
    }
    for key in -unused...unused { #expect(buffer.row(primaryKey: key) == rows[key], "seed \(seed), key \(key)") }
  }
}
