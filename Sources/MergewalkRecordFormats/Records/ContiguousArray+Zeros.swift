import MergewalkSystem

/// Zeros at once.
///
/// `init(repeating:count:)` and `repeatElement` go element by element where nothing is optimized. There a reader of one
/// record took longer to make its room than to read.
extension ContiguousArray where Element: BitwiseCopyable {
  /// Makes an array of zero bytes, which must be values of the type.
  init(zeros count: Int) { self = ContiguousArray().enlarged(to: count, keeping: 0) }

  /// The first `kept` elements, and zeros behind them: `count` elements.
  func enlarged(to count: Int, keeping kept: Int) -> ContiguousArray {
    ContiguousArray(unsafeUninitializedCapacity: count) { target, initialized in
      guard let start = target.baseAddress else { return }
      withUnsafeBufferPointer { old in
        if let base = old.baseAddress { start.initialize(from: base, count: kept) }
      }
      memset(start + kept, 0, (count - kept) * MemoryLayout<Element>.stride)
      initialized = count
    }
  }
}
