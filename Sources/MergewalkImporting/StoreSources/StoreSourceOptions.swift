public import MergewalkObjectModel
public import MergewalkRecordFormats

/// Options for reading objects of a Core Data store as records.
public struct StoreSourceOptions: Sendable {
  /// The source of the store's model; it must be the model of the store.
  public enum Model: Sendable {
    /// The copy that the store carries.
    case stored
    /// The given model.
    case given(ManagedObjectModel)
    /// The model in a file: an `.xcdatamodeld`, an `.xcdatamodel` or a YAML model; if there are several versions, the
    /// named one, otherwise the one that fits.
    case file(path: String, version: String?)
  }

  /// The name of the entity.
  public var entity: String
  /// The source of the store's model.
  public var model: Model
  /// The condition on the objects, in the predicate language; nil for all.
  ///
  /// Dates and UUIDs are written as texts in quotes.
  public var predicate: String?
  /// The order, as keys separated by commas (`name,-placed`); nil for that of the identities.
  public var sort: String?
  /// Whether objects of subentities are read, too.
  public var includesSubentities: Bool
  /// The maximum length of a record as JSON; longer ones are refused; at most 512 MiB.
  public var maxRecordBytes: Int

  /// Creates options that read all objects of an entity.
  public init(
    entity: String, model: Model = .stored, predicate: String? = nil, sort: String? = nil,
    includesSubentities: Bool = true, maxRecordBytes: Int = 16 << 20
  ) {
    self.entity = entity
    self.model = model
    self.predicate = predicate
    self.sort = sort
    self.includesSubentities = includesSubentities
    self.maxRecordBytes = maxRecordBytes
  }

  /// Distinguishes these options from others.
  var identity: String {
    let model =
      switch model {
      case .stored: "stored"
      case .given(let model):
        "given "
          + ManagedObjectModel.versionHashesDigest(
            of: model.entities.map { ($0.name, model.versionHash(of: $0)) })
      case .file(let path, let version): "file \(path) \(version ?? "")"
      }
    return "core-data \(entity) \(model) \(predicate ?? "") \(sort ?? "") \(includesSubentities) \(maxRecordBytes)"
  }
}

extension RecordFormat {
  /// The objects of an entity in a Core Data store, which is only read.
  ///
  /// Columns are the attributes by name, the to-one relationships (as the identity of the object, `Z_PK`), `_id`, which
  /// is the object's own identity, and key paths over to-one relationships such as `customer.email`. Values have the
  /// same form as in exports. All objects belong to one snapshot. Errors: `unknownEntity`, `missingColumn`,
  /// `invalidQuery`, `unsuitableStore`, and those of databases.
  public static func coreData(_ options: StoreSourceOptions) -> RecordFormat {
    .custom(
      CustomRecordFormat(identity: options.identity, readsObjects: true) { source, columns, index throws(ReadError) in
        try StoreRecordReader(source: source, options: options, columns: columns, index: index)
      })
  }
}
