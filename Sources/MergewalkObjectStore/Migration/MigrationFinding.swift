/// A reason why a store cannot be migrated.
public struct MigrationFinding: Sendable, Hashable, CustomStringConvertible {
  /// The kind of reason.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The type of an attribute changed, and not every old value fits the new type.
    case typeChange
    /// Several entities or properties of the new model continue one of the old model, by their renaming identifiers.
    case renamingConflict
    /// The two models have no entity in common: all objects would be deleted.
    case unrelatedModels
    /// A new attribute is required and has no default.
    case missingDefault
    /// A new to-one relationship is required.
    case missingReference
    /// Entities of separate hierarchies get one parent.
    case mergedHierarchies
    /// A to-many relationship became to-one.
    case toManyToOne
    /// A relationship leads to other entities than before.
    case relationshipDestination
    /// The two ends of a relationship belonged to different relationships before.
    case inverseChanged
    /// The model does not have the store's configuration, or the configuration lacks an entity of the store.
    case configuration
    /// Objects have no value for an attribute that is now required and has no default.
    case missingValues
    /// Objects refer to nothing with a relationship that is now required.
    case missingReferences
    /// There are objects of an entity that is now abstract.
    case abstractObjects
    /// Several objects refer to an object, and only one now can.
    case severalOwners
    /// Objects have equal values in a new uniqueness constraint.
    case duplicateValues
  }

  /// The kind.
  public var code: Code
  /// The entity's name, in the new model if it exists there.
  public var entity: String
  /// The property's name; `nil` if the finding is about the entity.
  public var property: String?
  /// The message: expected, then found.
  public var message: String
  /// The cure.
  public var hint: String

  /// Creates a finding.
  public init(_ code: Code, entity: String, property: String? = nil, message: String, hint: String) {
    self.code = code
    self.entity = entity
    self.property = property
    self.message = message
    self.hint = hint
  }

  /// `Entity.property: message; hint [code]`.
  public var description: String {
    "\(entity)\(property.map { "." + $0 } ?? ""): \(message); \(hint) [\(code.rawValue)]"
  }
}

/// A migration that was not carried out; the store is unchanged.
public struct MigrationError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure; tests and callers match it, never the text.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The migration cannot be inferred from the models; ``MigrationError/findings`` lists all reasons.
    case notInferable
    /// The data do not allow it; ``MigrationError/findings`` lists the reasons.
    case data
    /// No model of the store was found.
    case noSourceModel
    /// It was cancelled.
    case cancelled
    /// The store could not be read or written; ``MigrationError/cause`` gives the reason.
    case store
    /// A mapping model, a policy or a stage does not fit the models.
    case mapping
  }

  /// The kind of failure.
  public let code: Code
  /// The store's path; empty if only models were compared.
  public let path: String
  /// The message: expected, then found.
  public let message: String
  /// All reasons.
  public let findings: [MigrationFinding]
  /// The store's error, or `nil`.
  public let cause: StoreError?

  /// Creates an error.
  public init(
    _ code: Code, path: String, message: String, findings: [MigrationFinding] = [], cause: StoreError? = nil
  ) {
    self.code = code
    self.path = path
    self.message = message
    self.findings = findings
    self.cause = cause
  }

  /// Wraps an error of the store: an interrupted statement means a cancelled migration.
  public init(_ cause: StoreError) {
    if cause.cause?.kind == .interrupted {
      self.init(.cancelled, path: cause.path, message: "the migration was stopped; the store is as before")
      return
    }
    self.init(.store, path: cause.path, message: cause.message, cause: cause)
  }

  /// `path: message [code]`, and the findings, one per line.
  public var description: String {
    let head = "\(path.isEmpty ? "" : path + ": ")\(message) [\((cause?.code.rawValue) ?? code.rawValue)]"
    return ([head] + findings.map(\.description)).joined(separator: "\n")
  }
}

/// Runs work on a store and wraps its error.
func migrationErrors<Value>(_ body: () throws(StoreError) -> Value) throws(MigrationError) -> Value {
  do { return try body() } catch { throw MigrationError(error) }
}
