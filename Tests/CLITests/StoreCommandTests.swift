import Foundation
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("mergewalk store")
struct StoreCommandTests {
  let folder = TemporaryFolder()

  /// Makes `s.sqlite` with one thing.
  private func makeThings() throws {
    try folder.write("entities: { Thing: { attributes: { a: string } } }", to: "m.yaml")
    try folder.write("a\nx\n", to: "in.csv")
    try folder.write(
      """
      model: m.yaml
      store: s.sqlite
      source: { files: in.csv }
      import: { entity: Thing, mode: insert, attributes: [a] }
      """, to: "p.yaml")
    #expect(try Command(["run", "p.yaml", "--quiet"], in: folder.path).status == 0)
  }

  @Test("what is no store exits with 2 and says why", arguments: ["info", "verify"])
  func noStore(_ command: String) throws {
    let missing = try Command(["store", command, "none.sqlite"], in: folder.path)
    #expect(missing.status == 2)
    #expect(missing.output == "")
    #expect(missing.words.hasPrefix("none.sqlite: error: "), "\(missing.words)")
    #expect(missing.words.hasSuffix("[notFound]\n"))

    try folder.write("no database, only text", to: "text.sqlite")
    let text = try Command(["store", command, "text.sqlite"], in: folder.path)
    #expect(text.status == 2, "\(text.output) \(text.words)")
    #expect(text.words.hasSuffix("[notADatabase]\n"), "\(text.words)")
  }

  @Test("a link that leads to nothing is said to be one, and is never advice", arguments: ["info", "verify"])
  func danglingLink(_ command: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("link.sqlite"), withDestinationPath: "nowhere.sqlite")
    let link = try Command(["store", command, "link.sqlite"], in: folder.path)
    #expect(link.status == 2)
    #expect(link.words.contains("“link.sqlite” is a symbolic link to “"), "\(link.words)")
    #expect(link.words.contains("/nowhere.sqlite”, where there is nothing"), "\(link.words)")
    #expect(!link.words.contains("did you mean"), "\(link.words)")
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("loop.sqlite"), withDestinationPath: "loop.sqlite")
    let loop = try Command(["store", command, "loop.sqlite"], in: folder.path)
    #expect(loop.words.contains("is a symbolic link that leads in a circle"), "\(loop.words)")
  }

  @Test("a store that another process holds ends commands with 6; an unknown entity is answered with those there are")
  func heldStore() throws {
    try makeThings()
    let unknown = try Command(["export", "s.sqlite", "--entity", "Nope"], in: folder.path)
    #expect(unknown.words.contains("the store has no entity “Nope”; there is Thing"), "\(unknown.words)")

    let connection = try Connection(path: folder.file("s.sqlite"), mode: .readWrite)
    defer { try? connection.close() }
    // Readers of a store with a write-ahead log wait for nobody.
    try connection.execute("PRAGMA journal_mode=DELETE")
    try connection.execute("BEGIN EXCLUSIVE")
    for arguments in [
      ["store", "info", "s.sqlite"], ["fetch", "s.sqlite", "--entity", "Thing"], ["export", "s.sqlite"],
      ["seed", "--check", "--store", "s.sqlite"], ["seed", "--from", "s.sqlite", "--store", "new.sqlite"],
      ["model", "convert", "s.sqlite"],
    ] {
      let command = try Command(arguments, in: folder.path)
      #expect(command.status == 6, "\(arguments)")
      #expect(command.words.contains("another process holds the store: wait for its end"), "\(command.words)")
    }
    #expect(try Command(["model", "lint", "s.sqlite"], in: folder.path).status == 6)
  }

  @Test("a database that another process holds ends the commands that read it with 6, unless something else is wrong")
  func heldSource() throws {
    try folder.write("entities: { Thing: { attributes: { k: string } } }", to: "k.yaml")
    let text = """
      model: k.yaml
      store: new.sqlite
      source: { files: x.db, format: sqlite }
      import: { entity: Thing, find_by: k }

      """
    try folder.write(text, to: "p.yaml")
    try folder.write(text.replacing("store: new.sqlite", with: "stores: { by: k }"), to: "family.yaml")
    try folder.write(text.replacing("Thing", with: "Nothing"), to: "wrong.yaml")
    let connection = try Connection(path: folder.file("x.db"), mode: .create)
    defer { try? connection.close() }
    try connection.execute("CREATE TABLE things (k TEXT)")
    try connection.execute("BEGIN EXCLUSIVE")
    for arguments in [
      ["preview", "x.db"], ["guess", "x.db", "--out", "out"], ["run", "p.yaml"], ["lint", "p.yaml"],
      ["explain", "p.yaml"], ["stores", "plan", "family.yaml", "--out", "family"],
    ] {
      let command = try Command(arguments, in: folder.path)
      #expect(command.status == 6, "\(arguments): \(command.words)")
      #expect((command.words + command.output).contains("another process has the database locked"), "\(command.words)")
    }
    for (command, status) in [("run", Int32(2)), ("lint", 1)] {
      #expect(try Command([command, "wrong.yaml"], in: folder.path).status == status)
    }
    try connection.execute("COMMIT")
    #expect(try Command(["preview", "x.db"], in: folder.path).status == 0)
  }

  @Test("the log of another database beside a store is named")
  func foreignLog() throws {
    try makeThings()
    let other = try Connection(path: folder.file("other.sqlite"), mode: .create)
    defer { try? other.close() }
    try other.execute("PRAGMA journal_mode=WAL")
    try other.execute("CREATE TABLE t (x)")
    try? FileManager.default.removeItem(atPath: folder.file("s.sqlite-wal"))
    try FileManager.default.copyItem(
      atPath: folder.file("other.sqlite-wal"), toPath: folder.file("s.sqlite-wal"))
    let info = try Command(["store", "info", "s.sqlite"], in: folder.path)
    #expect(info.status == 2)
    #expect(info.words.contains("the log beside it, “s.sqlite-wal”, is"), "\(info.words)")
  }

  @Test("a log beside a store in rollback mode is read, and reading leaves nothing behind", arguments: [true, false])
  func logOfRollbackStore(isOfStore: Bool) throws {
    let people = try People(3)
    let setting = try Connection(path: people.folder.file("s.sqlite"), mode: .readWrite)
    try setting.execute("PRAGMA journal_mode=DELETE")
    try setting.close()
    let twin = TemporaryFolder()
    try FileManager.default.copyItem(atPath: people.folder.file("s.sqlite"), toPath: twin.file("s.sqlite"))
    let writer = try Connection(path: twin.file("s.sqlite"), mode: .readWrite)
    try writer.execute("PRAGMA journal_mode=WAL; UPDATE ZPERSON SET ZAGE = 7 WHERE Z_PK = 1")
    if isOfStore {
      try FileManager.default.copyItem(
        atPath: twin.file("s.sqlite-wal"), toPath: people.folder.file("s.sqlite-wal"))
    } else {
      try people.folder.write(String(repeating: "junk", count: 100), to: "s.sqlite-wal")
    }
    try writer.close()
    try people.folder.write(
      """
      model: m.yaml
      store: n.sqlite
      source: { files: s.sqlite, format: sqlite, table: ZPERSON }
      import: { entity: Person, mode: insert, attributes: { email: ZEMAIL, age: ZAGE } }
      """, to: "source.yaml")
    let (files, store, log) = (try people.files(), try people.bytes("s.sqlite"), try people.bytes("s.sqlite-wal"))
    for arguments in [
      ["store", "info", "s.sqlite"], ["store", "verify", "s.sqlite"], ["store", "clean", "s.sqlite", "--dry-run"],
      ["store", "clean", "s.sqlite"], ["model", "show", "s.sqlite"], ["explain", "p.yaml"], ["lint", "source.yaml"],
      ["run", "p.yaml", "--dry-run"],
      ["fetch", "s.sqlite", "--entity", "Person", "--predicate", "age == 7", "--count"],
    ] {
      let command = try Command(arguments, in: people.folder.path)
      #expect(command.status == 0, "\(arguments): \(command.words)")
      #expect(try people.files() == files, "\(arguments)")
      #expect(try people.bytes("s.sqlite") == store, "\(arguments)")
      #expect(try people.bytes("s.sqlite-wal") == log, "\(arguments)")
      if arguments[0] == "fetch" { #expect(command.output == (isOfStore ? "1\n" : "0\n")) }
    }
    let seed = try people.command("seed", "--from", "s.sqlite", "--store", "n.sqlite")
    #expect(seed.status == 0, "\(seed.words)")
    #expect(try people.files() == (files + ["n.sqlite"]).sorted())
    #expect(try people.count(age: 7, store: "n.sqlite") == (isOfStore ? 1 : 0))
  }

  @Test("a dry run of clean needs no right to write, and makes nothing", arguments: [".", "s.sqlite", ". s.sqlite"])
  func cleanWithoutRights(what: String) throws {
    let people = try People(3)
    let orphan = "00000000-0000-4000-8000-000000000001"
    try people.folder.write("x", to: ".s_SUPPORT/_EXTERNAL_DATA/" + orphan)
    let files = try people.files()
    // The superuser may write everywhere, so it is another user who tries.
    let command = try Command.shell(
      """
      chmod -R a+rwX . && chmod a-w \(what) || exit 99
      if [ "$(id -u)" = 0 ]; then as="setpriv --reuid=65534 --regid=65534 --clear-groups"; fi
      $as "$MERGEWALK" store clean s.sqlite --dry-run; status=$?; chmod u+w \(what); exit $status
      """, in: people.folder.path)
    #expect(command.status == 0, "\(command.words)")
    #expect(command.output == "orphan: \(orphan)\n")
    #expect(try people.files() == files)
  }

  @Test("real stores have numbers and are sound", .enabled(if: Locations.shared != nil))
  func realStore() throws {
    let store = Locations.shared("coredata/plaso/DataUsage.sqlite")
    let info = try Command(["store", "info", store, "--json"], in: folder.path)
    #expect(info.status == 0)
    let object = try info.object()
    #expect(object["uuid"] as? String == "78771074-CDF9-407D-BC49-72EB4E613503")
    let entities = try #require(object["entities"] as? [String: [String: Any]])
    #expect(entities["LiveUsage"]?["objects"] as? Int == 887)
    #expect(entities["LiveUsage"]?["maximum"] as? Int == 1766)

    let verify = try Command(["store", "verify", store], in: folder.path)
    #expect(verify.status == 0)
    #expect(verify.words == "\(store): sound, 1,258 rows checked\n")
  }

  @Test("the wrong model is an error of the store", .enabled(if: Locations.shared != nil))
  func wrongModel() throws {
    let store = Locations.shared("coredata/plaso/DataUsage.sqlite")
    let model = Locations.fixtures + "/shop/Shop.xcdatamodeld"
    let command = try Command(["store", "verify", store, "--model", model, "--json"], in: folder.path)
    #expect(command.status == 1)
    #expect(try command.object()["sound"] as? Bool == false)
    #expect(command.output.contains("\"code\": \"modelHashes\""))
    #expect(try Command(["store", "verify", store, "--model", "none.yaml"], in: folder.path).status == 2)
  }
}
