import MergewalkBytes
package import MergewalkDiagnostics
import MergewalkImporting
import MergewalkObjectModel
package import MergewalkObjectStore
import MergewalkRecordFormats

/// Writes the objects of a store as files that a pipeline reads back to an equal store.
///
/// A folder gets one file for each entity that is not abstract, `model.yaml`, and `pipeline.yaml`, which
/// `mergewalk run` runs. All objects are those of one moment. `docs/export.md` describes the files.
package struct StoreExport {
  /// How objects are written.
  package enum Format: String, Sendable, CaseIterable {
    /// One JSON object a line.
    case ndjson
    /// Comma-separated values with a header.
    case csv
    /// Tab-separated values with a header.
    case tsv
    /// One JSON array of objects.
    case json
    /// A YAML sequence of mappings.
    case yaml
    /// An XML document with an element for each object.
    case xml

    var rows: RowFormat {
      switch self {
      case .ndjson: return .ndjson
      case .json: return .json
      case .yaml: return .yaml
      case .csv: return .csv(CSVRowOptions())
      case .tsv:
        var options = CSVRowOptions()
        options.delimiter = "\t"
        return .csv(options)
      case .xml:
        var options = XMLRowOptions()
        options.root = "objects"
        options.row = "object"
        return .xml(options)
      }
    }

    /// Whether lists are numbers with blanks between them, and empty ones nothing; else they are those of JSON.
    var hasPlainLists: Bool { self == .csv || self == .tsv || self == .xml }

    func columnName(ofField name: String) -> String { IdentityColumn.name(ofField: name, isXML: self == .xml) }

    /// Whether a text comes back as it was: NDJSON and JSON count what is not UTF-8 themselves.
    func holds(_ text: UnsafeRawBufferPointer) -> Bool {
      switch self {
      case .ndjson, .json: true
      case .csv, .tsv: !text.contains(0) && text.isUTF8
      case .yaml, .xml: text.isUTF8
      }
    }
  }

  /// The file written for one entity.
  package struct File: Sendable {
    package let entity: String
    package let path: String
    package let objects: Int
    package let bytes: Int
  }

  /// The result of an export.
  package struct Summary: Sendable {
    /// The files of objects, in the order in which the pipeline reads them.
    package internal(set) var files: [File] = []
    package internal(set) var pipelinePath = ""
    /// Entities of objects that the files refer to and that were not exported; sorted.
    package internal(set) var missingEntities: [String] = []
    /// How many references lead to objects that the store does not have, by field: `Order.customer`.
    package internal(set) var danglingReferences: [(field: String, count: Int)] = []
    /// How many values break a rule of the model, so that reading them back rejects their records, by field.
    package internal(set) var invalidValues: [(field: String, count: Int)] = []
  }

  package var storePath: String
  /// The folder that takes the files; it is made when it does not exist.
  package var folder: String
  package var model: StoreModel
  /// How objects are written.
  package var format = Format.ndjson
  /// The names of the entities to export, with those that inherit from them; empty for all.
  package var entities: [String] = []
  /// Whether existing files are replaced.
  package var replaces = false
  /// Files that the caller has read for the export, which are not replaced.
  package var readFiles: [String] = []

  /// Prepares an export of everything as NDJSON.
  package init(storePath: String, folder: String, model: StoreModel) {
    self.storePath = storePath
    self.folder = folder
    self.model = model
  }

  /// Writes all files; nothing is there under its final name before all are complete.
  ///
  /// - Parameter progress: Is called now and then with the number of objects written so far.
  /// - Throws: Findings with the codes `unknownEntity`, `fileExists`, `cannotWrite`, `damagedObject`,
  ///   `unwritableValue`, or those of ``StoreError``. No file has changed.
  /// - Complexity: O(bytes of the store), with a sort of each many-to-many relationship; memory is flat.
  package func run(progress: ((Int) -> Void)? = nil) throws(DiagnosticList) -> Summary {
    let chosen = try chosenEntities()
    let names = chosen.map { "\($0.name).\(format.rawValue)" } + ["model.yaml", "pipeline.yaml"]
    var read = OutputCheck()
    read.uses(store: storePath)
    for path in readFiles { read.reads(path, as: "the model of the store") }
    let output = try ExportFiles(
      folder: folder, names: names, replaces: replaces, read: read, access: .derived(from: storePath))
    var summary = Summary()
    do throws(DiagnosticList) {
      try write(chosen, to: output, &summary, progress: progress)
      try output.publish()
    } catch {
      output.discard()
      throw error
    }
    summary.pipelinePath = output.path("pipeline.yaml")
    return summary
  }

  /// The entities with objects of their own, targets of relationships before those that refer to them.
  private func chosenEntities() throws(DiagnosticList) -> [EntityDescription] {
    guard let schema = StoreSchema(model: model.model, configuration: model.configuration) else { return [] }
    var chosen: [EntityDescription] = []
    for name in entities {
      guard let entity = model.model.entity(named: name), schema.entityNumbers[entity.index] > 0 else {
        let known = model.model.entities.filter { schema.entityNumbers[$0.index] > 0 }.map(\.name)
        throw Self.failure(
          storePath, "unknownEntity", "the store has no entity “\(name)”",
          hint: NearestName.hint(for: name, among: known))
      }
      chosen += model.model.family(of: entity.index)
    }
    if entities.isEmpty { chosen = model.model.entities }
    let indexes = Set(chosen.filter { !$0.isAbstract && schema.entityNumbers[$0.index] > 0 }.map(\.index))
    return ExportOrder.order(indexes.sorted().map { model.model.entities[$0] }, schema)
  }

  private func write(
    _ chosen: [EntityDescription], to output: ExportFiles, _ summary: inout Summary, progress: ((Int) -> Void)?
  ) throws(DiagnosticList) {
    var files: [File] = []
    var invalid: [(field: String, count: Int)] = []
    var dangling = DanglingReferences()
    var failure: DiagnosticList?
    do throws(StoreError) {
      try PersistentStore.withReadableStore(storePath, model) { store throws(StoreError) in
        // All files are of one moment even when the store is written meanwhile.
        try store.freeze()
        do throws(DiagnosticList) {
          try checkEntities(of: chosen, store)
          for entity in chosen {
            let name = "\(entity.name).\(format.rawValue)"
            let sink = try output.open(name)
            let export = EntityExport(entity: entity, store: store, storePath: storePath, format: format)
            let done = files.reduce(0) { $0 + $1.objects }
            let written = try export.run(to: sink) { progress?(done + $0) }
            invalid += written.invalid
            files.append(
              File(entity: entity.name, path: output.path(name), objects: written.objects, bytes: sink.byteCount))
          }
        } catch {
          failure = error
        }
        guard failure == nil else { return }
        dangling = try DanglingReferences(of: chosen, store)
        invalid += try Self.duplicates(of: chosen, store)
      }
    } catch {
      throw DiagnosticList(error)
    }
    if let failure { throw failure }
    summary.files = files
    let pipeline = ExportPipeline(
      model: model.model, storePath: storePath, entities: chosen, dangling: dangling, format: format)
    summary.danglingReferences = dangling.counts
    summary.invalidValues = invalid
    summary.missingEntities = pipeline.missingEntities
    try output.write("model.yaml", ModelWriter.yaml(model.model.draft))
    try output.write("pipeline.yaml", pipeline.text)
  }

  /// Counts the objects with values that must be unique, and that an object with a smaller identity has.
  ///
  /// Only where the store lacks the index that would keep them out.
  private static func duplicates(
    of chosen: [EntityDescription], _ store: PersistentStore
  ) throws(StoreError) -> [(field: String, count: Int)] {
    let numbers = chosen.map { String(store.schema.entityNumbers[$0.index]) }.joined(separator: ", ")
    var result: [(field: String, count: Int)] = []
    for index in store.schema.missingIndexes where index.isUnique {
      let rows = try store.rows("SELECT count(*) FROM \(store.schema.duplicates(index)) AND e IN (\(numbers))")
      guard try rows.step(), rows.integer(0) > 0 else { continue }
      result.append((field: store.schema.propertyNames(index), count: Int(rows.integer(0))))
    }
    return result
  }

  /// Ensures that no object is left out because its row names an entity that has no objects.
  private func checkEntities(of chosen: [EntityDescription], _ store: PersistentStore) throws(DiagnosticList) {
    let schema = store.schema
    for table in schema.tables where chosen.contains(where: { $0.root == table.rootEntity }) {
      let root = schema.model.entities[table.rootEntity.index]
      let family = schema.model.family(of: root.index)
      let numbers = family.filter { !$0.isAbstract }.map { String(schema.entityNumbers[$0.index]) }
      let stray: Int64
      do throws(StoreError) {
        let rows = try store.rows(
          "SELECT Z_PK FROM \(table.name) WHERE Z_ENT IS NULL OR Z_ENT NOT IN (\(numbers.joined(separator: ", ")))"
            + " LIMIT 1")
        guard try rows.step() else { continue }
        stray = rows.integer(0)
      } catch {
        throw DiagnosticList(error)
      }
      throw Self.failure(
        storePath, "damagedObject", "\(root.name) \(stray) is of no entity that has objects",
        hint: "mergewalk store verify lists what is wrong with the store")
    }
  }

  static func failure(_ path: String, _ code: String, _ message: String, hint: String? = nil) -> DiagnosticList {
    DiagnosticList(error: code, path: path, message: message, hint: hint)
  }
}
