import MergewalkTestSupport
import Testing

@Suite("mergewalk fetch of the elements of composite attributes")
struct CompositeFetchTests {
  let folder = TemporaryFolder()

  init() throws {
    try folder.write(
      """
      composites:
        Addr: { attributes: { city: string, place: { type: composite, composite: Point } } }
        Point: { attributes: { x: double } }
      entities:
        P:
          attributes: { n: integer64, home: { type: composite, composite: Addr } }
          relationships: { boss: { to_one: P, inverse: staff }, staff: { to_many: P, inverse: boss } }
      """, to: "model.yaml")
    try folder.write(
      """
      {"n":1,"home":{"city":"Sofia","place":{"x":2}}}
      {"n":2,"home":{"city":"Bergen","place":{"x":1}}}

      """, to: "in.ndjson")
    try folder.write(
      """
      model: model.yaml
      store: p.sqlite
      source: { files: in.ndjson }
      import: { entity: P, mode: insert, attributes: [n, home.city, home.place.x] }
      """, to: "p.yaml")
    let run = try Command(["run", "p.yaml", "--quiet"], in: folder.path)
    #expect(run.status == 0, "\(run.words)")
  }

  private func fetch(_ arguments: String...) throws -> Command {
    try Command(["fetch", "p.sqlite", "--entity", "P"] + arguments, in: folder.path)
  }

  @Test("predicates, columns and sort keys name them by their dotted names")
  func names() throws {
    let one = try fetch("--predicate", "home.city == %@", "--arg", "Sofia", "--columns", "n,home.city,home.place.x")
    #expect(one.output == "n,home.city,home.place.x\n1,Sofia,2.0\n", "\(one.words)")
    let sorted = try fetch("--columns", "city=home.city", "--sort", "home.city")
    #expect(sorted.output == "city\nBergen\nSofia\n", "\(sorted.words)")
    let deep = try fetch("--predicate", "home.place.x < 2 AND boss.home.city == nil", "--columns", "n")
    #expect(deep.output == "n\n2\n", "\(deep.words)")
  }

  @Test(
    "a composite attribute itself is refused, with its elements",
    arguments: [("--columns", "home"), ("--group-by", "home"), ("--sort", "home"), ("--predicate", "home == NULL")])
  func itself(_ option: String, _ text: String) throws {
    let command = try fetch(option, text)
    #expect(command.status == 2)
    let message = "\(option):1:1: error: P.home is a composite attribute, of which the store has the elements only"
    #expect(command.words.contains(message), "\(command.words)")
    #expect(command.words.contains("name an element: home.city, home.place.x\n"), "\(command.words)")
  }

  @Test("an error names the option that is to blame, or those that can be")
  func blame() throws {
    let distinct = try fetch("--distinct", "--columns", "home.city", "--sort", "n")
    #expect(
      distinct.words == "--distinct: error: distinct results cannot be sorted by n, which is not fetched"
        + " [invalidRequest]\n  hint: fetch it, too\n")
    let many = try fetch("--sort", "staff")
    let hint = "hint: sort by an aggregate of it, such as @count\n"
    #expect(many.words.hasPrefix("--sort:1:1: error: ") && many.words.hasSuffix(hint), "\(many.words)")
    let sum = "s=sum(n - n + 9223372036854775807)"
    let one = try fetch("--columns", sum)
    #expect(one.words.hasPrefix("--columns: error: the sum of whole numbers is beyond 64 bits"), "\(one.words)")
    let two = try fetch("--columns", sum, "--predicate", "n > 0")
    #expect(two.words.hasPrefix("--predicate, --columns: error: the sum"), "\(two.words)")
  }

  @Test("a name that is none of an element is refused with the nearest one")
  func unknown() throws {
    let command = try fetch("--predicate", "home.citi == 'Sofia'")
    #expect(command.status == 2)
    #expect(command.words.contains("expected a property of P, found “home.citi”"), "\(command.words)")
    #expect(command.words.contains("did you mean home.city?"), "\(command.words)")
  }
}
