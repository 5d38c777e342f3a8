import Foundation
import TestSupport
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
}
