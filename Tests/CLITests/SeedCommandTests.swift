import Foundation
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("mergewalk seed")
struct SeedCommandTests {
  let folder = TemporaryFolder()
  private static let pipeline = Locations.repository + "/pipelines/orders.yaml"

  private func seed(_ arguments: String...) throws -> Command { try Command(["seed"] + arguments, in: folder.path) }
  private func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: folder.file(name))) }
  private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }

  private func pipeline() throws {
    let text = try String(contentsOfFile: Self.pipeline, encoding: .utf8)
      .replacingOccurrences("../fixtures", Locations.fixtures).replacingOccurrences("../build/", "")
    try folder.write(text, to: "orders.yaml")
  }

  @Test(
    "IM18: two builds are equal byte for byte, also on another day with the store in another folder",
    .enabled(if: Shim.isThere, "there is no C compiler to make another day with"))
  func im18Reproducible() throws {
    try pipeline()
    let first = try seed("orders.yaml", "--store", "one/default.sqlite", "--json", "--quiet")
    #expect(first.status == 0, "\(first.words)")
    #expect(first.words == "")
    let object = try first.object()
    #expect(object["status"] as? String == "built")
    #expect((object["seed"] as? [String: Any])?["identity"] as? String == "orders")
    #expect(((object["runs"] as? [[String: Any]])?.first)?["inserted"] as? Int == 250)
    let day = Shim.ahead(days: 400)
    let variables = day.map { "\($0)='\($1)'" }.joined(separator: " ")
    let date = try Command.shell("\(variables) date +%s", in: folder.path).output.dropLast()
    #expect(try #require(Double(date)) > Date().timeIntervalSince1970 + 399 * 86_400)
    let second = try Command(["seed", "orders.yaml", "--store", "two/other.sqlite"], in: folder.path, environment: day)
    #expect(second.status == 0)
    #expect(second.output == "")
    #expect(second.words.contains("two/other.sqlite: orders, "))
    #expect(try bytes("one/default.sqlite") == bytes("two/other.sqlite"))
    let verify = try Command(["store", "verify", "one/default.sqlite"], in: folder.path)
    #expect([verify.output, verify.words] == ["", "one/default.sqlite: sound, 306 rows checked\n"])
    let named = try seed("orders.yaml", "--store", "two/other.sqlite", "--identity", "orders-2", "--force", "--quiet")
    #expect(named.status == 0)
    #expect(try bytes("one/default.sqlite") != bytes("two/other.sqlite"))
  }

  @Test("rejects are said although it is to be quiet: a build that fails says why")
  func quietRejects() throws {
    try pipeline()
    let shop = Locations.fixtures + "/shop/"
    let orders = try String(contentsOfFile: shop + "orders-1.csv", encoding: .utf8)
    let columns = try #require(orders.split(separator: "\n").first).split(separator: ",")
    let wrong = columns.map { $0 == "order_id" ? "Z-1" : $0 == "ordered_at" ? "yesterday" : "1" }
    try folder.write(orders + wrong.joined(separator: ",") + "\n", to: "orders.csv")
    try folder.write(
      try String(contentsOfFile: folder.file("orders.yaml"), encoding: .utf8)
        .replacingOccurrences(shop + "orders-*.csv", "orders.csv"), to: "orders.yaml")
    let done = try seed("orders.yaml", "--store", "default.sqlite", "--quiet")
    #expect(done.status == 1, "\(done.words)")
    #expect(done.words.contains("1 rejected") && done.words.contains("value.date"), "\(done.words)")
  }

  @Test("IM18: the store opens where nothing can be written")
  func im18ReadOnly() throws {
    try pipeline()
    #expect(try seed("orders.yaml", "--store", "app/default.sqlite", "--quiet").status == 0)
    let app = folder.file("app")
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: app)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: app) }
    let fetch = try Command(["fetch", "app/default.sqlite", "--entity", "Category", "--count"], in: folder.path)
    #expect(fetch.status == 0, "\(fetch.words)")
    #expect(fetch.output == "6\n")
    #expect(try FileManager.default.contentsOfDirectory(atPath: app) == ["default.sqlite"])
  }

  @Test("IM18: a store that is there is not replaced without --force")
  func im18Existing() throws {
    try pipeline()
    try folder.write("mine", to: "default.sqlite")
    let refused = try seed("orders.yaml", "--store", "default.sqlite", "--json")
    #expect(refused.status == 2)
    #expect(
      refused.words
        == "default.sqlite: error: there is a file already; replace it with --force, or name another path with"
        + " --store [alreadyExists]\n")
    #expect(try refused.object()["status"] as? String == "failed")
    #expect(try bytes("default.sqlite") == Data("mine".utf8))
    #expect(try seed("orders.yaml", "--store", "default.sqlite", "--force", "--quiet").status == 0)
  }

  @Test("IM18: rejects inside the limits show in the exit code, too many leave no store")
  func im18Rejects() throws {
    try pipeline()
    let text = try String(contentsOfFile: folder.file("orders.yaml"), encoding: .utf8)
      .replacingOccurrences("orders-*.csv", "bad-orders.csv")
    try folder.write(text.replacingOccurrences("limit: 1000, ratio: 1%", "limit: 1"), to: "bad.yaml")
    let breached = try seed("bad.yaml", "--store", "default.sqlite", "--json", "--quiet")
    #expect(breached.status == 3)
    #expect(try breached.object()["status"] as? String == "limit_breached")
    #expect(try !names().contains { $0.contains("default") })
    try folder.write(text.replacingOccurrences("limit: 1000, ratio: 1%", "limit: 1000"), to: "bad.yaml")
    #expect(try seed("bad.yaml", "--store", "default.sqlite", "--quiet").status == 1)
    #expect(try seed("--check", "--store", "default.sqlite").status == 0)
  }

  @Test("IM16: the prepared store becomes the store, byte for byte, and later its objects go into another")
  func im16Both() throws {
    try pipeline()
    #expect(try seed("orders.yaml", "--store", "default.sqlite", "--quiet").status == 0)
    let copied = try seed("--from", "default.sqlite", "--store", "new/mine.sqlite", "--json")
    #expect(copied.status == 0, "\(copied.words)")
    #expect(try copied.object()["status"] as? String == "copied")
    #expect(try copied.object()["byte_equal"] as? Bool == true)
    #expect(try bytes("default.sqlite") == bytes("new/mine.sqlite"))
    // A store of an earlier version of the app, whose user has a category of that name already.
    #expect(try Command(["run", "orders.yaml", "--store", "old.sqlite", "--quiet"], in: folder.path).status == 0)
    let keys = ["Order.orderID", "Customer.email", "Product.sku", "Category.name"].flatMap { ["--find-by", $0] }
    let connection = try Connection(path: folder.file("old.sqlite"), mode: .readWrite)
    try connection.execute("DELETE FROM ZORDER")
    try connection.close()
    let added = try Command(["seed", "--from", "default.sqlite", "--store", "old.sqlite"] + keys, in: folder.path)
    #expect(added.status == 0, "\(added.words)")
    #expect(added.words.hasPrefix("old.sqlite: orders, 250 objects copied\n"))
    let info = try Command(["store", "info", "old.sqlite", "--json"], in: folder.path)
    let entities = try info.object()["entities"] as? [String: [String: Any]]
    #expect(entities?["Order"]?["objects"] as? Int == 250)
    #expect(entities?["Customer"]?["objects"] as? Int == 20)
    #expect(try Command(["store", "verify", "old.sqlite"], in: folder.path).status == 0)
  }

  @Test("IM19: installing a second time changes nothing")
  func im19SecondRun() throws {
    try pipeline()
    #expect(try seed("orders.yaml", "--store", "default.sqlite", "--quiet").status == 0)
    #expect(try seed("--from", "default.sqlite", "--store", "mine.sqlite", "--quiet").status == 0)
    let before = try bytes("mine.sqlite")
    let again = try seed("--from", "default.sqlite", "--store", "mine.sqlite")
    #expect(again.status == 0)
    #expect(again.words == "mine.sqlite: has orders already\n")
    #expect(try bytes("mine.sqlite") == before)
  }

  @Test("IM19: the objects of a prepared store with several marks bring all of them, and none comes twice")
  func im19SeveralMarks() throws {
    try pipeline()
    let keys = ["Order.orderID", "Customer.email", "Product.sku", "Category.name"].flatMap { ["--find-by", $0] }
    func install(_ prepared: String, _ store: String, _ options: [String] = []) throws -> Command {
      try Command(["seed", "--from", prepared, "--store", store] + options, in: folder.path)
    }
    func marks(_ store: String) throws -> String { try seed("--check", "--store", store).output }
    for name in ["first", "second"] {
      #expect(try seed("orders.yaml", "--store", "\(name).sqlite", "--identity", name, "--quiet").status == 0)
    }
    #expect(try install("first.sqlite", "both.sqlite").status == 0)
    #expect(try install("second.sqlite", "both.sqlite", keys).status == 0)
    // A store that has one of them: its objects are not copied a second time.
    let before = try bytes("first.sqlite")
    let refused = try install("both.sqlite", "first.sqlite")
    #expect(refused.status == 2)
    #expect(refused.words.contains("contains first, which the store already has"), "\(refused.words)")
    #expect(try bytes("first.sqlite") == before)
    #expect(try install("both.sqlite", "first.sqlite", keys).status == 0)
    // A store that has none of them gets both.
    #expect(try Command(["run", "orders.yaml", "--store", "old.sqlite", "--quiet"], in: folder.path).status == 0)
    #expect(try install("both.sqlite", "old.sqlite", keys).status == 0)
    for store in ["first.sqlite", "old.sqlite"] {
      #expect(try marks(store).split(separator: "\n").map { $0.split(separator: " ")[0] } == ["first", "second"])
    }
    #expect(try install("first.sqlite", "old.sqlite").words == "old.sqlite: has first, second already\n")
  }

  @Test("IM19: processes that install at the same time install once")
  func im19AtOnce() throws {
    let attributes = "{ attributes: { name: string } }"
    try folder.write("entities:\n  Tag: \(attributes)\n  Item: \(attributes)\n", to: "model.yaml")
    for entity in ["Tag", "Item"] {
      try folder.write(
        """
        pipeline: \(entity)
        model: model.yaml
        store: mine.sqlite
        source: { files: names.csv }
        import: { entity: \(entity), find_by: [name], attributes: { name: name } }
        """, to: "\(entity).yaml")
    }
    try folder.write("name\na\nb\n", to: "names.csv")
    #expect(try seed("Tag.yaml", "--store", "default.sqlite", "--quiet").status == 0)
    #expect(try Command(["run", "Item.yaml", "--store", "mine.sqlite", "--quiet"], in: folder.path).status == 0)
    // Into a store, and where there is none.
    for store in ["mine.sqlite", "new.sqlite"] {
      let all = try Command.shell(
        """
        for i in 1 2 3 4; do "$MERGEWALK" seed --from default.sqlite --store \(store) --quiet & done
        wait
        """, in: folder.path)
      // One that waits for too long says so.
      #expect(all.words.split(separator: "\n").allSatisfy { $0.contains("[busy]") }, "\(all.words)")
      let info = try Command(["store", "info", store, "--json"], in: folder.path)
      let entities = try info.object()["entities"] as? [String: [String: Any]]
      #expect(entities?["Tag"]?["objects"] as? Int == 2)
    }
  }

  @Test("IM19: a store is not installed into itself")
  func im19Itself() throws {
    try pipeline()
    #expect(try Command(["run", "orders.yaml", "--store", "run.sqlite", "--quiet"], in: folder.path).status == 0)
    try FileManager.default.createSymbolicLink(atPath: folder.file("link.sqlite"), withDestinationPath: "run.sqlite")
    for prepared in ["run.sqlite", "./run.sqlite", "link.sqlite"] {
      let refused = try seed("--from", prepared, "--store", "run.sqlite")
      #expect(refused.status == 2)
      #expect(refused.words.contains("the prepared store is this store"), "\(refused.words)")
    }
  }

  @Test("IM21: a build that is killed leaves no store, and the next one tidies up")
  func im21Killed() throws {
    try pipeline()
    let text = try String(contentsOfFile: folder.file("orders.yaml"), encoding: .utf8)
      .replacingOccurrences("\(Locations.fixtures)/shop/orders-*.csv", "'-'")
    try folder.write(text, to: "stdin.yaml")
    let killed = try Command.shell(
      """
      mkfifo pipe
      "$MERGEWALK" seed stdin.yaml --store default.sqlite --quiet < pipe & running=$!
      exec 3> pipe
      cat \(Locations.fixtures)/shop/orders-1.csv >&3
      for i in $(seq 100); do ls -A | grep -q work && break; sleep 0.1; done
      kill -9 $running
      wait $running
      """, in: folder.path)
    #expect(killed.status == 137, "\(killed.words)")
    #expect(try names().contains { $0.hasPrefix(".default.sqlite.mergewalk-work-") })
    #expect(try !names().contains("default.sqlite"))
    #expect(try seed("--check", "--store", "default.sqlite").status == 2)
    #expect(try seed("orders.yaml", "--store", "default.sqlite", "--quiet").status == 0)
    #expect(try !names().contains { $0.hasPrefix(".") })
  }

  @Test("IM21: a store without the mark is told from one with it")
  func im21Check() throws {
    try pipeline()
    #expect(try Command(["run", "orders.yaml", "--store", "run.sqlite", "--quiet"], in: folder.path).status == 0)
    let unmarked = try seed("--check", "--store", "run.sqlite", "--json")
    #expect(unmarked.status == 1)
    #expect(try unmarked.object()["status"] as? String == "unseeded")
    #expect(unmarked.words == "run.sqlite: has no default data\n")
    #expect(try seed("orders.yaml", "--store", "default.sqlite", "--quiet").status == 0)
    let marked = try seed("--check", "--store", "default.sqlite")
    #expect(marked.status == 0)
    #expect(marked.output.wholeMatch(of: #/orders  [0-9a-f]{32}\n/#) != nil, "\(marked.output)")
    let other = try seed("--check", "--store", "default.sqlite", "--identity", "others")
    #expect(other.status == 1)
    #expect(other.words == "default.sqlite: has no default data called others\n")
    #expect(try seed("--check", "--store", "none.sqlite").status == 2)
    // Copies of objects from a store without the mark are possible, and said to be repeated.
    let copied = try seed("--from", "run.sqlite", "--store", "default.sqlite", "--find-by", "Nothing.x")
    #expect(copied.status == 2)
    #expect(copied.words.hasPrefix("default.sqlite: error: the prepared objects do not fit"), "\(copied.words)")
    #expect(copied.words.contains("the prepared store has no entity Nothing"))
    #expect(!copied.words.contains("store migrate"))
  }

  @Test(
    "wrong usage exits with 64",
    arguments: [
      ["--store", "a"], ["p.yaml"], ["p.yaml", "--store", ""], ["p.yaml", "--check", "--store", "a"],
      ["--check", "--force", "--store", "a"], ["--from", "b", "--check", "--store", "a"],
      ["p.yaml", "--store", "a", "--find-by", "A.b"], ["--from", "b", "--store", "a", "--find-by", "A"],
      ["--from", "b", "--store", "a", "--find-by", "A.b", "--find-by", "A.c"], ["p.yaml", "--store", "a", "--update"],
    ])
  func usage(_ arguments: [String]) throws {
    let command = try Command(["seed"] + arguments, in: folder.path)
    #expect(command.status == 64, "\(command.words)")
    #expect(command.output.isEmpty)
  }
}
