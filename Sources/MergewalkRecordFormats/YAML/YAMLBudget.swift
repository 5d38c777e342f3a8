/// The limit on what aliases add to the input, in bytes; each item counts some more than its text.
///
/// A record may grow by its limit. A document may grow by 64 MiB and a hundred times its text, so that files that
/// repeat a long default in every record pass, and a kilobyte that stands for a gigabyte does not.
struct YAMLBudget {
  var perRecord = 16 << 20
  /// Whether several records share what one may be.
  var isShared = false
  private var record = 0
  private var document = 0
  private var textAtStart = 0
  private var textRead = 0
  /// Whether what is being played goes beyond the limits.
  private(set) var isSpent = false

  mutating func startDocument() {
    document = 0
    record = 0
    isSpent = false
    textAtStart = textRead
  }

  mutating func startRecord(textRead: Int) {
    self.textRead = textRead
    if isShared { return }
    record = 0
    isSpent = false
  }

  /// Makes whatever is played next go beyond the limits.
  mutating func exhaust() { isSpent = true }

  /// Counts an item; returns whether it is within the limits.
  mutating func spend(_ count: Int) -> Bool {
    if isSpent { return false }
    let cost = count + 16
    record += cost
    document += cost
    isSpent = record > perRecord || document > (64 << 20) + 100 * (textRead - textAtStart)
    return !isSpent
  }
}
