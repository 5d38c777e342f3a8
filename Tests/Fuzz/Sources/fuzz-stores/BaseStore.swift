import FileFuzzing
import MergewalkImport

/// A small sound store, and ways to damage it.
struct BaseStore {
  let model: ManagedObjectModel
  let definition: ImportDefinition
  private let bytes: [UInt8]
  private let inputs: [(name: String, text: String)]

  init(_ folder: FuzzFolder) throws {
    let model = """
      entities:
        Item:
          attributes: { code: string!, amount: integer32, price: decimal, made: date, mark: uuid, picture: binary, note: string, good: boolean, weight: double }
          relationships:
            maker: { to_one: Maker, inverse: items }
            parts: { to_many: Item, inverse: wholes }
            wholes: { to_many: Item, inverse: parts }
          unique: [code]
        Special: { parent: Item, attributes: { extra: string } }
        Maker:
          attributes: { name: string! }
          relationships: { items: { to_many: Item, inverse: maker, ordered: true } }
          unique: [name]
      """
    let pipeline = """
      pipeline: items
      model: model.yaml
      store: s.sqlite
      source: in.csv
      import:
        entity: Item
        find_by: code
        attributes: { code: code, amount: amount, price: price, made: made, mark: mark, note: note, good: good, weight: weight }
        relationships:
          maker: { find_by: { name: maker } }
      rejects: rejects.ndjson
      """
    var rows = "code,amount,price,made,mark,note,good,weight,maker\n"
    for n in 0..<40 {
      rows +=
        "k\(n),\(n * 31),\(n).25,2026-01-\(10 + n % 20)T00:00:00Z,0000000\(n % 10)-0000-4000-8000-00000000000\(n % 10)"
      rows += ",\(String(repeating: "n\(n) ", count: n == 7 ? 1_200 : n % 5)),\(n % 2),\(n).5,m\(n % 6)\n"
    }
    var inputs = [("model.yaml", model), ("p.yaml", pipeline), ("in.csv", rows)]
    Self.write(inputs, folder)
    let read = try Pipeline.read(folder.path + "/p.yaml")
    _ = try ImportSession(read.definition).run()
    self.model = read.definition.model
    // The import of the damaged store changes half of the rows.
    inputs[2].1 = rows.replacing(".5,m", with: ".6,m")
    self.inputs = inputs
    definition = read.definition
    bytes = folder.bytes("s.sqlite")
  }

  /// Writes the files that the import reads.
  func writeInputs(_ folder: FuzzFolder) { Self.write(inputs, folder) }

  private static func write(_ inputs: [(name: String, text: String)], _ folder: FuzzFolder) {
    for (name, text) in inputs { folder.write(name, text.utf8) }
  }

  /// The store with changes: each is a kind, a place of three bytes, a length, and bytes.
  func damaged(by data: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var (store, at) = (bytes, 0)
    func next() -> Int {
      defer { at += 1 }
      return at < data.count ? Int(data[at]) : 0
    }
    while at < data.count {
      let kind = next() % 4
      let drawn = next() << 16 | next() << 8 | next()
      guard !store.isEmpty else { break }
      switch kind {
      case 0: store.removeLast(drawn % store.count)
      case 1:  // In the header of a page, or among its cells' places.
        let page = drawn >> 8 % max(store.count / 4096, 1)
        change(&store, page * 4096 + drawn & 0x3f + (page == 0 ? 100 : 0), next() % 8, next)
      default: change(&store, drawn % store.count, next() % 24, next)
      }
    }
    return store
  }

  private func change(_ store: inout [UInt8], _ start: Int, _ count: Int, _ next: () -> Int) {
    for place in start...(start + count) where place < store.count { store[place] = UInt8(next()) }
  }
}
