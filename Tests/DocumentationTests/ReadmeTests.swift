import MergewalkImporting
import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

@Suite("README")
struct ReadmeTests {
  private let folder = TemporaryFolder()
  private static let shop = Locations.fixtures + "/shop"

  /// The compiled examples, in their order, without indentation.
  private static func examples() throws -> [String] {
    var examples: [String] = []
    var current: String?
    for line in try Pages.text("Tests/DocumentationTests/ReadmeExamples.swift").split(
      separator: "\n", omittingEmptySubsequences: false)
    {
      if line == "    // README: end", let example = current {
        examples.append(example)
        current = nil
      } else if line.hasPrefix("    // README: ") {
        current = ""
      } else {
        current?.append(line.dropFirst(4) + "\n")
      }
    }
    return examples
  }

  @Test func `the Swift examples are those that are compiled here`() throws {
    let examples = try Self.examples()
    #expect(!examples.isEmpty)
    #expect(try Pages.blocks("swift", of: "docs/swift.md") == examples)
  }

  @Test func `its pipeline is the one that the demo runs`() throws {
    #expect(try Pages.blocks("yaml", of: "README.md") == [Pages.text("pipelines/orders.yaml")])
  }

  @Test func `the example that runs a pipeline imports the shop`() throws {
    let summary = try ReadmeExamples.runPipeline(
      Locations.repository + "/pipelines/orders.yaml", store: folder.file("shop.sqlite"))
    #expect(summary.inserted == 250)
    #expect(summary.unchanged == 5)
  }

  @Test func `the example that builds a definition imports customers`() throws {
    let summary = try ReadmeExamples.runDefinition(
      model: Self.shop + "/Shop.xcdatamodeld", store: folder.file("shop.sqlite"), input: Self.shop + "/orders-1.csv")
    #expect(summary.inserted == 20)
    #expect(summary.skipped == 140)
  }

  @Test func `the example that fetches finds orders and totals`() throws {
    let path = folder.file("shop.sqlite")
    _ = try ReadmeExamples.runPipeline(Locations.repository + "/pipelines/orders.yaml", store: path)
    let coordinator = PersistentStoreCoordinator(
      model: try ManagedObjectModel(ModelReader.read(Self.shop + "/Shop.xcdatamodeld")))
    try coordinator.addSQLiteStore(at: path)
    let found = try ReadmeExamples.fetchOrders(ManagedObjectContext(coordinator: coordinator))
    #expect(found.orders == 9)
    #expect(found.countries == 1)
    try coordinator.close()
  }

  @Test func `the example that changes objects makes one customer, and the second time none`() throws {
    let path = folder.file("shop.sqlite")
    for _ in 0..<2 {
      try ReadmeExamples.changeObjects(model: Self.shop + "/Shop.xcdatamodeld", store: path)
      let report = try StoreVerifier.verify(
        path: path, model: ManagedObjectModel(ModelReader.read(Self.shop + "/Shop.xcdatamodeld")))
      #expect(report.isSound)
      #expect(report.checkedRows == 1)
    }
  }
}
