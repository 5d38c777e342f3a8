import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore

/// Objects that are marked as gone instead of being deleted.
extension ObjectRemoval {
  /// Sets the attribute that says that an object is gone.
  ///
  /// - Returns: How many objects did not say so before, and how many the store does not let say so.
  func mark(
    _ keys: ObjectMarks, _ soft: SoftDelete, rejects: RejectOutput
  ) throws(ImportError) -> (marked: Int, denied: Int) {
    var count = 0
    var denied: [Denial] = []
    let value = soft.marked(at: ExpressionFunction.currentTime())
    try keys.forEach(chunk: chunk) { (keys) throws(ImportError) in
      let keys = Array(keys)
      try transaction { () throws(ImportError) in count += try mark(keys, soft, value, &denied) }
    }
    for denial in denied {
      try rejects.write(
        entity: entity.name, object: name(denial.key), code: .deleteDenied,
        message: "no record names \(entity.name) \(denial.key), but it cannot be marked: \(denial.reason)")
    }
    return (count, denied.count)
  }

  private func mark(
    _ keys: [Int64], _ soft: SoftDelete, _ value: (tag: UInt8, payload: UInt64), _ denied: inout [Denial]
  ) throws(ImportError) -> Int {
    let root = entity.root
    let buffer = context.buffer(root: root)
    let mark = sample?.mark ?? 0
    var count = 0
    try storeErrors { () throws(StoreError) in try store.fetch(keys, of: root, slots: [soft.slot], into: buffer) }
    for row in 0..<buffer.count {
      if buffer.set(row: row, slot: soft.slot, tag: value.tag, payload: value.payload, arena: buffer.arena.base) {
        count += 1
      }
    }
    sample?.collect(context)
    let obstacle = try inPart { () throws(ImportError) in
      do throws(SaveError) {
        try context.writeChanges(order: [root])
        return nil
      } catch {
        guard error.code == .constraint, takesBack else { throw ImportError(error) }
        return .others(error.message)
      }
    }
    context.reset()
    guard let obstacle else { return count }
    sample?.removeAll(since: mark)
    guard keys.count > 1 else {
      denied.append(Denial(key: keys[0], reason: reason(obstacle, keys[0])))
      return 0
    }
    let middle = keys.count / 2
    return try self.mark(Array(keys[..<middle]), soft, value, &denied)
      + self.mark(Array(keys[middle...]), soft, value, &denied)
  }
}
