import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

/// The example of `docs/default-data.md`, compiled and run.
@Suite("Default data page")
struct DefaultDataExamples {
  private static func install(at path: String, from prepared: String, _ model: ManagedObjectModel) throws -> [StoreSeed]
  {
    // Page: install
    let data = DefaultData(identity: "categories-1")

    // A prepared store: copies its file if there is no store, or its objects unless the store has them already.
    try data.installIfNeeded(at: path, copyOf: prepared)

    // A few objects created by code, in one transaction with the mark.
    try DefaultData(identity: "welcome-1").installIfNeeded(at: path, model: model) { context in
      let category = try context.insert("Category")
      try category.setValue(.string("Welcome"), forKey: "name")
    }

    // The default data of a store, read without opening it.
    let seeds = try StoreMetadata.read(path: path).seeds
    // Page: end
    return seeds
  }

  @Test func `the page shows what is compiled here`() throws {
    let text = try Pages.text("Tests/DocumentationTests/DefaultDataExamples.swift")
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex(of: "    // Page: install"))
    let end = try #require(lines.firstIndex(of: "    // Page: end"))
    let example = lines[(start + 1)..<end].map { $0.dropFirst(4) + "\n" }.joined()
    // Parts of package files are not of a program.
    let blocks = try Pages.blocks("swift", of: "docs/default-data.md").filter { !$0.contains(".executableTarget(") }
    #expect(blocks == [example])
  }

  @Test func `the example installs both, once`() throws {
    let folder = TemporaryFolder()
    let model = try ManagedObjectModel(ModelReader.read(Locations.fixtures + "/shop/Shop.xcdatamodeld"))
    let prepared = folder.file("default.sqlite")
    try DefaultData(identity: "categories-1").installIfNeeded(at: prepared, model: model) { context in
      try context.insert("Category").setValue(.string("Books"), forKey: "name")
    }
    for _ in 0..<2 {
      let seeds = try Self.install(at: folder.file("mine.sqlite"), from: prepared, model)
      #expect(seeds.map(\.identity) == ["categories-1", "welcome-1"])
      #expect(try StoreVerifier.verify(path: folder.file("mine.sqlite"), model: model).checkedRows == 2)
    }
  }
}
