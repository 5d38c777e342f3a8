import MergewalkBytes

/// Lists of whole numbers: `[1, 2, 3]` in JSON, `1 2 3` in CSV.
enum IdentityList {
  /// Appends the numbers of a list.
  ///
  /// - Returns: Whether the bytes are a list; when not, `numbers` may hold some of them.
  /// - Complexity: O(bytes).
  static func parse(_ bytes: UnsafeRawBufferPointer, into numbers: inout ContiguousArray<Int64>) -> Bool {
    var index = 0
    var end = bytes.count
    while index < end, bytes[index].isDocumentSpace { index += 1 }
    while end > index, bytes[end - 1].isDocumentSpace { end -= 1 }
    var hasCommas = false
    if index < end, bytes[index] == UInt8(ascii: "[") {
      guard end - index >= 2, bytes[end - 1] == UInt8(ascii: "]") else { return false }
      hasCommas = true
      index += 1
      end -= 1
      while index < end, bytes[index].isDocumentSpace { index += 1 }
      while end > index, bytes[end - 1].isDocumentSpace { end -= 1 }
    }
    while index < end {
      let start = index
      while index < end, !bytes[index].isDocumentSpace, bytes[index] != UInt8(ascii: ",") { index += 1 }
      guard let number = number(bytes, start, index) else { return false }
      numbers.append(number)
      while index < end, bytes[index].isDocumentSpace { index += 1 }
      guard index < end else { break }
      if hasCommas {
        guard bytes[index] == UInt8(ascii: ",") else { return false }
        index += 1
        while index < end, bytes[index].isDocumentSpace { index += 1 }
        // A comma has a number behind it.
        guard index < end else { return false }
      } else if bytes[index] == UInt8(ascii: ",") {
        return false
      }
    }
    return true
  }

  private static func number(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> Int64? {
    var index = start
    let isNegative = index < end && bytes[index] == UInt8(ascii: "-")
    if isNegative { index += 1 }
    guard index < end, end - index <= 19 else { return nil }
    var value: Int64 = 0
    while index < end {
      let digit = bytes[index] &- UInt8(ascii: "0")
      guard digit <= 9 else { return nil }
      // Counted down, because the least number has no positive counterpart.
      let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
      let (next, isTooSmall) = product.subtractingReportingOverflow(Int64(digit))
      guard !isTooLarge, !isTooSmall else { return nil }
      value = next
      index += 1
    }
    if isNegative { return value }
    return value == .min ? nil : -value
  }

  /// Whether all numbers are identities, from 1, and each is there once.
  static func areIdentities(_ numbers: ContiguousArray<Int64>) -> Bool {
    var last: Int64 = 0
    var isAscending = true
    for number in numbers {
      guard number > 0 else { return false }
      if number <= last { isAscending = false }
      last = number
    }
    return isAscending || Set(numbers).count == numbers.count
  }
}
