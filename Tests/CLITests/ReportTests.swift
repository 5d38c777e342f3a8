import Foundation
import MergewalkTestSupport
import Testing

/// `--report`: one page that shows a run and needs nothing else.
@Suite("Reports")
struct ReportTests {
  let folder = TemporaryFolder()
  /// A record that would be more than text if it could.
  private let hostile =
    "<script>document.title = 'owned'</script><img src=x onerror=\"document.title='owned'\">&amp;\u{202E}"

  private static let browser = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// Runs orders, of which some are bad and one is hostile, and returns the page.
  private func report(_ more: String...) throws -> String {
    let text = try String(contentsOfFile: Locations.repository + "/pipelines/orders.yaml", encoding: .utf8)
      .replacingOccurrences("../fixtures", Locations.fixtures).replacingOccurrences("../build/", "")
      .replacingOccurrences("limit: 1000, ratio: 1%", "limit: 1000")
    try folder.write(text.replacingOccurrences("pipeline: orders", "pipeline: 'orders <b>&'"), to: "orders.yaml")
    let header =
      "order_id,ordered_at,quantity,unit_price,note,customer_email,customer_name,country,sku,product_name,category\n"
    let quoted = hostile.replacingOccurrences("\"", "\"\"")
    var lines = header
    for index in 0..<20_000 {
      let quantity = index % 1000 == 7 ? "\"\(quoted)\"" : "2"
      lines += "O\(index),2024-05-01T10:00:00Z,\(quantity),1.50,,c\(index % 50)@x.y,C,DE,S\(index % 40),P,Books\n"
    }
    try folder.write(lines, to: "orders.csv")
    let run = try Command(
      ["run", "orders.yaml", "orders.csv", "--store", "s.sqlite", "--report", "r.html", "--quiet"] + more,
      in: folder.path)
    #expect(run.status == 1, "\(run.words)")
    return try String(contentsOfFile: folder.file("r.html"), encoding: .utf8)
  }

  @Test("the page is whole, needs no network and no script, and what records say stays text")
  func structure() throws {
    let page = try report()
    #expect(page.hasPrefix("<!DOCTYPE html>") && page.hasSuffix("</html>\n"))
    #expect(
      page.contains("<title>orders &lt;b&gt;&amp;amp;: completed_with_rejects</title>")
        || page.contains("<title>orders &lt;b&gt;&amp;: completed_with_rejects</title>"))
    for part in ["http://", "https://", "<script", "<img", "<link", "<iframe", "src=", "@import", "\u{202E}"] {
      // The text of the record names some of these, escaped.
      let shown = page.replacing("&lt;img src=x onerror=", with: "")
      #expect(!shown.contains(part), "\(part)")
    }
    #expect(page.contains("&lt;script&gt;document.title = &#39;owned&#39;&lt;/script&gt;"))
    #expect(page.contains("default-src 'none'"))
    for part in [
      ">20,000<", ">19,980<", "value.integer", "<h2>Over time</h2>", "<h2>Stages</h2>", "<h2>Rejects</h2>",
      "<h2>Objects</h2>",
      "Every record is accounted for", "prefers-color-scheme: dark", ">Customer<", ">50 inserted<", ">customer<",
      "(slow)",
    ] { #expect(page.contains(part), "\(part)") }
    #expect(page.split(separator: "<svg").count == 4, "two curves and a diagram")
    #expect(page.utf8.count < 300_000)
    for tag in ["div", "table", "svg", "tr", "td", "p", "dl", "main", "pre"] {
      let opened = page.matches(of: try Regex("<\(tag)[ >]")).count
      #expect(opened == page.matches(of: try Regex("</\(tag)>")).count, "\(tag)")
    }
  }

  @Test("a run that was rolled back has a page too")
  func breached() throws {
    _ = try report()
    let text = try String(contentsOfFile: folder.file("orders.yaml"), encoding: .utf8)
    try folder.write(text.replacingOccurrences("limit: 1000", "limit: 3"), to: "limited.yaml")
    let run = try Command(
      ["run", "limited.yaml", "orders.csv", "--store", "t.sqlite", "--report", "t.html", "--quiet"], in: folder.path)
    #expect(run.status == 3)
    #expect(
      try String(contentsOfFile: folder.file("t.html"), encoding: .utf8).contains("too many rejects: rolled back"))
  }

  @Test("a browser shows it as it is meant", .enabled(if: ReportTests.browser != nil, "there is no Chromium here"))
  func inBrowser() throws {
    _ = try report()
    let browser = try #require(Self.browser)
    // A profile of its own, so that several may run at once.
    let flags =
      "--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir=\(folder.file("profile"))"
    let dump = try Command.shell(
      "timeout 120 \(browser) \(flags) --dump-dom file://\(folder.file("r.html")) 2>/dev/null", in: folder.path)
    #expect(dump.status == 0)
    #expect(dump.output.contains("orders &lt;b&gt;"), "the title is text, and nothing has changed it")
    #expect(!dump.output.contains("<title>owned") && !dump.output.contains("<img"))
    #expect(dump.output.contains("<h2>Objects</h2>") && dump.output.contains("</html>"))
    let shot = try Command.shell(
      "timeout 120 \(browser) \(flags) --hide-scrollbars --window-size=1100,2400 --screenshot=page.png file://\(folder.file("r.html"))",
      in: folder.path)
    #expect(shot.status == 0)
    let picture = try #require(FileManager.default.contents(atPath: folder.file("page.png")))
    #expect(picture.starts(with: [0x89, 0x50, 0x4E, 0x47]) && picture.count > 40_000, "\(picture.count) bytes")
  }

  /// Looks at every picture of entities: texts that overlap, texts beside their boxes, edges over boxes.
  private static let measure = """
    <pre id="measured"></pre><script>
    const faults = []; let texts = 0;
    for (const picture of document.querySelectorAll("svg.objects")) {
      const boxes = [...picture.querySelectorAll("g")].map(g => g.querySelector("rect").getBoundingClientRect());
      const lines = [...picture.querySelectorAll("g text")].map(t => [t.textContent, t.getBoundingClientRect(),
        t.parentNode.querySelector("rect").getBoundingClientRect()]);
      texts += lines.length;
      lines.forEach(([text, place, box], i) => {
        if (place.left < box.left || place.right > box.right || place.top < box.top || place.bottom > box.bottom)
          faults.push("beside its box: " + text);
        for (const [other, there] of lines.slice(0, i))
          if (Math.min(place.right, there.right) - Math.max(place.left, there.left) > 1
            && Math.min(place.bottom, there.bottom) - Math.max(place.top, there.top) > 3) faults.push("over: " + text + " " + other);
      });
      for (const edge of picture.querySelectorAll("path.edge")) {
        const length = edge.getTotalLength(), matrix = edge.getScreenCTM();
        for (let at = 2; at < length - 8; at += 2) {
          const point = edge.getPointAtLength(at).matrixTransform(matrix);
          if (boxes.some(b => point.x > b.left + 1 && point.x < b.right - 1 && point.y > b.top + 1 && point.y < b.bottom - 1))
            { faults.push("edge over a box"); break; }
        }
      }
    }
    const wide = document.documentElement.scrollWidth > innerWidth ? " the page is too wide" : "";
    document.getElementById("measured").textContent = "texts " + texts + " faults " + faults.length + wide + " " + faults.slice(0, 5).join("; ");
    </script></body>
    """

  @Test(
    "45 entities are legible: in a browser no text overlaps another or leaves its box, and no edge is over a box",
    .enabled(if: ReportTests.browser != nil, "there is no Chromium here"))
  func measured() throws {
    var random = SeededGenerator(seed: 45)
    let names = (0..<45).map {
      "\(["Sale", "WarehouseMovement", "Umbau", "VeryLongEntityNameThatIsCutSomewhere"][$0 % 4])\($0)"
    }
    var (model, imports) = ("model: Big\nentities:\n", "")
    for (index, name) in names.enumerated() {
      let targets = Set((0..<Int.random(in: 0...3, using: &random)).map { _ in Int.random(in: 0..<40, using: &random) })
        .filter { _ in index < 40 }.sorted()
      model += "  \(name):\n    attributes: { code: string! }\n    unique: [code]\n"
      if !targets.isEmpty {
        let list = targets.map { "relationshipTo\($0): { to_one: \(names[$0]) }" }.joined(separator: ", ")
        model += "    relationships: { \(list) }\n"
      }
      imports += "  - { source: in.csv, import: { entity: \(name), find_by: [code] } }\n"
    }
    try folder.write(model, to: "big.model.yaml")
    try folder.write("code\n1\n2\n", to: "in.csv")
    try folder.write("model: big.model.yaml\nstore: big.sqlite\nimports:\n\(imports)", to: "big.yaml")
    let run = try Command(["run", "big.yaml", "--report", "big.html", "--quiet"], in: folder.path)
    #expect(run.status == 0, "\(run.words)")
    let page = try String(contentsOfFile: folder.file("big.html"), encoding: .utf8)
    let open = page.replacing(try Regex("<meta http-equiv[^>]*>"), with: "").replacing("</body>", with: Self.measure)
    try folder.write(open, to: "measured.html")
    let browser = try #require(Self.browser)
    let flags =
      "--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir=\(folder.file("profile"))"
    let dump = try Command.shell(
      "timeout 120 \(browser) \(flags) --window-size=1200,900 --dump-dom file://\(folder.file("measured.html")) 2>/dev/null",
      in: folder.path)
    let measured = dump.output.components(separatedBy: "<pre id=\"measured\">").dropFirst().first?
      .components(separatedBy: "</pre>").first
    let words = try #require(measured)
    #expect(words.hasPrefix("texts ") && words.contains(" faults 0") && !words.contains("too wide"), "\(words)")
    #expect(Int(words.split(separator: " ")[1]) ?? 0 > 45 * 4, "\(words)")
  }
}
