/// The parts of a record that become records of their own, for the many side of a relationship.
///
/// With `each: lines`, an order with three lines gives three records. Their columns `lines.sku` are those of one line;
/// a path that does not begin with `lines` is the order's own, the same in all three. If the elements are not objects,
/// the column `lines` is the element itself. The path may go through objects (`detail.lines`), not through other
/// arrays. A record without such a part, or with an empty or null one, gives no record; if the part is not an array, it
/// counts as an array of one. All records of one element have the raw text and the position of the whole element.
struct EachPath: Hashable {
  let names: [[UInt8]]

  /// Reads a path as columns have it, or returns nil if it is malformed.
  init?(_ text: String) {
    guard !text.isEmpty, let names = JSONPaths.split(text) else { return nil }
    self.names = names
  }
}
