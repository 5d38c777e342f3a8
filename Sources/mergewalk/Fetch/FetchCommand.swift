import ArgumentParser
import MergewalkDiagnostics
import MergewalkSystem
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats

/// `mergewalk fetch`: what a store holds, chosen by a predicate, as rows.
struct FetchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch",
    abstract: "Print the objects of a store that match a predicate, in any of six formats.",
    discussion: HelpText.flow(
      """
      The store is only read. Rows are streamed, so memory use does not depend on their number. Without \
      --format, a terminal shows a table that fits it, a pipe gets CSV, and a file gets the format of its \
      extension.

      COLUMNS are key paths and named expressions, separated by commas: \
      name,customer.name,total=sum:(lines.amount). The default is all attributes and the to-one relationships \
      (as object IDs).

      SORT KEYS are key paths or names of columns, separated by commas. A - before a key reverses the order. \
      After a key, :c ignores case, :d diacritics and :cd both; :localized sorts as readers of most languages \
      expect, :localized-c also ignores case, and :natural sorts numbers inside text by their value.

      ARGUMENTS replace %@ (a value) and %K (a key path), first in the predicate, then in --having. A value is \
      read as the type that it is compared with: a number, true or false, a date in ISO 8601, a UUID, an \
      object's URI, else text. Text in quotes is converted only if it is compared with dates, UUIDs or objects, \
      for which the language has no literals.

      EXIT CODES
        0   done, even if the reader of a pipe closed it
        2   could not run: no such store, entity or property, or an invalid predicate
        6   another process holds the store
        64  usage

      EXAMPLES
        mergewalk fetch shop.sqlite --entity Order --predicate "placed >= %@ AND customer.email ENDSWITH[c] %@" \\
            --arg 2024-01-01 --arg @example.com --sort -placed --limit 10
        mergewalk fetch shop.sqlite --entity Order --columns "customer.name,orders=count:(orderID)" \\
            --group-by customer.name --having "orders > 5" --format json
      """))

  @Argument(help: "The store.", completion: .file())
  var store: String

  @Option(help: ArgumentHelp("The entity of the objects; without it the entities are listed.", valueName: "name"))
  var entity: String?

  @OptionGroup var storeModel: StoreModelOptions

  // Predicates and expressions may begin with a minus.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("A predicate that selects objects; all objects by default.", valueName: "predicate"))
  var predicate: String?

  @Option(
    name: .customLong("arg"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("The value of the next %@ or %K; may be repeated.", valueName: "value"))
  var arguments: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The sort keys, separated by commas; - before a key sorts in descending order.", valueName: "keys"))
  var sort: String?

  @Option(help: ArgumentHelp("The maximum number of rows.", valueName: "count"))
  var limit: Int?

  @Option(help: ArgumentHelp("The number of rows to skip at the beginning.", valueName: "count"))
  var offset: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Key paths and name=expression, separated by commas.", valueName: "columns"))
  var columns: String?

  @Option(name: .customLong("group-by"), help: ArgumentHelp("The columns to group by.", valueName: "columns"))
  var groupBy: String?

  @Option(parsing: .unconditional, help: ArgumentHelp("A condition on the groups.", valueName: "predicate"))
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
    if let limit, limit < 1 { throw ValidationError("--limit takes a number from 1 on, not \(limit)") }
    if let offset, offset < 0 { throw ValidationError("--offset takes a number from 0 on, not \(offset)") }
    if having != nil, groupBy == nil { throw ValidationError("--having needs --group-by") }
    if count, format != nil { throw ValidationError("--count prints a number; it takes no --format") }
    if explain, format != nil || output != nil {
      throw ValidationError("--explain prints words; it takes neither --format nor --output")
    }
    if count {
      try OptionPaths.check(output: "--output", output, cure: OptionPaths.standardOutput)
    } else {
      try FetchFormat.check(output: output, format, by: "--format")
    }
  }

  func run() throws {
    // The copy in the store is read with the store.
    let model: ManagedObjectModel? = try storeModel.model == nil ? nil : storeModel.find(store: store).model
    let failure = try StoreFailure.orEnd { () throws(StoreError) -> FetchFailure? in
      try PersistentStore.withReadableStore(store, model: model) { store in
        do throws(FetchFailure) { try run(store) } catch { return error }
        return nil
      }
    }
    if let failure {
      Console.words(lines: failure.words)
      throw failure.status
    }
  }

  private func run(_ store: PersistentStore) throws(FetchFailure) {
    let request = try request(store)
    let compiler = FetchCompiler(schema: store.schema, storeUUID: store.file.metadata.uuid)
    let fetch: CompiledFetch
    do throws(PredicateError) {
      fetch = try compiler.compile(request, selecting: count ? .count : .values)
    } catch {
      throw failure(error, request, compiler)
    }
    if explain { return Console.data(lines: try FetchExplanation.text(fetch, store)) }
    let names = count ? ["count"] : request.propertiesToFetch.map(\.name)
    let format = count ? .csv(FetchFormat.bareNumbers) : rowFormat
    try write(fetch, names, format, store)
  }

  /// The first option that cannot be compiled beside those before it.
  ///
  /// Sort keys and conditions on groups name columns, so they come after these.
  private func failure(
    _ error: PredicateError, _ request: FetchRequest, _ compiler: FetchCompiler
  ) -> FetchFailure {
    var part = FetchRequest(request.entityName)
    func refusal() -> PredicateError? {
      do throws(PredicateError) {
        _ = try compiler.compile(part, selecting: part.resultType == .dictionaries ? .values : .count)
        return nil
      } catch {
        return error
      }
    }
    part.predicate = request.predicate
    if let predicate, let refused = refusal() {
      return FetchFailure(refused: refused, option: "--predicate", text: predicate)
    }
    part.resultType = .dictionaries
    part.propertiesToGroupBy = request.propertiesToGroupBy
    part.propertiesToFetch = request.propertiesToGroupBy
    if let groupBy, let refused = refusal() { return FetchFailure(refused, option: "--group-by", text: groupBy) }
    part.propertiesToFetch = request.propertiesToFetch
    if let columns, let refused = refusal() { return FetchFailure(refused, option: "--columns", text: columns) }
    part.havingPredicate = request.havingPredicate
    if let having, let refused = refusal() {
      return FetchFailure(refused: refused, option: "--having", text: having)
    }
    part.sortDescriptors = request.sortDescriptors
    if let sort, let refused = refusal() { return FetchFailure(refused: refused, option: "--sort", text: sort) }
    part.returnsDistinctResults = distinct
    if distinct, let refused = refusal() { return FetchFailure(refused, option: "--distinct", text: "") }
    return FetchFailure(error)
  }

  /// The request that the options make.
  private func request(_ store: PersistentStore) throws(FetchFailure) -> FetchRequest {
    let (model, storeUUID) = (store.model, store.identifier)
    let names = model.entities.map(\.name)
    let all = "\(names.prefix(12).joined(separator: ", "))\(names.count > 12 ? ", …" : "")"
    guard let name = self.entity else {
      throw FetchFailure(
        words: "Error: --entity NAME is missing; \(self.store) has \(all)\n"
          + "Usage: mergewalk fetch \(ShellText.word(self.store)) --entity \(names.first ?? "NAME")",
        status: ExitStatus.usage)
    }
    guard let entity = model.entity(named: name) else {
      let hint = NearestName.find(name, in: names).map { "did you mean \($0)?" }
      let error = PredicateError(
        .unknownEntity, "expected an entity of the store, found “\(name)”", hint: hint ?? "it has \(all)")
      throw FetchFailure(error, option: "--entity", text: name)
    }
    var scope = ModelScope(model, entity)
    var arguments = CommandArguments(arguments)
    var request = FetchRequest(entity.name)
    if let predicate {
      request.predicate = try arguments.predicate(predicate, option: "--predicate", in: scope)
      Self.warn(request.predicate, "--predicate", scope, storeUUID)
    }
    try FetchColumns.read(columns, groupedBy: groupBy, into: &request, &scope)
    if let having {
      request.havingPredicate = try arguments.predicate(having, option: "--having", in: scope)
      Self.warn(request.havingPredicate, "--having", scope, storeUUID)
    }
    try arguments.finish()
    if let sort {
      do throws(PredicateError) {
        request.sortDescriptors = try SortKeys.read(sort, in: scope)
      } catch {
        throw FetchFailure(error, option: "--sort", text: sort)
      }
    }
    request.fetchLimit = limit ?? 0
    request.fetchOffset = offset ?? 0
    request.includesSubentities = !noSubentities
    request.returnsDistinctResults = distinct
    request.resultType = .dictionaries
    return request
  }

  /// Says what in a predicate can be read, but finds nothing.
  private static func warn(
    _ predicate: ObjectPredicate?, _ option: String, _ scope: ModelScope, _ storeUUID: String
  ) {
    for pattern in predicate?.patternsOfSQL ?? [] {
      Console.words("\(option): warning: \(ObjectPredicate.sqlPattern(pattern)) [sqlPattern]")
    }
    for sentence in predicate?.mismatchedValues(in: scope, storeUUID: { storeUUID }) ?? [] {
      Console.words("\(option): warning: \(sentence) [neverEqual]")
    }
  }

  /// The format of the rows: what was requested, what the file's name says, a table for a terminal, else CSV.
  private var rowFormat: RowFormat {
    let isTerminal = output == nil && isatty(STDOUT_FILENO) == 1
    let format = self.format ?? output.flatMap(FetchFormat.init(path:)) ?? (isTerminal ? .table : .csv)
    return format.rowFormat(width: output == nil ? Console.outputWidth : nil)
  }

  /// Runs the statement and writes its rows to standard output or to the new file.
  private func write(
    _ fetch: CompiledFetch, _ names: [String], _ format: RowFormat, _ store: PersistentStore
  ) throws(FetchFailure) {
    let file = try output.map { path throws(FetchFailure) in try RowFile(path, access: .derived(from: self.store)) }
    let writer = RowWriter(format, columns: names, to: ByteSink(descriptor: file?.descriptor ?? STDOUT_FILENO))
    let texts = [
      ("--predicate", predicate), ("--columns", columns), ("--group-by", groupBy), ("--having", having),
      ("--sort", sort),
    ]
    let options = texts.filter { $0.1 != nil }.map { $0.0 }.joined(separator: ", ")
    var stream = RowStream(
      fetch, store: store, storePath: self.store, options: options.isEmpty ? "mergewalk" : options,
      shortIDs: format.isTable)
    do throws(FetchFailure) {
      if count { try stream.writeNumber(to: writer) } else { try stream.run(into: writer) }
      try file?.close()
    } catch {
      file?.remove()
      throw error
    }
    for warning in stream.warnings(writer, format) { Console.words("\(self.store): warning: \(warning)") }
  }
}
