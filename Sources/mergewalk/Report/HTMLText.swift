import MergewalkBytes
import MergewalkDiagnostics

/// Text for HTML pages.
enum HTMLText {
  /// The text such that it stays text, whatever it holds: in elements and in quoted attributes.
  ///
  /// Secrets are hidden. Control characters, which HTML does not know, and those that turn the direction of what follows are spelt out.
  static func escaped(_ text: some StringProtocol) -> String {
    PrintableText.of(Console.redacted(String(text)), keeping: .lines).xml(.html)
  }

  /// A number for a coordinate: at most two digits behind the point.
  static func coordinate(_ value: Double) -> String { Figures.fixed(value, digits: 2) }
}
