import MergewalkBytes
import MergewalkObjectStore

/// The output of `--explain`: the statement, its parameters, and SQLite's plan for it.
enum FetchExplanation {
  static func text(_ fetch: CompiledFetch, _ store: PersistentStore) throws(FetchFailure) -> String {
    let plan: [String]
    do throws(FetchError) {
      plan = try store.explain(fetch)
    } catch {
      throw FetchFailure(error, store: store.file.path)
    }
    var lines = [fetch.sql]
    if !fetch.bindings.isEmpty {
      lines.append("")
      lines.append("parameters")
      for (index, binding) in fetch.bindings.enumerated() { lines.append("  ?\(index + 1)  \(text(binding))") }
    }
    lines.append("")
    lines.append("plan")
    lines += plan.map { "  " + $0 }
    return lines.joined(separator: "\n")
  }

  /// A parameter as SQL writes it.
  private static func text(_ binding: SQLBinding) -> String {
    switch binding {
    case .null: "NULL"
    case .integer(let value): String(value)
    case .real(let value): "\(value)"
    case .text(let value): quoted(value)
    case .blob(let bytes): "x'\(Hexadecimal.text(bytes))'"
    case .now: "the present, in seconds since 2001-01-01 00:00:00 UTC"
    case .list(let elements): "(\(elements.map(text).joined(separator: ", ")))"
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "'"
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x27: result += "''"
      case 0..<0x20: result.unicodeScalars.append(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
      case 0x7F..<0xA0: result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "'"
  }
}
