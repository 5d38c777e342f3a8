import ArgumentParser
import Diagnostics
import Glibc
import ObjectModel
import ObjectStore
import RecordFormats

/// `mergewalk fetch`: what a store holds, chosen by a predicate, as rows.
struct FetchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch",
    abstract: "Print the objects of a store that satisfy a predicate, in any of six formats.",
    discussion: """
      The store is only read. Rows stream from the database, so memory does not grow with their number. Without --format, a \
      terminal gets a table that fits it, a pipe CSV, and a file what its name ends in.

      COLUMNS are key paths and named expressions with commas between them: name,customer.name,total=sum:(lines.amount). \
      Without --columns they are the attributes and the to-one relationships (as object IDs).

      SORT KEYS are key paths or names of columns with commas between them. A - before a key turns its order round; behind it, \
      :c ignores case, :d diacritics, :cd both, :localized orders as readers of most languages expect, :localized-c without \
      case, :natural with numbers inside texts by their value.

      ARGUMENTS take the places of %@ (a value) and %K (a key path), first in the predicate, then in --having. A value is \
      read as what it is compared with: a number, true or false, a date in ISO 8601, a UUID, an object's URI, else text. \
      Texts in quotes are read so only beside dates, UUIDs and objects, for which the language has no literal.

      EXIT CODES
        0   done, also when the reader of a pipe went away
        2   could not run: no such store, entity or property, a predicate that cannot be read
        64  usage

      EXAMPLES
        mergewalk fetch shop.sqlite --entity Order --predicate "placed >= %@ AND customer.email ENDSWITH[c] %@" \\
          --arg 2024-01-01 --arg @example.com --sort=-placed --limit 10
        mergewalk fetch shop.sqlite --entity Order --columns "customer.name,orders=count:(orderID)" \\
          --group-by customer.name --having "orders > 5" --format json
      """)

  @Argument(help: "The store.", completion: .file())
  var store: String

  @Option(help: ArgumentHelp("The entity of the objects.", valueName: "name"))
  var entity: String

  @OptionGroup var modelOptions: StoreModelOptions

  @Option(help: ArgumentHelp("Which objects; all without it.", valueName: "predicate"))
  var predicate: String?

  @Option(
    name: .customLong("arg"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("The value of the next %@ or %K; may be repeated.", valueName: "value"))
  var arguments: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("The order: keys with commas between them, - before a key for descending.", valueName: "keys"))
  var sort: String?

  @Option(help: ArgumentHelp("The greatest number of rows.", valueName: "count"))
  var limit: Int?

  @Option(help: ArgumentHelp("How many rows at the beginning are left out.", valueName: "count"))
  var offset: Int?

  @Option(help: ArgumentHelp("Key paths and name=expression with commas between them.", valueName: "columns"))
  var columns: String?

  @Option(name: .customLong("group-by"), help: ArgumentHelp("The columns that make a group.", valueName: "columns"))
  var groupBy: String?

  @Option(help: ArgumentHelp("Which groups.", valueName: "predicate"))
  var having: String?

  @Flag(help: "Print equal rows once.")
  var distinct = false

  @Flag(name: .customLong("no-subentities"), help: "Leave out objects of entities that inherit from the entity.")
  var noSubentities = false

  @Option(help: "The format: table, csv, ndjson, json, yaml or xml.")
  var format: FetchFormat?

  @Flag(help: "Print the number of rows.")
  var count = false

  @Flag(help: "Print the SQL, its parameters and SQLite's plan instead of running it.")
  var explain = false

  @Option(help: ArgumentHelp("The file to write; it must not exist.", valueName: "path"), completion: .file())
  var output: String?

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit must be at least 1") }
    if let offset, offset < 0 { throw ValidationError("--offset must not be negative") }
    if having != nil, groupBy == nil { throw ValidationError("--having needs --group-by") }
    if count, format != nil { throw ValidationError("--count prints a number; it takes no --format") }
    if explain, format != nil || output != nil {
      throw ValidationError("--explain prints words; it takes neither --format nor --output")
    }
  }

  func run() throws {
    let model: ManagedObjectModel? = try modelOptions.load(store)
    let outcome: Result<Void, FetchFailure>
    do throws(StoreError) {
      outcome = try SQLiteStore.withReadableStore(store, model: model) { store in
        Result { () throws(FetchFailure) in try run(store) }
      }
    } catch {
      throw StoreFailure.end(error)
    }
    if case .failure(let failure) = outcome { throw failure.end() }
  }

  private func run(_ store: SQLiteStore) throws(FetchFailure) {
    let request = try request(store.model)
    let compiler = FetchCompiler(schema: store.schema, storeUUID: store.file.metadata.uuid)
    let fetch: CompiledFetch
    do throws(PredicateError) {
      fetch = try compiler.compile(request, selecting: count ? .count : .values)
    } catch {
      throw FetchFailure(error)
    }
    do throws(FetchError) {
      if explain { return FetchExplanation.print(fetch, plan: try store.explain(fetch)) }
      if count {
        let number = try store.count(fetch)
        return try write { sink throws(OutputError) in
          var text = "\(number)\n"
          try text.withUTF8 { (utf8) throws(OutputError) in try sink.write(UnsafeRawBufferPointer(utf8)) }
        }
      }
      let cursor = try store.cursor(fetch)
      let names = request.propertiesToFetch.map(\.name)
      try write { sink throws(RowStreamError) in
        let writer = RowWriter(rowFormat, columns: names, to: sink)
        let stream = RowStream(cursor: cursor, store: store, request: request, isTable: rowFormat.isTable)
        try stream.run(into: writer)
        if writer.replacedTexts > 0, !rowFormat.isTable {
          Console.words(
            "\(self.store): warning: \(Figures.count(writer.replacedTexts, "text")) not in UTF-8 lost bytes;"
              + " --format csv, yaml or xml keeps them")
        }
        if stream.missingFiles > 0 {
          Console.words(
            "\(self.store): warning: \(Figures.count(stream.missingFiles, "value")) in files beside the store cannot be read")
        }
      }
    } catch {
      throw FetchFailure(error, store: self.store)
    }
  }

  /// The request that the options make.
  private func request(_ model: ManagedObjectModel) throws(FetchFailure) -> FetchRequest {
    guard let entity = model.entity(named: entity) else {
      let hint = NearestName.find(self.entity, in: model.entities.map(\.name)).map { "did you mean \($0)?" }
      throw FetchFailure(
        PredicateError(.unknownEntity, "the store has no entity “\(self.entity)”", hint: hint), option: "--entity")
    }
    var arguments = CommandArguments(arguments)
    var scope = ModelScope(model: model, entity: entity)
    var request = FetchRequest(entity.name)
    if let predicate {
      request.predicate = try arguments.predicate(predicate, option: "--predicate", in: scope)
    }
    let grouped = try groupBy.map { text throws(FetchFailure) in try FetchColumns.items(text, option: "--group-by") }
    request.propertiesToFetch = try FetchColumns.read(columns, grouped: grouped, in: &scope)
    if let grouped {
      request.propertiesToGroupBy = try FetchColumns.groups(grouped, columns: request.propertiesToFetch, in: scope)
    }
    if let having { request.havingPredicate = try arguments.predicate(having, option: "--having", in: scope) }
    try arguments.finish()
    if let sort { request.sortDescriptors = try SortKeys.read(sort, in: scope) }
    request.fetchLimit = limit ?? 0
    request.fetchOffset = offset ?? 0
    request.includesSubentities = !noSubentities
    request.returnsDistinctResults = distinct
    request.resultType = count ? .count : .dictionaries
    return request
  }

  /// The format of the rows: what was asked for, what the file's name says, a table for a terminal, else CSV.
  private var rowFormat: RowFormat {
    let named = output.flatMap(FetchFormat.init(path:))
    let isTerminal = output == nil && isatty(STDOUT_FILENO) == 1
    let format = self.format ?? named ?? (isTerminal ? .table : .csv)
    return format.rowFormat(width: output == nil ? Console.outputWidth : nil)
  }

  /// Runs `body` with standard output or the new file.
  private func write<Failure>(_ body: (ByteSink) throws(Failure) -> Void) throws(FetchError) where Failure: Error {
  }
}
