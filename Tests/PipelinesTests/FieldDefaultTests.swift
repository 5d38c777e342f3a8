import MergewalkImporting
@testable import MergewalkPipelines
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

/// A default is stated once, in the spec: builders, reference and schema read it there.
@Suite("Defaults of fields")
struct FieldDefaultTests {
  @Test("a default of a kind that has values is one, or words", arguments: ComponentRegistry.standard.components)
  func values(_ component: ComponentSpec) {
    for field in component.fields {
      guard let text = field.defaultText, field.defaultValue == nil else { continue }
      switch field.kind {
      case .flag, .count, .bytes, .share, .duration, .choice, .character, .delimiter:
        // More than the field decides, or nothing holds; a single word else would be a slip.
        #expect(text.contains(" ") || text == "none", "\(component.name).\(field.name): \(text)")
      default: break
      }
    }
  }

  @Test("what a pipeline leaves out is what Swift code leaves out") func sameAsSwift() throws {
    let folder = try PipelineFolder()
    try folder.folder.write("name\nBooks\n", to: "categories.csv")
    let path = try folder.write(
      """
      model: \(Locations.fixtures)/shop/Shop.xcdatamodeld
      store: shop.sqlite
      source: categories.csv
      import:
        entity: Category
        find_by: [name]
        relationships: { products: { split: ";", find_by: { sku: skus } } }
      since: changed
      """)
    var settings = PipelineSettings()
    settings.checksHeaders = false
    let read = try Pipeline.read(path, settings: settings).definition
    let made = ImportDefinition(
      name: "pipeline", model: read.model, storePath: read.storePath, inputs: read.inputs,
      format: .csv(CSVOptions()), root: EntityImport(entityName: "Category", findBy: []))
    #expect(read.format == made.format)
    #expect(read.batchLimit == made.batchLimit)
    #expect((read.keyMemory, read.cacheMemory) == (made.keyMemory, made.cacheMemory))
    #expect(read.rejects.minimum == made.rejects.minimum)
    #expect(read.policy.lockWait == made.policy.lockWait && read.policy.append == made.policy.append)
    #expect(read.reporting.anomalies == made.reporting.anomalies)
    #expect((read.keepsOrder, read.findPlan) == (made.keepsOrder, made.findPlan))
    #expect(read.parts[0].passes == made.parts[0].passes)
    #expect((read.root.mode, read.root.duplicates) == (made.root.mode, made.root.duplicates))
    #expect(read.root.sync == SyncPolicy())
    let field = try #require(read.root.findBy.first)
    let plain = FieldImport(attributeName: "name", column: "name")
    #expect((field.whenAbsent, field.whenNull, field.whenEmpty) == (plain.whenAbsent, plain.whenNull, plain.whenEmpty))
    #expect(field.conversion == ConversionOptions())
    let list = try #require(read.root.relationships.first?.list)
    let plainList = ListImport(column: "skus", form: .split(separator: ";"))
    #expect(
      (list.trims, list.links, list.orphans, list.whenEmpty) == (
        plainList.trims, plainList.links, plainList.orphans, plainList.whenEmpty
      ))
    #expect((list.whenElementEmpty, list.scope) == (plainList.whenElementEmpty, plainList.scope))
    let since = try #require(read.parts[0].since)
    let plainSince = SincePolicy(column: "changed")
    #expect(
      (since.kind, since.ties, since.lag, since.rejects) == (
        plainSince.kind, plainSince.ties, plainSince.lag, plainSince.rejects
      ))
  }
}
