import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkYAML

/// The pipeline that reads an export back.
struct ExportPipeline {
  private let name: String
  private let entries: [(entity: String, file: String, forgives: Bool)]
  /// Entities of objects that the files refer to and that are in none; sorted.
  let missingEntities: [String]

  init(
    model: ManagedObjectModel, storePath: String, entities: [EntityDescription], dangling: DanglingReferences,
    format: StoreExport.Format
  ) {
    name = Self.name(of: storePath)
    let schema = StoreSchema(model: model)
    let exported = Set(entities.map(\.index))
    var missing = Set<String>()
    entries = entities.map { entity in
      var forgives = dangling.entities.contains(entity.index)
      for field in schema.objectFields(of: entity) {
        let other: Int
        switch field.kind {
        case .toOne(let relationship), .links(let relationship, _): other = relationship.destinationEntity
        case .owner(let relationship): other = relationship.declaringEntity
        default: continue
        }
        let range = model.family(of: other)
        for target in range where !target.isAbstract && !exported.contains(target.index) {
          missing.insert(target.name)
          forgives = true
        }
      }
      return (entity.name, "\(entity.name).\(format.rawValue)", forgives)
    }
    missingEntities = missing.sorted(by: CodePointOrder.precedes)
  }

  var text: String {
    var head: [(key: String, value: YAMLOutput)] = [
      ("pipeline", .string(name)), ("model", .literal("model.yaml")),
      ("store", .literal("${STORE:-\(name).sqlite}")),
    ]
    head.append(
      (
        "objects",
        .list(
          entries.map { entry in
            var fields: [(key: String, value: YAMLOutput)] = [
              ("entity", .string(entry.entity)), ("files", .string(entry.file)),
            ]
            if entry.forgives { fields.append(("missing", .literal("null"))) }
            return .flowMapping(fields)
          })
      ))
    return "# Reads these files into a new store: mergewalk run pipeline.yaml --store new.sqlite\n"
      + YAMLOutput.mapping(head).text
  }

  /// The store's name without its extension, or `store` when it has characters that mean something in a pipeline.
  static func name(of path: String) -> String {
    let stem = Paths.stem(path)
    let isPlain = stem.utf8.allSatisfy { byte in
      byte | 0x20 &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10 || byte == UInt8(ascii: "_")
        || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }
    return isPlain && !stem.isEmpty ? stem : "store"
  }
}
