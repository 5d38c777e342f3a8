import Foundation
import MergewalkTestSupport
import Testing

@Suite("mergewalk fetch, where its rows go")
struct FetchOutputTests {
  let shop: Shop

  init() throws { shop = try Shop() }

  @Test("a reader that goes away is success")
  func brokenPipe() throws {
    for format in ["csv", "ndjson", "json", "yaml", "xml", "table"] {
      // 62 thousand rows are more than a pipe holds.
      let command = try Command.shell(
        "\"$MERGEWALK\" fetch shop.sqlite --entity Order --columns 'a=orderID,b=note' --format \(format) | head -n 1",
        in: shop.folder.path)
      #expect(command.status == 0, "\(format)")
      #expect(command.words.isEmpty, "\(format): \(command.words)")
      #expect(command.lines.count == 1)
    }
    let large = try LargeStore(rows: 20_000)
    let command = try Command.shell(
      "\"$MERGEWALK\" fetch large.sqlite --entity Book | head -n 2", in: large.folder.path)
    #expect(command.status == 0)
    #expect(command.words.isEmpty)
    #expect(command.lines.count == 2)
  }

  @Test("a full device exits with 2 and says so")
  func fullDevice() throws {
    let command = try Command.shell(
      "\"$MERGEWALK\" fetch shop.sqlite --entity Order > /dev/full", in: shop.folder.path)
    #expect(command.status == 2)
    #expect(command.words == "mergewalk: error: cannot write: No space left on device [cannotWrite]\n")
  }

  @Test("--output makes a new file in the format of its name, and takes no other's place")
  func outputFile() throws {
    let start = [
      "csv": "name\n", "ndjson": "{\"name\"", "json": "[\n{", "yml": "- name:", "xml": "<?xml", "txt": "name\n──",
    ]
    for (ending, head) in start {
      let command = try shop.fetch("--entity", "Category", "--columns", "name", "--output", "rows.\(ending)")
      #expect(command.status == 0)
      #expect(command.output.isEmpty)
      let text = try String(contentsOfFile: shop.folder.file("rows.\(ending)"), encoding: .utf8)
      #expect(text.hasPrefix(head), "\(ending): \(text)")
    }
    #expect(
      try shop.failure("--entity", "Category", "--output", "rows.csv").hasSuffix(
        "name another file, or remove this one [fileExists]\n"))
    #expect(try shop.failure("--entity", "Category", "--output", "none/rows.csv").hasSuffix("[cannotWrite]\n"))
    // What fails leaves no file behind.
    _ = try shop.failure("--entity", "Order", "--predicate", "nonsense == 1", "--output", "never.csv")
    #expect(!FileManager.default.fileExists(atPath: shop.folder.file("never.csv")))
  }

  @Test(
    "an unknown extension without a format is refused, and so is one of another format",
    arguments: [
      ["rows.pdf"], ["rows.csv.gz"], ["rows.json", "--format", "csv"], ["rows.csv", "--format", "ndjson"],
    ])
  func refusedName(_ arguments: [String]) throws {
    let command = try Command(
      ["fetch", "shop.sqlite", "--entity", "Category", "--output"] + arguments, in: shop.folder.path)
    #expect(command.status == 64, "\(command.words)")
    #expect(command.words.hasPrefix("Error: --output \(arguments[0])"), "\(command.words)")
    #expect(!FileManager.default.fileExists(atPath: shop.folder.file(arguments[0])))
  }

  @Test("a format that is set goes into a file of any name that does not belie it")
  func takenName() throws {
    try FileManager.default.createDirectory(atPath: shop.folder.file("a.b"), withIntermediateDirectories: true)
    for (name, format, start) in [
      ("rows.pdf", "csv", "name\n"), ("rows.txt", "csv", "name\n"), ("rows.json", "ndjson", "{"), ("rows", "json", "["),
      ("ROWS.YAML", "yaml", "- name"), ("a.b/rows", "csv", "name\n"),
    ] {
      let command = try shop.fetch(
        "--entity", "Category", "--columns", "name", "--format", format, "--output", name)
      #expect(command.status == 0, "\(name): \(command.words)")
      let text = try String(contentsOfFile: shop.folder.file(name), encoding: .utf8)
      #expect(text.hasPrefix(start), "\(name): \(text)")
    }
  }

  @Test("a terminal gets a table of its width, a pipe CSV", arguments: [40, 60, 100])
  func terminal(_ columns: Int) throws {
    let arguments = [
      "fetch", "shop.sqlite", "--entity", "Order", "--columns", "orderID,note,customer.name,product.name,quantity",
      "--sort", "orderID", "--limit", "30",
    ]
    let lines = try Terminal.run(arguments, in: shop.folder.path, columns: columns)
    #expect(lines.count > 30)
    #expect(lines.contains { $0.contains("─") })
    for line in lines { #expect(Terminal.width(line) <= columns, "\(line)") }
    let piped = try Command(arguments, in: shop.folder.path)
    #expect(piped.lines.first == "orderID,note,customer.name,product.name,quantity")
  }

  @Test("COLUMNS is the width when a table is asked for and there is no terminal")
  func columnsVariable() throws {
    let arguments = ["fetch", "shop.sqlite", "--entity", "Customer", "--format", "table", "--sort", "name"]
    let narrow = try Command(arguments, in: shop.folder.path, environment: ["COLUMNS": "30"])
    #expect(narrow.lines.allSatisfy { Terminal.width($0) <= 30 })
    #expect(narrow.output.contains("…"))
    let wide = try Command(arguments, in: shop.folder.path)
    #expect(!wide.output.contains("…"))
  }

  @Test("memory does not grow with the rows")
  func memory() throws {
    let small = try LargeStore(rows: 2_000)
    let large = try LargeStore(rows: 200_000)
    for format in ["csv", "yaml", "table"] {
      func peak(_ store: LargeStore) throws -> (bytes: Int, lines: Int) {
        try PeakMemory.run(["fetch", store.folder.file("large.sqlite"), "--entity", "Book", "--format", format])
      }
      let (few, many) = (try peak(small), try peak(large))
      #expect(many.lines >= 200_000)
      // The database's page cache is what may grow, up to its limit.
      #expect(many.bytes < few.bytes + 12 << 20, "\(format): \(few.bytes) and \(many.bytes) bytes")
    }
  }
}

/// A store with many rows of one entity.
struct LargeStore {
  let folder = TemporaryFolder()

  init(rows: Int) throws {
    try folder.write(
      """
      model: Books
      entities:
        Book:
          attributes:
            title: string!
            pages: integer32
            published: date
      """, to: "model.yaml")
    var text = "title,pages,published\n"
    for i in 0..<rows { text += "The \(i)th book of a long series of books,\(i % 900),2024-01-31T12:00:00Z\n" }
    try folder.write(text, to: "books.csv")
    try folder.write(
      """
      pipeline: books
      model: model.yaml
      store: large.sqlite
      source: { files: books.csv }
      import:
        entity: Book
        find_by: [title]
        mode: insert
        attributes: [pages, published]
      """, to: "books.yaml")
    let run = try Command(["run", "books.yaml", "--quiet"], in: folder.path)
    #expect(run.status == 0, "\(run.words)")
  }
}
