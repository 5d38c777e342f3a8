import MergewalkDiagnostics
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats

/// The fetch that a source of a Core Data store makes: which columns it has, and the statement.
struct StoreFetch {
  let store: PersistentStore
  let entity: EntityDescription
  let options: StoreSourceOptions
  let path: String

  /// Opens the store of a database.
  ///
  /// - Throws: `unsuitableStore`, `unknownEntity`, and what reading throws.
  init(_ database: SourceDatabase, _ options: StoreSourceOptions) throws(ReadError) {
    path = database.path
    self.options = options
    do throws(StoreError) {
      let model = try Self.model(database, options.model)
      store = try database.reading.store(model)
    } catch {
      throw Self.failure(error, database)
    }
    let store = store
    let names = store.model.entities.filter { store.contains($0) }.map(\.name)
    guard let entity = store.model.entity(named: options.entity), store.contains(entity) else {
      throw ReadError(
        .unknownEntity, path: path,
        message: "the store has no entity “\(options.entity)”; \(SourceTable.hint(options.entity, names))")
    }
    self.entity = entity
  }

  private static func model(
    _ database: SourceDatabase, _ model: StoreSourceOptions.Model
  ) throws(StoreError) -> StoreModel {
    switch model {
    case .stored: return try database.reading.storeModel(explicit: nil)
    case .given(let model): return try database.reading.storeModel(explicit: model)
    case .file(let file, let version):
      do throws(DiagnosticList) {
        return try database.reading.storeModel(at: file, version: version)
      } catch {
        let first = error.diagnostics.first { $0.severity == .error }
        let message = first.map { $0.path == database.path ? $0.message : $0.description } ?? "it cannot be read"
        throw StoreError(.incompatibleModel, path: database.path, message: message)
      }
    }
  }

  private static func failure(_ error: StoreError, _ database: SourceDatabase) -> ReadError {
    if error.cause != nil { return database.failure(error) }
    var message = error.message
    switch error.code {
    case .notACoreDataStore: message = "the database is not a Core Data store; read its tables with the format sqlite"
    case .noModel:
      message = "the store carries no copy of its model that fits its data; name the model with “model”"
    default: break
    }
    return ReadError(.unsuitableStore, path: database.path, message: message)
  }

  // MARK: Columns

  /// All columns: the identity, attributes, to-one relationships.
  var allColumns: [String] {
    let table = store.schema.table(forRoot: entity.root)
    let names =
      entity.attributes.filter { table.columnName(slot: $0.slot) != nil }.map(\.name)
      + entity.relationships.filter { table.columnName(slot: $0.slot) != nil }.map(\.name)
    // Exports name a property that is itself called `_id` in the same way.
    return [IdentityField.identityName]
      + names.map { $0 == IdentityField.identityName ? $0 + ":value" : $0 }
  }

  /// The value that a column stands for.
  private func value(_ name: String) throws(ReadError) -> FetchedValue {
    if name == IdentityField.identityName {
      return .expression(ExpressionDescription(name: name, expression: .evaluatedObject))
    }
    if name == IdentityField.identityName + ":value" {
      let path = PropertyPath([.property(IdentityField.identityName)])
      return .expression(ExpressionDescription(name: name, expression: .path(.evaluatedObject, path)))
    }
    return .property(name)
  }

  private func checkColumn(_ name: String) throws(ReadError) {
    if name.hasPrefix(IdentityField.identityName), allColumns.contains(name) { return }
    guard let path = PropertyPath(name) else {
      throw ReadError(
        .missingColumn, path: self.path,
        message: "“\(name)” is not a key path; columns are attributes, relationships and paths such as customer.email")
    }
    do throws(PredicateError) {
      _ = try ModelScope(store.model, entity).target(path.components, from: entity)
    } catch {
      throw missing(name, error)
    }
  }

  private func missing(_ name: String, _ error: PredicateError) -> ReadError {
    ReadError(
      .missingColumn, path: path,
      message: "“\(name)”: \(error.message)\(error.hint.map { "; " + $0 } ?? "")")
  }

  // MARK: The statement

  /// Compiles the fetch of some columns.
  ///
  /// - Throws: `missingColumn`, `invalidQuery`.
  func compile(_ columns: [String]) throws(ReadError) -> CompiledFetch {
    var request = FetchRequest(entity.name)
    request.resultType = .dictionaries
    request.includesSubentities = options.includesSubentities
    for column in columns {
      try checkColumn(column)
      request.propertiesToFetch.append(try value(column))
    }
    if columns.isEmpty { request.propertiesToFetch = [try value(IdentityField.identityName)] }
    let scope = ModelScope(store.model, entity)
    if let text = options.predicate { request.predicate = try predicate(text, scope) }
    if let text = options.sort {
      do throws(PredicateError) {
        request.sortDescriptors = try SortKeys.read(text, in: scope)
      } catch {
        throw invalid("sort", error)
      }
    }
    let compiler = FetchCompiler(schema: store.schema, storeUUID: store.identifier)
    do throws(PredicateError) {
      return try compiler.compile(request, selecting: .values, isOrderedByKey: true)
    } catch {
      throw try reason(error, columns, request.predicate, compiler)
    }
  }

  private func predicate(_ text: String, _ scope: ModelScope) throws(ReadError) -> ObjectPredicate {
    let typed: ObjectPredicate
    do throws(PredicateError) {
      let parsed = try ObjectPredicate(format: text)
      typed = try ArgumentTyping(texts: []).typed(parsed, in: scope.reading(text))
    } catch {
      throw invalid("where", error)
    }
    // Such a mistake reads nothing, or everything beside `!=`.
    let mismatched = typed.mismatchedValues(in: scope) { store.identifier }
    if let sentence = mismatched.first { throw invalid("where", PredicateError(.typeMismatch, sentence)) }
    return typed
  }

  /// Which part of the fetch cannot be compiled: a column that leads to many objects, the predicate, or the order.
  private func reason(
    _ error: PredicateError, _ columns: [String], _ predicate: ObjectPredicate?, _ compiler: FetchCompiler
  ) throws(ReadError) -> ReadError {
    for column in columns {
      var request = FetchRequest(entity.name)
      request.resultType = .dictionaries
      request.propertiesToFetch = [try value(column)]
      do throws(PredicateError) {
        _ = try compiler.compile(request, selecting: .values)
      } catch {
        return missing(column, error)
      }
    }
    do throws(PredicateError) {
      _ = try compiler.compile(FetchRequest(entity.name, where: predicate), selecting: .count)
      return invalid("sort", error)
    } catch {
      return invalid("where", error)
    }
  }

  private func invalid(_ option: String, _ error: PredicateError) -> ReadError {
    let place = error.position.line == 0 ? "" : " at \(error.position.line):\(error.position.column)"
    return ReadError(
      .invalidQuery, path: path,
      message: "“\(option)”\(place): \(error.message)\(error.hint.map { "; " + $0 } ?? "")")
  }
}
