import MergewalkObjectModel
import MergewalkPropertyLists

/// Builds keyed archives of models by hand, so that tests can have in them what no model of ours has.
struct ModelArchive {
  private var objects: [PropertyList] = [.string("$null"), .dictionary([])]
  private var classes: [String: PropertyList] = [:]

  /// An entity with its properties, and where in the archive they are.
  struct Entity {
    var name: String
    var isAbstract = false
    var properties: [(name: String, object: PropertyList)] = []
    var indexes: [PropertyList] = []
  }

  private mutating func append(_ list: PropertyList) -> PropertyList {
    objects.append(list)
    return .uid(UInt64(objects.count - 1))
  }

  mutating func text(_ text: String) -> PropertyList { append(.string(text)) }

  /// An object of a class with its keys.
  mutating func object(_ name: String, _ entries: [(String, PropertyList)]) -> PropertyList {
    if classes[name] == nil {
      let names = PropertyList.array([.string(name), .string("NSObject")])
      classes[name] = append(
        .dictionary([PropertyList.Entry("$classname", .string(name)), PropertyList.Entry("$classes", names)]))
    }
    let all = entries + [("$class", classes[name] ?? .uid(0))]
    return append(.dictionary(all.map { PropertyList.Entry($0.0, $0.1) }))
  }

  mutating func list(_ items: [PropertyList]) -> PropertyList { object("NSArray", [("NS.objects", .array(items))]) }

  mutating func table(_ pairs: [(String, PropertyList)]) -> PropertyList {
    let keys = pairs.map { text($0.0) }
    return object("NSMutableDictionary", [("NS.keys", .array(keys)), ("NS.objects", .array(pairs.map(\.1)))])
  }

  mutating func attribute(
    _ name: String, type: Int64 = 700, kind: String = "NSAttributeDescription", _ more: [(String, PropertyList)] = []
  ) -> (name: String, object: PropertyList) {
    let common: [(String, PropertyList)] = [
      ("NSPropertyName", text(name)), ("NSAttributeType", .integer(type)), ("NSIsOptional", .boolean(true)),
    ]
    return (name, object(kind, common + more))
  }

  mutating func relationship(
    _ name: String, to destination: String, inverse: String? = nil, maximum: Int64 = 0
  ) -> (name: String, object: PropertyList) {
    var entries: [(String, PropertyList)] = [
      ("NSPropertyName", text(name)), ("_NSDestinationEntityName", text(destination)),
      ("NSMaxCount", .integer(maximum)), ("NSMinCount", .integer(0)), ("NSDeleteRule", .integer(1)),
      ("NSIsOptional", .boolean(true)),
    ]
    if let inverse { entries.append(("_NSInverseRelationshipName", text(inverse))) }
    return (name, object("NSRelationshipDescription", entries))
  }

  /// The bytes of the archive.
  mutating func bytes(_ entities: [Entity]) -> [UInt8] {
    var pairs: [(String, PropertyList)] = []
    for entity in entities {
      let properties = table(entity.properties.map { ($0.name, $0.object) })
      var entries = [("NSEntityName", text(entity.name)), ("NSProperties", properties)]
      entries.append(("NSFetchIndexDescriptions", list(entity.indexes)))
      pairs.append((entity.name, object("NSEntityDescription", entries)))
    }
    let all = table(pairs)
    let root = object("NSManagedObjectModel", [("NSEntities", all)])
    return BinaryPropertyListWriter.write(
      .dictionary([
        PropertyList.Entry("$version", .integer(100_000)), PropertyList.Entry("$archiver", .string("NSKeyedArchiver")),
        PropertyList.Entry("$top", .dictionary([PropertyList.Entry("root", root)])),
        PropertyList.Entry("$objects", .array(objects)),
      ]))
  }
}
