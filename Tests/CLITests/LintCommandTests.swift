import MergewalkTestSupport
import Testing

@Suite("mergewalk lint")
struct LintCommandTests {
  let folder = TemporaryFolder()

  private func pipeline(quantity: String = "quantity") -> String {
    """
    model: \(Locations.fixtures)/shop/Shop.xcdatamodeld
    store: ${STORE:-shop.sqlite}
    source: orders.csv
    import:
      entity: Order
      find_by: [orderID]
      attributes: { \(quantity): quantity, orderedAt: orderedAt }
      relationships:
        customer: { find_by: [email] }
        product: { find_by: [sku] }
    """
  }

  init() throws { try folder.write("orderID,orderedAt,quantity,email,sku\n", to: "orders.csv") }

  @Test("the repository's pipelines have no findings")
  func repository() throws {
    let command = try Command(
      ["lint", "pipelines/orders.yaml", "pipelines/orders-json.yaml", "pipelines/bad-orders.yaml"],
      in: Locations.repository)
    #expect(command.status == 0)
    #expect(command.output == "")
    #expect(command.words == "3 pipelines: no findings\n")
  }

  @Test("findings go to standard output with their place, and the exit code is 1")
  func findings() throws {
    try folder.write(pipeline(quantity: "quantty"), to: "p.yaml")
    let command = try Command(["lint", "p.yaml"], in: folder.path)
    #expect(command.status == 1)
    #expect(
      command.lines == [
        "p.yaml:7:17: error: “Order” has no attribute “quantty”; did you mean “quantity”? [unknownAttribute]"
      ])
    #expect(command.words == "1 pipeline: 1 error\n")
  }

  @Test("warnings alone are success")
  func warnings() throws {
    try folder.write(pipeline(), to: "p.yaml")
    try folder.write("orderID,orderedAt,quantity,email,sku,more\n", to: "orders.csv")
    let command = try Command(["lint", "p.yaml", "--quiet"], in: folder.path)
    #expect(command.status == 0)
    #expect(command.output.hasPrefix("p.yaml:3:9: warning: "))
    #expect(command.words == "")
  }

  @Test("--json prints an array")
  func json() throws {
    try folder.write(pipeline(quantity: "quantty"), to: "p.yaml")
    let command = try Command(["lint", "p.yaml", "--json"], in: folder.path)
    #expect(command.status == 1)
    #expect(
      command.output.hasPrefix(
        "[{\"severity\": \"error\", \"code\": \"unknownAttribute\", \"path\": \"p.yaml\", \"line\": 7, \"column\": 17, "
      ))
  }

  @Test("variables are set by --set, then by the environment")
  func variables() throws {
    try folder.write(pipeline().replacingOccurrences("${STORE:-shop.sqlite}", "${PLACE}/s.sqlite"), to: "p.yaml")
    #expect(try Command(["lint", "p.yaml"], in: folder.path).status == 1)
    #expect(try Command(["lint", "p.yaml", "--set", "PLACE=a"], in: folder.path).status == 0)
    #expect(try Command(["lint", "p.yaml"], in: folder.path, environment: ["PLACE": "a"]).status == 0)
  }

  @Test("a file that is not there is a finding")
  func missing() throws {
    let command = try Command(["lint", "none.yaml"], in: folder.path)
    #expect(command.status == 1)
    #expect(
      command.output
        == "none.yaml: error: there is no such file; the working directory has “orders.csv” [fileMissing]\n")
  }
}

extension String {
  /// The text with every occurrence of `other` replaced.
  func replacingOccurrences(_ other: String, _ replacement: String) -> String {
    split(separator: other, omittingEmptySubsequences: false).joined(separator: replacement)
  }
}
