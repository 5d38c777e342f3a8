import MergewalkDiagnostics
public import MergewalkObjectModel
import MergewalkObjectStore

extension ManagedObjectContext {
  /// Inserts the rows of a request into the store, in one transaction: all or nothing.
  ///
  /// The request works on the store: unsaved changes of this context neither count nor are saved, and its objects do
  /// not know the result before ``mergeChanges(from:)``. Values are checked as in a save, including types, missing
  /// values and bounds (Core Data skips that), except for the minimum and maximum number of objects in to-many
  /// relationships.
  ///
  /// - Throws: ``BatchError``: `object` with `unknownEntity`, `abstractEntity`, `unknownKey`, `readOnly`, `transient`,
  ///   `typeMismatch`, `notStorable`, `wrongEntity`, `otherContext`, `notFound` or `closed`; `save` with `validation`,
  ///   `constraint` or `database`. The store is then unchanged.
  /// - Complexity: O(values); a constant number of statements for every 4,096 rows, and memory for as many. An entity
  ///   with several uniqueness constraints is written row by row in chunks where rows find objects.
  public func execute(_ request: BatchInsertRequest) throws(BatchError) -> BatchResult {
    var rows = request.rows.makeIterator()
    return try insert(request, chunkRows: BatchInserter.chunkRows) { row throws(BatchError) in
      guard let values = rows.next() else { return true }
      for (property, name) in request.properties.enumerated() {
        guard let value = values[name] else { continue }
        do throws(ObjectError) { try row.set(property, value) } catch { throw BatchError.object(error) }
      }
      return false
    }
  }

  /// Inserts the rows that a closure fills, one at a time, as ``execute(_:)`` does.
  ///
  /// ```swift
  /// let request = BatchInsertRequest("Reading", properties: ["time", "value"])
  /// var next = readings.makeIterator()
  /// let result = try context.execute(request) { row in
  ///   guard let reading = next.next() else { return true }
  ///   try row.set(0, date: reading.time)
  ///   try row.set(1, double: reading.value)
  ///   return false
  /// }
  /// ```
  ///
  /// - Parameter fill: Sets the row's values; returns `true` when there are no more rows, which discards the values set
  ///   in that call. It may fetch from contexts on the store, but not save.
  /// - Throws: ``BatchError``, also `source` with the closure's error.
  public func execute(
    _ request: BatchInsertRequest, filling fill: (borrowing BatchRow) throws -> Bool
  ) throws(BatchError) -> BatchResult {
    guard request.rows.isEmpty else {
      throw .object(
        ObjectError(
          .invalidRequest,
          "the request has \(PrintableText.count(request.rows.count, "row")) of its own "
            + "and a closure that fills them"))
    }
    return try insert(request, chunkRows: BatchInserter.chunkRows) { row throws(BatchError) in
      do {
        return try fill(row)
      } catch let error as ObjectError {
        throw .object(error)
      } catch {
        throw .source(error)
      }
    }
  }

  /// Inserts rows, `chunkRows` at a time.
  package func insert(
    _ request: BatchInsertRequest, chunkRows: Int, _ fill: (borrowing BatchRow) throws(BatchError) -> Bool
  ) throws(BatchError) -> BatchResult {
    guard hasOneStore, request.affectedStores == nil else {
      var own = request
      own.affectedStores = nil
      return try inStoreForInsert(request.entityName, among: request.affectedStores) { context throws(BatchError) in
        try context.insert(own, chunkRows: chunkRows, fill)
      }
    }
    let entity = try batchEntity(request.entityName)
    return try inBatchTransaction { () throws(BatchError) in
      let inserter: BatchInserter
      do throws(ObjectError) {
        inserter = try BatchInserter(
          request, entity: entity, store: store, storeUUID: store.identifier, chunkRows: chunkRows)
      } catch {
        throw BatchError.object(error)
      }
      inserter.scratch.name = name
      inserter.scratch.transactionAuthor = transactionAuthor
      while true {
        inserter.stage.beginRow()
        if try fill(inserter.row) { break }
        inserter.stage.endRow()
        if inserter.stage.isFull { try inserter.flush() }
      }
      try inserter.flush()
      return inserter.finish(request.resultType)
    }
  }
}
