extension Range<Int> {
  /// The first number of the range for which a condition holds that, from there on, holds for all; the end if there is none.
  ///
  /// - Complexity: O(log count) questions.
  @inlinable @inline(__always)
  package func first<Failure: Error>(fromWhich holds: (Int) throws(Failure) -> Bool) throws(Failure) -> Int {
    var low = lowerBound
    var high = upperBound
    while low < high {
      let middle = low + (high - low) / 2
      if try holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
