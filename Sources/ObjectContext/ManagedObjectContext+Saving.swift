import ObjectModel
package import ObjectStore
package import SQLite

/// Why a save did not happen.
public struct SaveError: Error, CustomStringConvertible {
  /// What went wrong.
  public enum Code: Sendable, Hashable {
    /// Some objects break what the model demands.
    case validation
    /// Somebody else changed or deleted a row since it was fetched.
    case conflict
    /// The database refused a row: a uniqueness constraint, for example.
    case constraint
    /// The database failed.
    case database
  }
  /// What went wrong.
  public let code: Code
  /// What was expected and what was found.
  public let message: String
  /// All findings of a validation.
  public let failures: [ObjectValidationFailure]
  /// SQLite's extended result code, 0 when SQLite is not the cause.
  public let databaseCode: Int32

  init(code: Code, message: String, failures: [ObjectValidationFailure] = [], databaseCode: Int32 = 0) {
    self.code = code
    self.message = message
    self.failures = failures
    self.databaseCode = databaseCode
  }

  /// The message.
  public var description: String { message }
}

/// What the rows of one root entity have become.
private struct ChangedRows {
  var buffer: RowBuffer
  var inserted = ContiguousArray<Int32>()
  /// Updated rows by the slots that changed.
  var updated: [[UInt64]: ContiguousArray<Int32>] = [:]
  var deleted = ContiguousArray<Int32>()
}

/// A row that the database refused.
package struct RefusedRow {
  /// The buffer of the row.
  package var buffer: RowBuffer
  /// The row; it is free afterwards if it was to be inserted, and as fetched if it was to be updated.
  package var row: Int32
  /// What the database said.
  package var error: SQLiteError
}

extension ManagedObjectContext {
  /// Writes all changes to the store, in one transaction.
  ///
  /// - Throws: ``SaveError``; the store is then as before and the context keeps its changes.
  public func save() throws(SaveError) {
    try inTransaction { () throws(SaveError) in try writeChanges(order: nil, onRefusal: nil) }
  }

  /// Writes all changes to the store within the transaction that is open.
  ///
  /// The steps read like a table of contents: collect, validate, delete, update, insert, keep sequences, publish.
  ///
  /// - Parameters:
  ///   - order: Root entities that are written first, in this order; those that others refer to come first.
  ///   - onRefusal: Is called for each row that breaks a constraint, before the rows of later roots are written; the
  ///     other rows are written. `nil` makes the first refusal an error.
  package func writeChanges(order: [Int]?, onRefusal: ((RefusedRow) -> Void)?) throws(SaveError) {
    var buffers = (order ?? []).map(buffer(root:))
    for buffer in allBuffers where !buffers.contains(where: { $0 === buffer }) { buffers.append(buffer) }
    let failures = buffers.flatMap { validate($0) }
    guard failures.isEmpty else {
      throw SaveError(
        code: .validation, message: failures.map(\.description).joined(separator: "\n"), failures: failures)
    }
    do {
      for buffer in buffers where !buffer.touchedRows.isEmpty {
        let changes = collect(buffer)
        try delete(changes)
        try update(changes, onRefusal: onRefusal)
        try insert(changes, onRefusal: onRefusal)
      }
      try store.writeMaxima()
    } catch let error as SQLiteError {
      throw SaveError(
        code: error.isConstraint ? .constraint : .database, message: error.message, databaseCode: error.code)
    } catch let error as SaveError {
      throw error
    } catch {
      preconditionFailure("a save throws nothing else: \(error)")
    }
    for buffer in buffers { publish(buffer) }
  }

  /// Runs `body` in a transaction of its own, or in the one that is open.
  package func inTransaction(_ body: () throws(SaveError) -> Void) throws(SaveError) {
    do {
      if !store.connection.isAutocommit { return try body() }
      try store.connection.execute("BEGIN IMMEDIATE")
      do {
        try body()
        try store.connection.execute("COMMIT")
      } catch {
        if !store.connection.isAutocommit { try store.connection.execute("ROLLBACK") }
        throw error
      }
    } catch let error as SaveError {
      throw error
    } catch let error as SQLiteError {
      throw SaveError(code: .database, message: error.message, databaseCode: error.code)
    } catch {
      preconditionFailure("a save throws nothing else: \(error)")
    }
  }

  // MARK: Steps

  private func collect(_ buffer: RowBuffer) -> ChangedRows {
    buffer.dropRevertedChanges()
    var changes = ChangedRows(buffer: buffer)
    changes.inserted.reserveCapacity(buffer.touchedRows.count)
    let words = buffer.dirtyWords
    for touched in buffer.touchedRows {
      let row = Int(touched)
      switch buffer.states[row] {
      case RowState.inserted: changes.inserted.append(touched)
      case RowState.deleted: changes.deleted.append(touched)
      case RowState.updated:
        let mask = (0..<words).map { buffer.dirtyBits[row * words + $0] }
        if mask.contains(where: { $0 != 0 }) {
          changes.updated[mask, default: []].append(touched)
        } else {
          buffer.states[row] = RowState.clean
        }
      default: break
      }
    }
    sortByPrimaryKey(&changes.inserted, buffer)
    sortByPrimaryKey(&changes.deleted, buffer)
    for mask in changes.updated.keys {
      changes.updated[mask]?.withUnsafeMutableBufferPointer { rows in
        let keys = buffer.primaryKeys
        rows.sort { keys[Int($0)] < keys[Int($1)] }
      }
    }
    return changes
  }

  /// Primary key order makes the table's pages come by once; rows are usually in that order already.
  private func sortByPrimaryKey(_ rows: inout ContiguousArray<Int32>, _ buffer: RowBuffer) {
    let keys = buffer.primaryKeys
    var isSorted = true
    for i in rows.indices.dropFirst() where keys[Int(rows[i - 1])] >= keys[Int(rows[i])] {
      isSorted = false
      break
    }
    guard !isSorted else { return }
    rows.sort { keys[Int($0)] < keys[Int($1)] }
    // A place that was freed and taken again was touched twice.
    var last: Int32 = -1
    rows.removeAll { row in
      defer { last = row }
      return row == last
    }
  }

  private func delete(_ changes: ChangedRows) throws {
    guard !changes.deleted.isEmpty else { return }
    let access = try store.access(root: changes.buffer.rootEntity)
    let written = try changes.deleted.withUnsafeBufferPointer { rows throws(SQLiteError) in
      try access.delete(changes.buffer, rows: rows)
    }
    if written != changes.deleted.count { throw conflict(changes.buffer, changes.deleted.count - written) }
  }

  private func update(_ changes: ChangedRows, onRefusal: ((RefusedRow) -> Void)?) throws {
    let buffer = changes.buffer
    // The order of a dictionary changes from run to run; statements come in the order of their slots.
    for (slots, rows) in changes.updated.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      for row in rows { buffer.versions[Int(row)] += 1 }
      var refused = 0
      do {
        let written = try rows.withUnsafeBufferPointer { rows throws(SQLiteError) in
          try store.update(
            buffer, rows: rows, slots: slots,
            onFailure: onRefusal.map { report in
              { row, error in
                refused += 1
                buffer.versions[Int(row)] -= 1
                report(RefusedRow(buffer: buffer, row: row, error: error))
              }
            })
        }
        if written + refused != rows.count { throw conflict(buffer, rows.count - written - refused) }
      } catch {
        for row in rows { buffer.versions[Int(row)] -= 1 }
        throw error
      }
    }
  }

  private func insert(_ changes: ChangedRows, onRefusal: ((RefusedRow) -> Void)?) throws {
    // A refusal further up may have freed rows that were to be inserted.
    let buffer = changes.buffer
    let rows = changes.inserted.filter { buffer.states[Int($0)] == RowState.inserted }
    try rows.withUnsafeBufferPointer { rows throws(SQLiteError) in
      try store.insert(
        buffer, rows: rows,
        onFailure: onRefusal.map { report in
          { row, error in
            buffer.free(row: Int(row))
            report(RefusedRow(buffer: buffer, row: row, error: error))
          }
        })
    }
  }

  private func conflict(_ buffer: RowBuffer, _ count: Int) -> SaveError {
    SaveError(
      code: .conflict,
      message: "\(count) rows of \(model.entities[buffer.rootEntity].name) were changed by somebody else since they "
        + "were fetched; refresh them and save again")
  }

  private func publish(_ buffer: RowBuffer) {
    for touched in buffer.touchedRows {
      let row = Int(touched)
      switch buffer.states[row] {
      case RowState.inserted, RowState.updated: buffer.markClean(row: row)
      case RowState.deleted: buffer.free(row: row)
      default: break
      }
    }
    buffer.touchedRows.removeAll(keepingCapacity: true)
    buffer.snapshots.removeAll(keepingCapacity: true)
  }
}
