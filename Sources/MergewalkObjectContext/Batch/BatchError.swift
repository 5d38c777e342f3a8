import MergewalkObjectModel
import MergewalkObjectStore

/// The reason why a batch request failed; the store is unchanged.
public enum BatchError: Error, Sendable, CustomStringConvertible {
  /// The request does not fit the model, names objects that do not exist, or came after the store was closed; with the
  /// code `invalidRequest`, a predicate or an expression cannot be carried out, and ``ObjectError/predicateError``
  /// gives the reason.
  case object(ObjectError)
  /// The model or the database refuses the result.
  case save(SaveError)
  /// The closure that fills rows threw.
  case source(any Error)

  /// The description of the underlying error.
  public var description: String {
    switch self {
    case .object(let error): error.description
    case .save(let error): error.description
    case .source(let error): "\(error)"
    }
  }

  init(_ error: StoreError) { self = .save(SaveError(error)) }

  init(_ error: PredicateError) { self = .object(ObjectError(error)) }
}

/// Runs a piece of work on the database and wraps its error.
func batchErrors<Value>(_ body: () throws(StoreError) -> Value) throws(BatchError) -> Value {
  do { return try body() } catch { throw BatchError(error) }
}

extension ManagedObjectContext {
  /// Runs a batch request in a transaction of its own, which is rolled back when it throws.
  func inBatchTransaction<Value>(_ body: () throws(BatchError) -> Value) throws(BatchError) -> Value {
    guard store.isOpen else {
      throw .object(ObjectError(.closed, "the store \(store.file.path) was closed"))
    }
    guard !store.isInTransaction, !store.isInBatchRequest else {
      throw .save(SaveError(code: .database, message: "another transaction is open on the store; wait for its end"))
    }
    guard !store.isReadOnly else {
      throw .save(SaveError(code: .readOnly, message: "the store \(store.file.path) was opened for reading only"))
    }
    store.isInBatchRequest = true
    defer { store.isInBatchRequest = false }
    let files = store.file.externalFiles.mark
    do {
      let value = try store.inTransaction({ BatchError($0) }) { () throws(BatchError) in
        let value = try body()
        try batchErrors { () throws(StoreError) in
          try store.writeMaxima()
          try store.finishBatch()
        }
        return value
      }
      store.writes += 1
      store.file.externalFiles.removeObsolete()
      return value
    } catch {
      for observer in store.observers.reversed() { observer.didRollBack(store) }
      store.file.externalFiles.removeMade(since: files)
      throw error
    }
  }

  func batchEntity(_ name: String) throws(BatchError) -> EntityDescription {
    do throws(ObjectError) {
      let entity = try entity(named: name)
      // A store that cannot be asked says why.
      if storeNumbers(entity).isEmpty { try openStore(table: tableForInsert(entity)) }
      return entity
    } catch {
      throw .object(error)
    }
  }
}
