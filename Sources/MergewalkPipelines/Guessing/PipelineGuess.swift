package import MergewalkDiagnostics
import MergewalkImporting
import MergewalkRecordFormats

/// A pipeline for each of several sources, and one model for all of them, guessed from the first records.
package struct PipelineGuess: Sendable {
  /// A file to write.
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
    /// How many attributes the entity has.
    package var attributes: Int
    /// How many relationships its records fill.
    package var relationships: Int
    /// The records looked at.
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

  /// A request to guess.
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
    var warnings: [Diagnostic] = []
    var entities: [GuessedEntity] = []
    var names: Set<String> = []
    for path in request.sources {
      let definition = try SourceDefinition.read(
        paths: [path], options: request.options, defaults: [("dialect", "detect")], staysLookable: true,
        command: "mergewalk guess -")
      warnings += definition.warnings
      let sample: SourceSample
      do throws(ReadError) {
        sample = try SourceSample(
          path: path, definition, limit: .init(records: request.records, bytes: request.bytes))
      } catch {
        throw DiagnosticList([error.diagnostic])
      }
      if sample.skipsEmptyFiles {
        warnings += sample.emptyFiles.map {
          Diagnostic(
            .warning, code: "emptyFile", path: $0, position: .file,
            message: "there is nothing in it; “empty_files: skip” skips it, and without that a run refuses such a file")
        }
      }
      if sample.columns.isEmpty {
        throw DiagnosticList(
          error: "noRecords", path: path,
          message: definition.sources.allSatisfy(\.isBlank)
            ? "the file is empty" : "there is no record with a column to guess from",
          hint: sample.firstReject.map {
            "the first record was refused: \($0.message); \(RejectCure.text(RejectCode($0.code)))"
          })
      }
      // The part of a source that the records are says more than its name.
      let records = request.options.last { ["records", "table", "entity"].contains($0.name) }?.value
      let name = request.entity ?? GuessedNames.entity(ofPath: path, records: records)
      entities.append(GuessedEntity(sample, name: GuessedNames.unique(name, in: &names)))
    }
    let finder = RelationshipFinder(entities)
    let order = finder.order
    return PipelineGuess(order.map { finder.entities[$0] }, request, warnings)
  }

  private init(_ entities: [GuessedEntity], _ request: Request, _ warnings: [Diagnostic]) {
    self.warnings = warnings
    let folder = request.folder
    // Sources may lie where the files go, and be YAML themselves.
    var names = Set(request.sources.compactMap { $0.split(separator: "/").last?.lowercased() })
    func fileName(_ stem: String) -> String {
      var name = "\(stem).yaml"
      var number = 2
      while !names.insert(name.lowercased()).inserted {
        name = "\(stem)-\(number).yaml"
        number += 1
      }
      return name
    }
    let model = fileName("model")
    files = [File(path: Paths.join(folder, model), text: GuessedModel.text(entities, name: "Guessed"))]
    summaries = []
    for entity in entities {
      let stem = GuessedNames.stem(entity.sample.path)
      // Names of globs have characters that are a nuisance in a shell.
      let plain = stem.filter { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" || $0 == "." }
      let name = fileName(plain.isEmpty ? GuessedNames.lowered(entity.name) : plain)
      let pipeline = GuessedPipeline(
        entity: entity, name: String(name.dropLast(5)), files: Paths.relative(entity.sample.path, from: folder),
        model: model, store: "store.sqlite", folder: folder, options: request.options)
      let text = pipeline.text
      files.append(File(path: Paths.join(folder, name), text: text))
      summaries.append(
        Summary(
          source: entity.sample.path, entity: entity.name, pipeline: Paths.join(folder, name),
          key: entity.key.map { entity.attributes[$0].name }, attributes: entity.attributes.count { $0.isKept },
          relationships: entity.relationships.count, records: entity.sample.records, rejects: entity.sample.rejects,
          isWhole: entity.sample.isWhole, questions: text.split(separator: "# QUESTION:").count - 1))
    }
  }
}
