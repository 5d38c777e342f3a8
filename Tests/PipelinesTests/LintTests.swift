import MergewalkPipelines
import MergewalkTestSupport
import Testing

/// A change to the sound pipeline that makes one mistake; `«` marks the place of the finding.
struct Mistake: CustomTestStringConvertible, Sendable {
  let code: String
  let original: String
  let changed: String
  /// A part of the message or the hint that must be there.
  let says: String

  init(_ code: String, _ original: String, _ changed: String, _ says: String) {
    self.code = code
    self.original = original
    self.changed = changed
    self.says = says
  }

  var testDescription: String { "\(code): \(changed)" }
}

@Suite("Lint")
struct LintTests {
  @Test("a pipeline without mistakes has no findings")
  func sound() throws {
    #expect(try PipelineFolder().lint(PipelineFolder.sound) == [])
  }

  static let mistakes = [
    // The shape of the file.
    Mistake("unknownField", "batch: {", "«batches: {", "did you mean “batch”?"),
    Mistake("unknownField", "records: 500", "«recods: 500", "did you mean “records”?"),
    Mistake("unknownField", "trim: true", "«trm: true", "did you mean “trim”?"),
    Mistake("unknownField", "batch: {", "fields: { «from: x }\nbatch: {", "“fields” has no field “from”"),
    Mistake("invalidOption", "batch: {", "fields: { zone: «Paris }\nbatch: {", "write UTC or an offset"),
    Mistake("unknownField", "limit: 10", "«limits: 10", "did you mean “limit”?"),
    Mistake("missingField", "store: shop.sqlite", "", "“pipeline” needs the field “store”"),
    Mistake("missingField", "  files: orders.csv\n  format: csv", "  «format: csv", "“source” needs the field “files”"),
    Mistake("missingField", "  find_by: [orderID]\n", "", "“Order” needs the field “find_by”"),
    Mistake("missingField", "find_by: { name: category }", "", "needs the field “find_by”"),
    Mistake("wrongType", "records: 500", "records: «many", "“records” takes a whole number, but here is “many”"),
    Mistake("wrongType", "bytes: 1MiB", "bytes: «big", "a size such as 32MiB"),
    Mistake("wrongType", "trim: true", "trim: «sometimes", "“trim” takes true or false"),
    Mistake("wrongType", "quantity: quantity", "quantity: { from: quantity, 'true': «[] }", "here is an empty list"),
    Mistake("wrongType", "quantity: quantity", "quantity: { from: quantity, 'true': [«null] }", "write “'null'” for"),
    Mistake("wrongType", "quantity: quantity", "quantity: { from: quantity, 'false': «~ }", "write “'~'” for the"),
    Mistake("wrongType", "files: orders.csv", "files: «[]", "but here is an empty list"),
    Mistake("yamlSyntax", "quantity: quantity", "quantity: { «&from: quantity }", "a key is missing: “&from” before"),
    Mistake("wrongType", "ratio: 1%", "ratio: «150%", "a share such as 1% or 0.01"),
    Mistake("wrongType", "quantity: quantity", "quantity: «[quantity]", "takes text, but here is a list"),
    Mistake("wrongType", "entity: Order", "entity:« ", "“entity” takes text, but here is nothing"),
    Mistake("invalidOption", "records: 500", "records: «0", "it is outside 1..."),
    Mistake("invalidOption", "mode: upsert", "mode: «upsrt", "did you mean “upsert”?"),
    Mistake("invalidOption", "empty: null", "empty: «nothing", "there is keep, null, default, empty, reject"),
    Mistake("invalidOption", "format: csv", "format: «xlsx", "“format” cannot be “xlsx”"),
    Mistake("invalidOption", "date: iso8601", "zone: «Paris", "write UTC or an offset"),
    Mistake("invalidOption", "format: csv", "delimiter: «none", "“delimiter” cannot be none"),
    Mistake("wrongType", "format: csv", "delimiter: «123456789", "“delimiter” takes 1 to 8 bytes of text"),
    Mistake("invalidOption", "format: csv", "delimiter: «'\"|\"'", "“delimiter” contains “quote”"),
    Mistake("invalidOption", "format: csv", "delimiter: '\\t'\n  escape: «backslash", "“delimiter” contains “escape”"),
    Mistake(
      "invalidOption", "format: csv", "delimiter: '##'\n  comment: «'#'", "begins with “comment” would begin with"),
    Mistake("invalidOption", "format: csv", "quote: «comma", "“delimiter” and “quote” are the same character"),
    Mistake(
      "invalidOption", "find_by: { email: email }",
      "mode: update\n      missing: «create\n      find_by: { email: email }", "in mode “update”"),
    Mistake(
      "duplicateKey", "    quantity: quantity\n", "    quantity: quantity\n    «quantity: note\n", "occurs twice"),
    Mistake(
      "invalidOption", "find_by: { email: email }",
      "mode: create-missing\n      missing: «null\n      find_by: { email: email }", "in mode “create-missing”"),
    Mistake("yamlSyntax", "batch: {", "batch: «}", ""),

    // Variables.
    Mistake("missingVariable", "store: shop", "store: a/«${NO_SUCH_VARIABLE}/shop", "“NO_SUCH_VARIABLE” is not set"),
    Mistake("missingVariable", "store: shop.sqlite", "store: \"«${NO_SUCH_VARIABLE}\"", "is not set"),
    Mistake("invalidVariable", "store: shop", "store: «${STORE", "has no “}”"),
    Mistake("invalidVariable", "store: shop", "store: «${A B}", "does not name a variable"),

    // Files.
    Mistake("unreadableFile", "files: orders.csv", "files: «order.csv", "there is no file"),
    Mistake("noMatchingFile", "files: orders.csv", "files: «nothing-*.csv", "no file matches"),
    Mistake("unreadableFile", "files: orders.csv", "files: [orders.csv, «more.csv]", "there is no file"),
    Mistake("invalidOption", "files: orders.csv", "files: [orders.csv, '-', «'-']", "can be read only once"),

    // The model.
    Mistake("fileMissing", "Shop.xcdatamodeld", "Shup.xcdatamodeld", "there is no such file"),
    Mistake("unknownVersion", "store: shop", "model_version: «Shop 2\nstore: shop", "no version “Shop 2”"),
    Mistake("unknownEntity", "entity: Order", "entity: «Ordr", "did you mean “Order”?"),
    Mistake("unknownAttribute", "    quantity: quantity", "    «quantty: quantity", "did you mean “quantity”?"),
    Mistake("unknownAttribute", "{ sku: sku }", "{ «skuu: sku }", "did you mean “sku”?"),
    Mistake("unknownRelationship", "    customer:", "    «custmer:", "did you mean “customer”?"),
    Mistake("wrongKind", "    note: {", "    «customer: {", "put it under “relationships”"),
    Mistake(
      "wrongKind", "    customer:\n", "    note: { find_by: { note: note } }\n    customer:\n", "under “attributes”"),
    Mistake(
      "unsuitableRelationship", "category: { find_by",
      "«orders: { find_by: { orderID: order_id } }\n        category: { find_by", "set “split: \";\"” for a text"),
    Mistake("unmappedRequired", "    orderedAt: { from: ordered_at, date: iso8601 }\n", "", "“orderedAt” of “Order”"),
    Mistake(
      "unmappedRequired",
      "    customer:\n      find_by: { email: email }\n      attributes: { name: name, country: country }\n", "",
      "the relationship “customer” of “Order” is mandatory"),
    Mistake(
      "unindexedKey", "find_by: { email: email }\n      attributes: { name: name,",
      "find_by: { «name: name }\n      attributes: { email: email,", "“Customer” covers name"),
    Mistake("unsuitableKey", "find_by: [orderID]", "find_by: [«unitPrice]", "Decimal are not keys"),
    Mistake("mappedTwice", "find_by: [orderID]", "find_by: { «orderID: order_id }", "has a column"),
    Mistake("mappedTwice", "find_by: [orderID]", "find_by: [orderID, «orderID]", "twice"),
    Mistake("unsuitableOption", "quantity: quantity", "quantity: { from: quantity, «date: unix }", "type Date"),
    Mistake("unsuitableOption", "unitPrice: unit_price", "unitPrice: { from: unit_price, empty: «empty }", "Decimal"),
    Mistake("unsuitableOption", "date: iso8601", "absent: «default", "has no default"),
    Mistake("unsuitableOption", "date: iso8601", "empty: «null", "use “empty: reject”"),

    Mistake("datePattern", "date: iso8601", "date: «dd.MM.yyyy QQ", "does not support"),
    Mistake(
      "ambiguousMark", "unitPrice: unit_price", "unitPrice: { from: unit_price, group_mark: «point }", "the same"),

    // The header.
    Mistake("unknownColumn", "quantity: quantity", "quantity: «quantiti", "did you mean “quantity”?"),
    Mistake("unknownColumn", "from: ordered_at", "from: «orderedat", "did you mean “ordered_at”?"),
    Mistake("unknownColumn", "{ sku: sku }", "{ sku: «article_number }", "there is order_id, ordered_at"),
    Mistake("unknownColumn", "format: csv", "ignore: [«nothing]", "to ignore"),
    Mistake("unknownColumn", "files: orders.csv", "files: «semicolons.csv", "set “delimiter: semicolon”"),
    Mistake("wrongType", "format: csv", "header: «yes", "for example “header: true”"),
    Mistake("datePattern", "date: iso8601", "date: «dd.MM.YYYY", "the calendar year is yyyy"),
    Mistake("duplicateColumn", "format: csv", "columns: [a, «A]", "twice"),
    Mistake("unusedColumn", "files: orders.csv", "files: «orders.csv", "that nothing uses: note"),
  ]

  @Test("what a JSON document lacks is found at its place")
  func documents() throws {
    let folder = try PipelineFolder()
    let record =
      #"{"order_id":1,"ordered_at":"","quantity":1,"unit_price":1,"note":null,"email":"","name":"","#
      + #""country":"","sku":"","product":"","category":""}"#
    try folder.folder.write("{\n\"v\": 1, \"orders\": [\(record)]\n}\n", to: "orders.json")
    let sound = PipelineFolder.sound.replacingAll("orders.csv", with: "orders.json")
      .replacingAll("format: csv", with: "records: $.orders")
    #expect(try folder.lint(sound) == [])
    #expect(
      try folder.lint(sound.replacingAll("$.orders", with: "order")) == [
        "pipeline.yaml:6:12: error: “orders.json”: the document has no member “order”; did you mean “orders”?"
          + " [missingRecords]"
      ])
    #expect(
      try folder.lint(sound.replacingAll("  records: $.orders\n", with: "")) == [
        "pipeline.yaml:5:10: error: “orders.json”: the document is an object, not an array of records; set their path"
          + ", such as “records: $.orders” [missingRecords]"
      ])
    #expect(
      try folder.lint(sound.replacingAll("$.orders", with: "$.orders[0]")) == [
        "pipeline.yaml:6:12: error: “$.orders[0]” is not a path to an array, such as $.data.items or data.items"
          + " [invalidOption]"
      ])
    #expect(
      try folder.lint(sound.replacingAll("from: note,", with: "from: notes.text,")) == [
        "pipeline.yaml:17:19: warning: none of the first records has a member “notes”; did you mean “note”?"
          + " [absentMember]"
      ])
    #expect(
      try folder.lint(sound.replacingAll("records: $.orders", with: "records: orders\n  delimiter: tab")) == [
        "pipeline.yaml:7:3: error: “delimiter” is for the formats csv, tsv, but the input is json [unsuitableOption]"
      ])
    #expect(
      try folder.lint(sound.replacingAll("records: $.orders", with: "records: orders\n  format: ndjson")) == [
        "pipeline.yaml:6:3: error: “records” is for the formats json, xml, yaml, plist, but the input is ndjson"
          + " [unsuitableOption]"
      ])
    // A pipeline may read the same records as CSV or from a document.
    #expect(try folder.lint(PipelineFolder.sound.replacingAll("format: csv", with: "records: orders")) == [])
    #expect(
      try folder.lint(PipelineFolder.sound.replacingAll("format: csv", with: "format: csv\n  records: orders")) == [
        "pipeline.yaml:7:3: warning: “records” is for the formats json, xml, yaml, plist, but the input is csv; it has no"
          + " effect there [unsuitableOption]"
      ])
  }

  @Test("fields of a contract that find nothing in a format are told")
  func contracts() throws {
    let folder = try PipelineFolder()
    func lint(_ contract: String) throws -> [String] {
      try folder.lint(PipelineFolder.sound.replacingAll("format: csv", with: "format: csv\n  contract: \(contract)"))
    }
    #expect(
      try lint("{ types: reject }") == [
        "pipeline.yaml:7:15: warning: “types” of a contract is for the formats ndjson, json, json-seq, sqlite, core-data,"
          + " xml, yaml, plist, but the input is csv; it has no effect there [unsuitableOption]"
      ])
    #expect(try lint("{ types: discard, new: evolve, missing: reject }") == [])
  }

  @Test(
    "a column that is made and that nothing takes is told, with what is made for it alone",
    arguments: [
      ("{ a: { from: note }, b: { from: a } }", "", ["a", "b"]),
      ("{ a: { from: note } }", "  where: \"a != 'x'\"\n", []),
      ("{ a: { from: note }, b: { from: a } }", "  where: \"b != 'x'\"\n", []),
      ("{ note: { do: [trim] } }", "", []), ("{ order_id: { do: [trim] }, c: { from: order_id } }", "", ["c"]),
      ("{ a: { from: note } }", "  process: { command: [cat], columns: [a] }\n", []),
    ])
  func unusedColumns(columns: String, more: String, names: [String]) throws {
    let folder = try PipelineFolder()
    let text = PipelineFolder.sound.replacingAll(
      "  mode: upsert\n", with: "  mode: upsert\n  columns: \(columns)\n" + more)
    let findings = try folder.lint(text)
    #expect(findings.count == names.count, "\(findings)")
    for (finding, name) in zip(findings, names) {
      #expect(finding.contains(":12:") && finding.contains("warning: the column “\(name)” is made"), "\(finding)")
      #expect(finding.hasSuffix("[unusedColumn]"), "\(finding)")
    }
    // What spreads records over stores is used.
    let stores = "\nstores: { by: b }"
    let spread = "{ a: { from: note }, b: { from: a } }"
    #expect(
      try folder.lint(
        PipelineFolder.sound.replacingAll("  mode: upsert\n", with: "  mode: upsert\n  columns: \(spread)\n")
          .replacingAll("store: shop.sqlite\n", with: "") + stores) == [])
  }

  @Test("each mistake is one finding at its place", arguments: mistakes)
  func mistake(_ mistake: Mistake) throws {
    let folder = try PipelineFolder()
    var marked = PipelineFolder.sound.replacingAll(mistake.original, with: mistake.changed)
    try #require(marked != PipelineFolder.sound, "the change changes nothing")
    if mistake.code == "unusedColumn" {
      marked = marked.replacingAll("    note: { from: note, trim: true, empty: null }\n", with: "")
    }
    let lines = marked.split(separator: "\n", omittingEmptySubsequences: false)
    let place = lines.enumerated().compactMap { line, text in
      text.firstRange(of: "«").map { range in
        "pipeline.yaml:\(line + 1):\(text[..<range.lowerBound].utf8.count + 1): "
      }
    }.first
    let findings = try folder.lint(marked.replacingAll("«", with: ""))
    #expect(findings.count == 1, "\(findings)")
    let finding = findings.first ?? ""
    #expect(finding.hasSuffix("[\(mistake.code)]"), "\(finding)")
    #expect(finding.contains(mistake.says), "\(finding)")
    if let place { #expect(finding.hasPrefix(place), "\(finding)") }
  }
}
