import MergewalkObjectModel
import MergewalkObjectStore

/// The attribute that says whether an object is gone: a Boolean that is true, or a Date that is there.
struct SoftDelete: Sendable {
  let name: String
  let slot: Int
  let isDate: Bool

  /// Takes an attribute; `nil` for types that cannot say it.
  init?(_ attribute: AttributeDescription) {
    guard !attribute.isTransient, !attribute.isDerived else { return nil }
    switch attribute.type {
    case .boolean: isDate = false
    case .date where attribute.isOptional: isDate = true
    default: return nil
    }
    name = attribute.name
    slot = attribute.slot
  }

  /// The cell of an existing object.
  var cleared: (tag: UInt8, payload: UInt64) { isDate ? (CellTag.null, 0) : (CellTag.integer, 0) }

  /// The cell of an object that is gone since a time, in seconds since 2001.
  func marked(at time: Double) -> (tag: UInt8, payload: UInt64) {
    isDate ? (CellTag.real, time.bitPattern) : (CellTag.integer, 1)
  }

  /// Whether a row says that its object is gone.
  func isMarked(_ buffer: RowBuffer, row: Int) -> Bool {
    let tag = buffer.tags[slot][row]
    if isDate { return tag != CellTag.null }
    return tag == CellTag.integer && buffer.payloads[slot][row] != 0
  }

  /// The predicate that objects satisfy which are gone.
  var isGone: ObjectPredicate {
    let path = ObjectExpression.keyPath(PropertyPath([.property(name)]))
    return isDate
      ? .comparison(ComparisonPredicate(path, .notEqualTo, .constant(.null)))
      : .comparison(ComparisonPredicate(path, .equalTo, .constant(.attribute(.boolean(true)))))
  }
}
