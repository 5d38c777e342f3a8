package import MergewalkDiagnostics
import MergewalkImporting
import MergewalkRecordFormats

/// A pipeline for each of several sources, and one model for all of them, guessed from the first records.
package struct PipelineGuess: Sendable {
  package struct File: Sendable {
    package var path: String
    package var text: String
  }

  /// The guess for one source.
  package struct Summary: Sendable {
    /// The source as the user named it.
    package var source: String
    package var entity: String
    package var pipeline: String
    /// The names of the attributes that identify an object; none when nothing does.
    package var key: [String]
    package var attributes: Int
    /// How many relationships its records fill.
    package var relationships: Int
    package var records: Int
    /// Those of them that cannot be read.
    package var rejects: Int
    /// Whether these are all records of the source.
    package var isWhole: Bool
    /// How many questions the pipeline asks.
    package var questions: Int

    /// `all 3 records of orders.csv`, `the first 10,000 records of standard input`.
    package var looked: String { GuessWords.looked(records, isWhole: isWhole, source: source) }
  }

  /// The model, then the pipelines in the order in which they have to run.
  package var files: [File]
  /// The guess for each source, in that order.
  package var summaries: [Summary]
  /// Findings about the sources that do not matter much.
  package var warnings: [Diagnostic]

  package struct Request: Sendable {
    /// Files, globs, folders, or `-`; each stands for the records of one entity.
    package var sources: [String]
    /// Options of all sources, as pipelines have them.
    package var options: [(name: String, value: String)] = []
    /// The folder for the files, which need not exist.
    package var folder = "."
    /// The name of the entity of a single source.
    package var entity: String?
    /// The most records to look at in each source.
    package var records = 10_000
    /// About the most bytes to look at in each source.
    package var bytes = 8 << 20

    /// Asks about sources.
    package init(sources: [String]) { self.sources = sources }
  }

  package static func isEntityName(_ text: String) -> Bool {
    text.first?.isUppercase == true
      && text.unicodeScalars.allSatisfy {
        $0 == "_" || $0.properties.isAlphabetic || ($0.value >= 0x30 && $0.value <= 0x39)
      }
  }

  /// Looks at the sources.
  ///
  /// - Throws: every finding about the first source that cannot be read.
  /// - Complexity: O(bytes looked at), in memory too.
  package static func make(_ request: Request) throws(DiagnosticList) -> PipelineGuess {
    var looks: [Look] = []
    for path in request.sources {
      let look = try Look([path], request)
      // Files whose names differ in numbers only, with the same columns, are parts of one source.
      if request.entity == nil, let index = looks.firstIndex(where: { $0.isPart(of: look) }),
        let together = try? Look(looks[index].sample.paths + [path], request), together.holds(looks[index], look)
      {
        looks[index] = together
      } else {
        looks.append(look)
      }
    }
    var names: Set<String> = []
    let entityNames = looks.map { GuessedNames.unique($0.entity, in: &names) }
    let entities = zip(looks, entityNames).map { GuessedEntity($0.sample, name: $1, others: entityNames) }
    let finder = RelationshipFinder(entities)
    let order = finder.order
    return PipelineGuess(order.map { finder.entities[$0] }, request, looks.flatMap(\.warnings))
  }

  private init(_ entities: [GuessedEntity], _ request: Request, _ warnings: [Diagnostic]) {
    self.warnings = warnings
    let folder = request.folder
    // Sources may lie where the files go, and be YAML themselves.
    let sources = Set(entities.flatMap(\.sample.definition.sources).compactMap { FileID($0.path) })
    var names: Set<String> = []
    func isSource(_ name: String) -> Bool { FileID(Paths.join(folder, name)).map { sources.contains($0) } ?? false }
    func fileName(_ stem: String) -> String {
      var name = "\(stem).yaml"
      var number = 2
      while isSource(name) || !names.insert(name.lowercased()).inserted {
        name = "\(stem)-\(number).yaml"
        number += 1
      }
      return name
    }
    let model = fileName("model")
    files = [File(path: Paths.join(folder, model), text: GuessedModel.text(entities, name: "Guessed"))]
    summaries = []
    for entity in entities {
      let paths = entity.sample.paths
      let stem = paths.count == 1 ? GuessedNames.stem(paths[0]) : GuessedNames.common(paths)
      let plain = GuessedNames.fileStem(stem)
      let name = fileName(plain.isEmpty ? GuessedNames.lowered(entity.name) : plain)
      let pipeline = GuessedPipeline(
        entity: entity, name: String(name.dropLast(5)), files: paths.map { Paths.relative($0, from: folder) },
        model: model, store: "store.sqlite", folder: folder, options: request.options)
      let text = pipeline.text
      files.append(File(path: Paths.join(folder, name), text: text))
      summaries.append(
        Summary(
          source: GuessWords.list(paths), entity: entity.name, pipeline: Paths.join(folder, name),
          key: entity.key.map { entity.attributes[$0].name }, attributes: entity.attributes.count { $0.isKept },
          relationships: entity.relationships.count, records: entity.sample.records, rejects: entity.sample.rejects,
          isWhole: entity.sample.isWhole, questions: text.split(separator: "# QUESTION:").count - 1))
    }
  }
}

/// The result of a look at the first records of a source.
private struct Look {
  let sample: SourceSample
  /// The name that the source suggests for its entity.
  let entity: String
  let warnings: [Diagnostic]

  /// Reads the first records.
  ///
  /// - Throws: every finding about the source, when it cannot be read or has no column.
  init(_ paths: [String], _ request: PipelineGuess.Request) throws(DiagnosticList) {
    let definition = try SourceDefinition.read(
      paths: paths, options: request.options, defaults: [("dialect", "detect")], skipsEmptyMembers: true,
      staysLookable: true, command: "mergewalk guess -")
    do throws(ReadError) {
      sample = try Self.firstRecords(paths, definition, request)
    } catch {
      throw DiagnosticList([error.diagnostic])
    }
    warnings =
      definition.warnings
      + sample.skippedFiles.map {
        Diagnostic(
          .warning, code: "emptyFile", path: $0, position: .file,
          message: "there is nothing in it; “empty_files: skip” skips it, and without that a run refuses such a file")
      }
    if sample.columns.isEmpty {
      throw DiagnosticList(
        error: "noRecords", path: paths[0],
        message: definition.sources.allSatisfy(\.isBlank)
          ? "the file is empty" : "no record has a column to guess from",
        hint: sample.firstReject.map {
          "the first record was refused: \($0.message); \(RejectCure.text($0))"
        })
    }
    if sample.columns.count > Self.mostColumns {
      throw DiagnosticList(
        error: "unsuitableEntity", path: paths[0],
        message: "the records have \(sample.columns.count) columns, and a table of SQLite takes 2000",
        hint: RecordMap(sample)?.question ?? "choose columns, and write the pipeline by hand")
    }
    // The part of a source that the records are says more than its name.
    let records = request.options.last { ["records", "table", "entity"].contains($0.name) }?.value
    entity = request.entity ?? GuessedNames.entity(ofPath: paths[0], records: records)
  }

  /// What SQLite takes, less the columns that Core Data adds.
  private static let mostColumns = 1_990

  /// Reads the first records; a JSON document that is an object is one, as it would be on one line.
  ///
  /// - Throws: what reading throws; of such an object that cannot be read as a record, that it is no array.
  private static func firstRecords(
    _ paths: [String], _ definition: SourceDefinition, _ request: PipelineGuess.Request
  ) throws(ReadError) -> SourceSample {
    let limit = SourceSample.Limit(records: request.records, bytes: request.bytes)
    do throws(ReadError) {
      return try SourceSample(paths: paths, definition, limit: limit)
    } catch {
      let said = ["records", "each", "scalars"]
      guard error.code == .missingRecords, case .json(var options) = definition.format,
        !request.options.contains(where: { said.contains($0.name) })
      else { throw error }
      options.scalars = .value
      var whole = definition
      whole.format = .json(options)
      // Longer than a record may be, it is an envelope, and the error tells what is in it.
      guard let sample = try? SourceSample(paths: paths, whole, limit: limit), sample.records > 0, sample.rejects == 0
      else { throw error }
      return sample
    }
  }

  /// Whether the other source seems to be a further file of this one.
  func isPart(of other: Look) -> Bool {
    entity == other.entity && entity != "Record" && sample.columns == other.sample.columns
      && sample.definition.formatName == other.sample.definition.formatName
      && !(sample.definition.sources + other.sample.definition.sources).contains(where: \.isReadOnce)
  }

  /// Whether the records of both are read here as well as alone.
  func holds(_ first: Look, _ second: Look) -> Bool {
    sample.columns == first.sample.columns && sample.rejects <= first.sample.rejects + second.sample.rejects
      && (!sample.isWhole || sample.records == first.sample.records + second.sample.records)
  }
}
