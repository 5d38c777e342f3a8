import MergewalkBytes
import MergewalkDiagnostics
import MergewalkImporting

/// One page of HTML that needs nothing else: no script, no network, no file beside it.
struct HTMLPage {
  let title: String
  /// The parts of the page, as HTML.
  let sections: [String]

  var html: String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="generator" content="mergewalk">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>\(HTMLText.escaped(title))</title>
    <style>
    \(ReportStyle.sheet)
    </style>
    </head>
    <body>
    <main>
    \(sections.filter { !$0.isEmpty }.joined(separator: "\n"))
    <footer>mergewalk \(ImportSession.version)</footer>
    </main>
    </body>
    </html>

    """
  }

  /// How a run ended, in a pill.
  static func badge(_ status: String) -> String {
    let (style, text): (String, String) =
      switch status {
      case "completed": ("good", "completed")
      case "completed_with_rejects": ("fair", "completed with rejects")
      case "limit_breached": ("bad", "too many rejects: rolled back")
      case "dry_run": ("", "dry run: nothing kept")
      default: ("bad", status.replacing("_", with: " "))
      }
    return "<span class=\"badge \(style)\">\(HTMLText.escaped(text))</span>"
  }

  /// A link to a file, by its name from the folder of the page, or by its whole path.
  static func link(toFile path: String, fromPageAt page: String?) -> String {
    let isBeside = page.map { ResolvedPath.folder(of: $0) == ResolvedPath.folder(of: path) } ?? false
    let target = isBeside ? "./" + ResolvedPath.name(of: path) : "file://" + ResolvedPath.fromRoot(path)
    // Console.redacted would cut a secret out of the target, too: what is hidden is no link.
    guard Console.redacted(path) == path else { return HTMLText.escaped(path) }
    return "<a href=\"\(HTMLText.escaped(percentEncoded(target)))\">\(HTMLText.escaped(path))</a>"
  }

  private static func percentEncoded(_ path: String) -> String {
    path.utf8.reduce(into: "") { result, byte in
      let isPlain = byte.isLetter || byte.isDigit || "/.-_:".utf8.contains(byte)
      result += isPlain ? String(Unicode.Scalar(byte)) : "%" + Hexadecimal.text([byte], .capital)
    }
  }
}
