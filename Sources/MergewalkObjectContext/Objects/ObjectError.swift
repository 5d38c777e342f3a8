public import MergewalkObjectModel
public import MergewalkObjectStore

/// An error of the object layer; nothing has changed.
public struct ObjectError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure; tests and callers match it, never the text.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The model has no entity of this name.
    case unknownEntity
    /// The entity is abstract: only entities that inherit from it have objects.
    case abstractEntity
    /// The entity has no property of this name, or none of the required kind.
    case unknownKey
    /// The value is not of the attribute's type.
    case typeMismatch
    /// The decimal number has too many digits for the store, or the context has no room for the value.
    case notStorable
    /// The transformer of a transformable attribute is not registered, cannot be used, or failed.
    case transformer
    /// The attribute is derived: the store computes it.
    case readOnly
    /// The attribute is transient, so the store does not have it.
    case transient
    /// The class of the object, or of its entity, is not the required one.
    case wrongClass
    /// The object is not of the relationship's destination entity.
    case wrongEntity
    /// The object belongs to another context.
    case otherContext
    /// The object cannot be assigned to a store: it is already in one, or related to objects in another one.
    case assigned
    /// The objects are in different stores, and relationships do not leave a store.
    case otherStore
    /// The object was deleted in this context.
    case deleted
    /// The object is no longer valid: its context was reset or released, its deletion was saved or merged, or its
    /// insert was rolled back.
    case invalid
    /// The value in the store does not fit the Swift type.
    case unreadable
    /// The store has no record with the object's ID.
    case notFound
    /// The bytes are in a file beside the store that cannot be read.
    case externalData
    /// The predicate, an expression or an option of a fetch request cannot be carried out;
    /// ``ObjectError/predicateError`` gives the reason.
    case invalidRequest
    /// The task was cancelled while a fetch ran.
    case cancelled
    /// The store was closed.
    case closed
    /// The database failed; ``ObjectError/cause`` gives the reason.
    case database
  }

  /// The kind of failure.
  public let code: Code
  /// The message: expected, then found.
  public let message: String
  /// The store's error, or `nil`.
  public let cause: StoreError?
  /// The mistake in a fetch request, or `nil`.
  public let predicateError: PredicateError?

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
    cause = nil
    predicateError = nil
  }

  init(_ error: PredicateError) {
    code = error.code == .unknownEntity ? .unknownEntity : .invalidRequest
    message = error.words
    cause = nil
    predicateError = error
  }

  init(_ cause: StoreError) {
    let isStopped = cause.cause?.kind == .interrupted
    code = isStopped ? .cancelled : cause.code == .closed ? .closed : .database
    message = isStopped ? "the task was cancelled during a fetch" : cause.cause?.description ?? cause.words
    self.cause = cause
    predicateError = nil
  }

  /// `message [code]`, with the code of the mistake in a fetch request if there is one.
  public var description: String { "\(message) [\(predicateError?.code.rawValue ?? code.rawValue)]" }
}

/// Runs a piece of work with predicates and wraps its error.
func predicateErrors<Value>(_ body: () throws(PredicateError) -> Value) throws(ObjectError) -> Value {
  do { return try body() } catch { throw ObjectError(error) }
}

/// Runs a piece of work on the database and wraps its error.
func objectErrors<Value>(_ body: () throws(StoreError) -> Value) throws(ObjectError) -> Value {
  do { return try body() } catch { throw ObjectError(error) }
}
