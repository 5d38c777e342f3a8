import MergewalkImporting

/// Decides which of the values, one after the other, can name stores.
///
/// Names are short enough for every file system, and differ even if it ignores case: of values that differ only in
/// case, one keeps its letters, and those of the others are encoded.
struct StoreNames {
  /// The decision about a value.
  enum Verdict {
    /// A name of its own for files of the split; the one of its store is found when all values are known.
    case name(String)
    /// It names no store, for this reason.
    case refusal(String)
  }

  private let template: StorePathTemplate
  /// The names that values have, in small letters.
  private var taken: Set<String> = []

  init(_ template: StorePathTemplate) { self.template = template }

  /// Why a value names no store, whatever the other values are; `nil` when it can.
  static func refusal(of value: String, _ template: StorePathTemplate) -> String? {
    if template.fits(value) { return nil }
    return "“\(value.prefix(40))…” is too long for the name of a store: its path has a name of more than"
      + " \(StorePathTemplate.mostNameBytes) bytes"
  }

  /// Takes a value that has not come before.
  mutating func take(_ value: String) -> Verdict {
    if let refusal = Self.refusal(of: value, template) { return .refusal(refusal) }
    let name = StorePathTemplate.encoded(value)
    let folded = name.lowercased()
    guard taken.contains(folded) else {
      taken.insert(folded)
      return .name(name)
    }
    guard template.fits(value, isCoded: true) else {
      return .refusal(
        "“\(value.prefix(40))…” differs from an earlier value in case only, and is too long for a name that tells them"
          + " apart: with its letters encoded it has more than \(StorePathTemplate.mostNameBytes) bytes")
    }
    return .name(StorePathTemplate.encoded(value, isCoded: true))
  }
}
