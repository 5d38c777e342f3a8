import MergewalkObjectModel

/// The failures of typed access since the last save: the next save reports them.
struct AccessFailures {
  /// A value that was not set.
  struct NotSet {
    /// The object, held so that what was to be set is not forgotten with it.
    var kept: ManagedObject?
    /// The object; `nil` when it was not held and is gone.
    weak var object: ManagedObject?
    var key: String
    var error: ObjectError
  }

  /// Values that were not set.
  var notSet: [NotSet] = []
  /// Values that could not be read, up to a number.
  var unreadable: [ObjectValidationFailure] = []
  /// How many more there were.
  var furtherUnreadable = 0

  /// How many unreadable values are kept: enough to see what is wrong.
  static let limit = 100

  var isEmpty: Bool { notSet.isEmpty && unreadable.isEmpty }

  /// The same without holding objects.
  var withoutObjects: AccessFailures {
    var failures = self
    for index in failures.notSet.indices { failures.notSet[index].kept = nil }
    return failures
  }
}

extension ManagedObjectContext {
  /// The failures of typed access since the last save; the next save will fail with them.
  ///
  /// A value that could not be set stays on the list until it is set again, its object is deleted or refreshed, or the
  /// context is rolled back or reset; one that could not be read stays only until a save has reported it. At most 100
  /// of the latter are listed.
  public var accessFailures: [ObjectValidationFailure] {
    var failures: [ObjectValidationFailure] = []
    for entry in typedFailures.notSet {
      guard let object = entry.object, object.isValid, !object.isDeleted else { continue }
      failures.append(failure(.notSet, object, entry.key, entry.error.message))
    }
    failures += typedFailures.unreadable
    if typedFailures.furtherUnreadable > 0, var last = failures.last {
      last.message = (last.message ?? "") + "; and \(typedFailures.furtherUnreadable) more"
      failures[failures.count - 1] = last
    }
    return failures
  }

  @inline(__always)
  var hasAccessFailures: Bool { !typedFailures.isEmpty }

  /// Takes note of a value that was not set.
  func noteNotSet(_ object: ManagedObject, _ key: String, _ error: ObjectError) {
    forgetFailures(of: object, key)
    hold(object)
    let kept = isKeptByObjects ? nil : object
    typedFailures.notSet.append(AccessFailures.NotSet(kept: kept, object: object, key: key, error: error))
  }

  /// Takes note of a value that could not be read.
  func noteUnreadable(_ object: ManagedObject, _ key: String, _ error: ObjectError) {
    let failure = failure(.unreadable, object, key, error.message)
    let isKnown = typedFailures.unreadable.contains {
      $0.property == key && $0.row == failure.row && $0.table == failure.table
    }
    if isKnown { return }
    if typedFailures.unreadable.count < AccessFailures.limit {
      typedFailures.unreadable.append(failure)
    } else {
      typedFailures.furtherUnreadable += 1
    }
  }

  /// Forgets what could not be done with an object, or with one of its properties.
  func forgetFailures(of object: ManagedObject, _ key: String? = nil) {
    typedFailures.notSet.removeAll { entry in
      guard let held = entry.object else { return true }
      return held === object && (key == nil || entry.key == key)
    }
    let (table, row) = (object.table, Int32(object.row))
    typedFailures.unreadable.removeAll {
      $0.table == table && $0.row == row && (key == nil || $0.property == key)
    }
  }

  /// Takes the failures for the save that runs; unreadable values are reported once.
  func takeAccessFailures() -> [ObjectValidationFailure] {
    guard hasAccessFailures else { return [] }
    let failures = accessFailures
    typedFailures.unreadable = []
    typedFailures.furtherUnreadable = 0
    return failures
  }

  private func failure(
    _ code: ObjectFailureCode, _ object: ManagedObject, _ key: String, _ message: String
  ) -> ObjectValidationFailure {
    ObjectValidationFailure(
      entity: object.entity.name, primaryKey: object.primaryKey, property: key, code: code, table: object.table,
      row: Int32(object.row), objectID: object.objectID, value: nil, message: message)
  }
}
