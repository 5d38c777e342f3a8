/// Ascending whole numbers as bytes: the differences, seven bits a byte, the lowest first.
package enum AscendingNumbers {
  /// The bytes of numbers from 0 on that are in ascending order.
  package static func encode(_ numbers: [Int]) -> [UInt8] {
    var bytes: [UInt8] = []
    var last = 0
    for number in numbers {
      var difference = UInt64(bitPattern: Int64(number - last))
      last = number
      while difference > 0x7F {
        bytes.append(UInt8(truncatingIfNeeded: difference) | 0x80)
        difference >>= 7
      }
      bytes.append(UInt8(difference))
    }
    return bytes
  }

  /// Reads what ``encode(_:)`` wrote, as far as it is that.
  package static func decode(_ bytes: [UInt8]) -> [Int] {
    var numbers: [Int] = []
    var last = 0
    var difference: UInt64 = 0
    var shift: UInt64 = 0
    for byte in bytes {
      guard shift < 63 else { break }
      difference |= UInt64(byte & 0x7F) << shift
      shift += 7
      if byte & 0x80 != 0 { continue }
      let (sum, overflow) = last.addingReportingOverflow(Int(truncatingIfNeeded: difference))
      guard !overflow, difference <= UInt64(Int.max) else { break }
      last = sum
      numbers.append(sum)
      difference = 0
      shift = 0
    }
    return numbers
  }
}
