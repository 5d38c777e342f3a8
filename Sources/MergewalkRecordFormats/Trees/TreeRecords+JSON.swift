/// The JSON text of values that become one column.
extension TreeRecordBuilder {
  /// Writes a scalar to the JSON texts that are open.
  mutating func writeScalar(_ bytes: UnsafeRawBufferPointer, _ state: FieldState) {
    guard !captures.isEmpty else { return }
    separateIfItem(open.last)
    JSONColumn.append(bytes, state, to: &json)
    if json.count > 2 * maxRecordBytes { refuseLong() }
  }

  /// Writes the comma between two items of a sequence; those of a mapping are written before its keys.
  mutating func separateIfItem(_ parent: Open?) {
    if let parent, !parent.isMapping, !captures.isEmpty { separate() }
  }

  mutating func separate() {
    guard let last = open.indices.last else { return }
    if open[last].items > 0 { json.append(UInt8(ascii: ",")) }
    open[last].items += 1
  }
}
