import MergewalkImporting
import MergewalkRecordFormats

extension SourceBuilder {
  /// How rows of a database are read.
  func sqlite(_ source: ComponentValue) -> SQLiteSourceOptions {
    var options = SQLiteSourceOptions()
    if let query = source.text("query") {
      options.rows = .query(query.value)
      if source.has("table") {
        findings.add(
          .invalidOption, at: source.keyPosition("table"), "“table” and “query” cannot be combined",
          hint: "a query names its tables itself")
      }
    } else if let table = source.text("table") {
      options.rows = .table(table.value)
    }
    options.blobs = source.choice(orDefault: "blobs", as: SQLiteSourceOptions.Blobs.self)
    options.maxRecordBytes = source.count(orDefault: "max_record")
    options.recursionSeconds = source.share(orDefault: "recursion_time")
    return options
  }

  /// How objects of a Core Data store are read; `nil` when no entity is named.
  func coreData(_ source: ComponentValue) -> StoreSourceOptions? {
    guard let entity = source.text("entity") else {
      if !source.brokenFields.contains("entity") {
        findings.add(
          .missingField, at: source.position, "a source of the format core-data needs the field “entity”",
          hint: "for example “entity: Order”; tables are read with the format sqlite")
      }
      return nil
    }
    var options = StoreSourceOptions(entity: entity.value)
    if let model = source.text("model") {
      let path = findings.resolve(model)
      options.model = .file(path: path, version: source.text("model_version")?.value)
    } else if source.has("model_version") {
      findings.add(
        .invalidOption, at: source.keyPosition("model_version"), "“model_version” needs “model”",
        hint: "name the model that has the version")
    }
    options.predicate = source.text("where")?.value
    options.sort = source.text("sort")?.value
    options.includesSubentities = source.flag(orDefault: "include_subentities")
    options.maxRecordBytes = source.count(orDefault: "max_record")
    return options
  }
}

extension Findings {
  /// Adds what keeps a database from being read, at the option that it is about; `false` for anything else.
  func addDatabase(_ error: ReadError, of input: SourceFiles.Input, _ source: ComponentValue) -> Bool {
    let (code, options): (FindingCode, [String])
    switch error.code {
    case .unknownTable: (code, options) = (.unknownTable, ["table"])
    case .unknownEntity: (code, options) = (.unknownEntity, ["entity"])
    case .duplicateHeader where source.has("query"), .emptyHeader where source.has("query"):
      (code, options) = (.invalidQuery, ["query"])
    case .invalidQuery: (code, options) = (.invalidQuery, ["query", "where", "sort"])
    case .unsuitableStore: (code, options) = (.unsuitableStore, ["model"])
    default: return false
    }
    // Errors about one of several options name it in quotes.
    let option =
      options.first { options.count > 1 && error.message.hasPrefix("“\($0)”") }
      ?? options.first { source.has($0) }
    let position = option.flatMap { source.fields[$0]?.position } ?? input.position
    add(code, at: position, "“\(error.path)”: \(error.message)")
    return true
  }
}
