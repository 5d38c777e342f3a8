import MergewalkBytes

/// Text that grows at its end, as bytes; nothing it does makes a string.
struct OutputBytes {
  var bytes: [UInt8] = []

  @inline(__always) mutating func append(_ byte: UInt8) { bytes.append(byte) }

  @inline(__always) mutating func append(_ scalar: Unicode.Scalar) { bytes.append(UInt8(ascii: scalar)) }

  mutating func append(_ text: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func append(_ more: UnsafeRawBufferPointer) { bytes.append(contentsOf: more) }

  mutating func append(_ more: ArraySlice<UInt8>) { bytes.append(contentsOf: more) }

  /// Appends the digits of a whole number.
  mutating func append(integer value: Int64) { bytes.append(decimal: value) }

  /// Appends the shortest decimal number that reads back as the same binary64 number: `0.1`, `5.0`, `1e+20`, `inf`.
  mutating func append(double value: Double) {
    if value == value.rounded(), value.magnitude < 1e15, value.sign == .plus || value != 0 {
      append(integer: Int64(value))
      append(".0" as StaticString)
    } else {
      value.write(to: &self)
    }
  }

  /// Appends the shortest decimal number that reads back as the same binary32 number.
  mutating func append(float value: Float) { value.write(to: &self) }

  /// Appends a UUID, in capitals as Apple writes them.
  mutating func append(uuid high: UInt64, _ low: UInt64) { bytes.append(uuid: high, low) }

  /// Appends two hexadecimal digits.
  mutating func append(hexadecimal byte: UInt8) { bytes.append(hexadecimal: byte, .capital) }

  /// Appends base64 with padding, in one line.
  mutating func append(base64 data: UnsafeRawBufferPointer) { bytes.append(base64: data) }
}

/// Numbers of the standard library write themselves here without a string.
extension OutputBytes: TextOutputStream {
  mutating func write(_ string: String) { bytes.append(contentsOf: string.utf8) }

  // Called by Double.write(to:) and Float.write(to:) with the digits; the default makes a string of them.
  mutating func _writeASCII(_ buffer: UnsafeBufferPointer<UInt8>) { bytes.append(contentsOf: buffer) }
}
