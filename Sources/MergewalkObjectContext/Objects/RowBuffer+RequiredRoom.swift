import MergewalkObjectStore

extension RowBuffer {
  /// Sees to it that there is room for so many more bytes.
  ///
  /// - Throws: ``ObjectError`` with `notStorable`; nothing has changed then.
  @inline(__always)
  func requireRoom(_ count: Int) throws(ObjectError) {
    if arena.count + count <= byteLimit { return }
    guard makeRoom(count) else {
      throw ObjectError(
        .notStorable,
        "\(Self.fullMessage), with \(count) bytes more; save, and let go of objects or reset the context")
    }
  }

  /// Sees to it that there is room for a row of another buffer.
  ///
  /// - Throws: ``ObjectError`` with `notStorable`; nothing has changed then.
  @inline(__always)
  func requireRoom(for row: Int, of other: RowBuffer, slots: [Int]? = nil) throws(ObjectError) {
    // Nearly always there is room for all that the other one has, and nothing is counted.
    if arena.count + other.arena.count <= byteLimit { return }
    try requireRoom(other.byteCount(row: row, slots: slots))
  }
}
