import MergewalkImporting
import MergewalkPipelines
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

@Suite("Definitions")
struct DefinitionTests {
  private func read(
    _ text: String, header: String? = nil, _ change: (inout PipelineSettings) -> Void = { _ in }
  ) throws -> (ImportDefinition, folder: PipelineFolder) {
    let folder = try header.map { try PipelineFolder(header: $0) } ?? PipelineFolder()
    var settings = PipelineSettings()
    change(&settings)
    return (try Pipeline.read(folder.write(text), settings: settings).definition, folder)
  }

  @Test("a definition has what the file says")
  func whole() throws {
    let (definition, folder) = try read(PipelineFolder.sound)
    #expect(definition.name == "orders")
    #expect(definition.storePath == folder.folder.file("shop.sqlite"))
    #expect(definition.inputs == [folder.folder.file("orders.csv")])
    #expect(definition.format == .csv(CSVOptions()))
    #expect(definition.batchLimit == BatchLimit(records: 500, bytes: 1 << 20))
    #expect(definition.rejects.path == folder.folder.file("rejects.ndjson"))
    #expect(definition.rejects.limit == 10)
    #expect(definition.rejects.ratio == 0.01)
    #expect(definition.keyMemory == 48 << 20)
    #expect(definition.findPlan == .automatic)
    #expect(!definition.isDryRun)

    let root = definition.root
    #expect(root.entityName == "Order")
    #expect(root.mode == .upsert)
    #expect(root.findBy.map(\.attributeName) == ["orderID"])
    #expect(root.findBy.map(\.column) == ["order_id"])
    #expect(root.attributes.map(\.attributeName) == ["orderedAt", "quantity", "unitPrice", "note"])
    #expect(root.attributes.map(\.column) == ["ordered_at", "quantity", "unit_price", "note"])
    #expect(root.attributes[3].whenEmpty == .null)
    #expect(root.attributes[3].conversion.trim)
    #expect(root.relationships.map(\.name) == ["customer", "product"])
    let product = try #require(root.relationships.last)
    #expect(product.missing == .create)
    #expect(product.target.entityName == "Product")
    #expect(product.target.findBy.map(\.column) == ["sku"])
    #expect(product.target.relationships.map(\.target.entityName) == ["Category"])
  }

  @Test("what is left out has the documented default")
  func defaults() throws {
    let text = """
      model: \(Locations.fixtures)/shop/Shop.xcdatamodeld
      store: shop.sqlite
      source: categories.csv
      import: { entity: Category, find_by: [name] }
      """
    let folder = try PipelineFolder()
    try folder.folder.write("name\nBooks\n", to: "categories.csv")
    let definition = try Pipeline.read(folder.write(text)).definition
    #expect(definition.name == "pipeline", "the file's name without extension")
    #expect(definition.batchLimit == BatchLimit(records: 20_000, bytes: 32 << 20))
    #expect(definition.rejects.path == nil)
    #expect(definition.rejects.limit == nil)
    #expect(definition.rejects.ratio == nil)
    let key = try #require(definition.root.findBy.first)
    #expect(key.column == "name")
    #expect(key.whenAbsent == .keep)
    #expect(key.whenNull == .null)
    #expect(key.whenEmpty == nil)
    #expect(key.conversion == ConversionOptions())
    #expect(definition.root.duplicates == .last)
  }

  @Test("every option of a field arrives")
  func fieldOptions() throws {
    var text = PipelineFolder.sound
    text = text.replacingAll(
      "unitPrice: unit_price",
      with: "unitPrice: { from: unit_price, decimal_mark: comma, group_mark: point, null_tokens: [NULL, \"\"] }")
    text = text.replacingAll(
      "date: iso8601", with: "date: dd.MM.yyyy HH:mm, zone: \"-03:30\", absent: reject, null: keep, empty: reject")
    let root = try read(text).0.root
    let date = root.attributes[0]
    #expect(date.conversion.dateFormat == .pattern("dd.MM.yyyy HH:mm"))
    #expect(date.conversion.timeZoneOffset == -12_600)
    #expect(date.whenAbsent == .reject)
    #expect(date.whenNull == .keep)
    #expect(date.whenEmpty == .reject)
    let price = root.attributes[2].conversion
    #expect(price.decimalMark == UInt8(ascii: ","))
    #expect(price.groupMark == UInt8(ascii: "."))
    #expect(price.nullSpellings == ["NULL", ""])
  }

  @Test(
    "dates are named or patterns",
    arguments: [
      ("iso8601", ConversionOptions.DateFormat.iso8601), ("unix", .secondsSince1970),
      ("unix_ms", .millisecondsSince1970), ("core_data", .secondsSince2001), ("yyyyMMdd", .pattern("yyyyMMdd")),
    ])
  func dates(_ text: String, _ format: ConversionOptions.DateFormat) throws {
    let root = try read(PipelineFolder.sound.replacingAll("iso8601", with: text)).0.root
    #expect(root.attributes[0].conversion.dateFormat == format)
  }

  @Test("every option of a CSV source arrives")
  func sourceOptions() throws {
    let source = """
      source:
        files: [a.txt]
        format: csv
        encoding: iso-8859-1
        delimiter: ";"
        quote: apostrophe
        escape: backslash
        columns: [name]
        skip_lines: 2
        comment: "#"
        blank_lines: record
        trim: true
        null: [NULL, "-"]
        quoted_nulls: true
        lenient_quotes: true
        short_records: pad
        long_records: truncate
        max_record: 1MiB
      """
    let folder = try PipelineFolder()
    try folder.folder.write("x\ny\nBooks\n", to: "a.txt")
    let text = """
      model: \(Locations.fixtures)/shop/Shop.xcdatamodeld
      store: s.sqlite
      \(source)
      import: { entity: Category, find_by: name, mode: create-missing, duplicates: first }
      """
    let definition = try Pipeline.read(folder.write(text)).definition
    var options = CSVOptions()
    options.encoding = .latin1
    options.delimiter = ";"
    options.quote = UInt8(ascii: "'")
    options.escape = UInt8(ascii: "\\")
    options.header = .names(["name"])
    options.skippedLines = 2
    options.comment = "#"
    options.blankLines = .record
    options.trim = true
    options.nullTokens = ["NULL", "-"]
    options.quotedNulls = true
    options.lenientQuotes = true
    options.padShortRecords = true
    options.longRecords = .truncate
    options.maxRecordBytes = 1 << 20
    #expect(definition.format == .csv(options))
    #expect(definition.root.mode == .createMissing)
    #expect(definition.root.duplicates == .first)
  }

  @Test("globs are expanded and sorted, and a list keeps its order")
  func globs() throws {
    let folder = try PipelineFolder()
    for name in ["b-2.csv", "b-10.csv", "a.csv"] { try folder.folder.write("name\nx\n", to: "in/" + name) }
    let text = """
      model: \(Locations.fixtures)/shop/Shop.xcdatamodeld
      store: s.sqlite
      source: ["in/b-*.csv", "./in/../in/a.csv"]
      import: { entity: Category, find_by: [name] }
      """
    let inputs = try Pipeline.read(folder.write(text)).definition.inputs
    #expect(inputs == ["in/b-10.csv", "in/b-2.csv", "in/a.csv"].map(folder.folder.file))
  }

  @Test("the caller's store takes the place of the file's, which may then be missing")
  func store() throws {
    let text = PipelineFolder.sound.replacingAll("store: shop.sqlite\n", with: "")
    let definition = try read(text) { $0.storePath = "elsewhere.sqlite" }.0
    #expect(definition.storePath == "elsewhere.sqlite")
  }

  @Test(
    "variables come from the caller, then from the environment, then from the default",
    arguments: [
      ("${NAME}", ["NAME": "a"], "a"), ("x-${NAME}-${B}", ["NAME": "a", "B": "b"], "x-a-b"),
      ("${MERGEWALK_NONE:-d e}", [:], "d e"), ("${NAME:-d}", ["NAME": ""], "d"), ("${NAME:-}n", [:], "n"),
      ("$${NAME}", [:], "${NAME}"), ("$5", [:], "$5"), ("'${NAME}'", ["NAME": "a: b"], "a: b"),
      ("\"${MERGEWALK_NONE:-x}\"", [:], "x"),
    ])
  func variables(_ text: String, _ assignments: [String: String], _ name: String) throws {
    let changed = PipelineFolder.sound.replacingAll("pipeline: orders", with: "pipeline: " + text)
    let definition = try read(changed) { $0.variables.assignments = assignments }.0
    #expect(definition.name == name)
  }

  @Test("a variable can be a number, even where YAML needs quotes")
  func numericVariable() throws {
    let changed = PipelineFolder.sound.replacingAll("records: 500", with: "records: \"${N}\"")
    let definition = try read(changed) { $0.variables.assignments = ["N": "77"] }.0
    #expect(definition.batchLimit.records == 77)
  }

  @Test("a variable that nothing uses is a warning")
  func unusedVariable() throws {
    let folder = try PipelineFolder()
    var settings = PipelineSettings()
    settings.variables.assignments = ["STOR": "x"]
    let text = PipelineFolder.sound.replacingAll("store: shop.sqlite", with: "store: ${STORE:-shop.sqlite}")
    let findings = try folder.lint(text, settings)
    #expect(
      findings == [
        "pipeline.yaml: warning: the variable “STOR” is set but not used; did you mean “STORE”? [unusedVariable]"
      ])
  }

  @Test("options for all fields hold where they fit and nothing else is said")
  func fieldDefaults() throws {
    let fields = "fields: { empty: null, date: unix, decimal_mark: comma, trim: true }\n"
    let text = fields + PipelineFolder.sound.replacingAll("trim: true, empty: null", with: "trim: false")
    let root = try read(text.replacingAll(", date: iso8601", with: "")).0.root
    let fieldsByName = Dictionary(uniqueKeysWithValues: root.attributes.map { ($0.attributeName, $0) })
    let date = try #require(fieldsByName["orderedAt"])
    #expect(date.conversion.dateFormat == .secondsSince1970)
    #expect(date.whenEmpty == nil, "orderedAt is mandatory, so null does not fit")
    #expect(date.conversion.decimalMark == UInt8(ascii: "."))
    #expect(date.conversion.trim)
    let note = try #require(fieldsByName["note"])
    #expect(note.whenEmpty == .null)
    #expect(!note.conversion.trim, "the field's own word counts")
    #expect(fieldsByName["unitPrice"]?.conversion.decimalMark == UInt8(ascii: ","))
    #expect(root.relationships[0].target.attributes.map(\.whenEmpty) == [.null, .null])
  }

  @Test(
    "a target that is never created is only updated",
    arguments: [
      ("", MissingTargetPolicy.create, ImportMode.upsert), ("missing: create", .create, .upsert),
      ("missing: reject", .reject, .update), ("missing: null", .null, .update), ("mode: update", .reject, .update),
      ("mode: update, missing: null", .null, .update), ("mode: create-missing", .create, .createMissing),
    ])
  func missingTargets(_ text: String, _ missing: MissingTargetPolicy, _ mode: ImportMode) throws {
    let changed = PipelineFolder.sound.replacingAll(
      "category: { find_by: { name: category } }", with: "category: { find_by: { name: category }, \(text) }")
    let category = try #require(try read(changed).0.root.relationships.last?.target.relationships.first)
    #expect(category.missing == missing)
    #expect(category.target.mode == mode)
  }

  @Test("nested JSON is read by dotted paths")
  func json() throws {
    let definition = try Pipeline.read(Locations.repository + "/pipelines/orders-json.yaml").definition
    #expect(definition.format == .ndjson(NDJSONOptions()))
    #expect(definition.root.relationships[0].target.findBy[0].column == "customer.email")
  }
}
