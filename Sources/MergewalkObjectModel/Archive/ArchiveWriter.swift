import MergewalkPropertyLists

/// Builds the property list of an archive as `NSKeyedArchiver` lays it out.
struct ArchiveWriter {
  private var objects: [PropertyList] = [.string("$null")]
  private var classes: [String: PropertyList] = [:]
  private var texts: [String: PropertyList] = [:]

  /// The reference that means no object.
  static let null = PropertyList.uid(0)

  /// The classes from which the classes of models inherit, besides `NSObject`.
  private static let ancestors: [String: [String]] = [
    "NSAttributeDescription": ["NSPropertyDescription"], "NSRelationshipDescription": ["NSPropertyDescription"],
    "NSDerivedAttributeDescription": ["NSAttributeDescription", "NSPropertyDescription"],
    "NSCompositeAttributeDescription": ["NSAttributeDescription", "NSPropertyDescription"],
    "NSFetchedPropertyDescription": ["NSPropertyDescription"],
    "NSMutableDictionary": ["NSDictionary"], "NSMutableArray": ["NSArray"], "NSMutableSet": ["NSSet"],
    "NSKnownKeysDictionary1": ["NSKnownKeysDictionary", "NSMutableDictionary", "NSDictionary"],
    "NSKnownKeysMappingStrategy1": ["NSKnownKeysMappingStrategy"],
    "NSDecimalNumberPlaceholder": ["NSDecimalNumber", "NSNumber", "NSValue"],
    "NSFunctionExpression": ["NSExpression"], "NSConstantValueExpression": ["NSExpression"],
    "NSKeyPathExpression": ["NSFunctionExpression", "NSExpression"], "NSSelfExpression": ["NSExpression"],
    "NSKeyPathSpecifierExpression": ["NSExpression"], "NSComparisonPredicate": ["NSPredicate"],
    "NSComparisonPredicateOperator": ["NSPredicateOperator"], "NSEqualityPredicateOperator": ["NSPredicateOperator"],
    "NSMatchingPredicateOperator": ["NSStringPredicateOperator", "NSPredicateOperator"],
    "NSLikePredicateOperator": ["NSMatchingPredicateOperator", "NSStringPredicateOperator", "NSPredicateOperator"],
    "NSSubstringPredicateOperator": ["NSStringPredicateOperator", "NSPredicateOperator"],
    "NSInPredicateOperator": ["NSPredicateOperator"], "NSBetweenPredicateOperator": ["NSPredicateOperator"],
    "NSTruePredicate": ["NSPredicate"], "NSFalsePredicate": ["NSPredicate"],
    "NSAggregateExpression": ["NSExpression"], "NSSetExpression": ["NSExpression"],
    "NSSubqueryExpression": ["NSExpression"], "NSTernaryExpression": ["NSExpression"],
    "NSCompoundPredicate": ["NSPredicate"], "NSExpressionDescription": ["NSPropertyDescription"],
    "NSVariableExpression": ["NSExpression"], "NSFetchRequest": ["NSPersistentStoreRequest"],
  ]

  /// Keeps a place for an object that others refer to before it is written.
  mutating func reserve() -> Int {
    objects.append(Self.null)
    return objects.count - 1
  }

  /// Writes an object into the place that was kept for it.
  mutating func fill(_ place: Int, _ name: String, _ entries: [(String, PropertyList)]) {
    let reference = classReference(name)
    let values = Dictionary(entries + [("$class", reference)]) { first, _ in first }
    let keys = FoundationOrder.sorted(entries.map(\.0) + ["$class"])
    objects[place] = .dictionary(keys.compactMap { key in values[key].map { PropertyList.Entry(key, $0) } })
  }

  mutating func object(_ name: String, _ entries: [(String, PropertyList)]) -> PropertyList {
    let place = reserve()
    fill(place, name, entries)
    return Self.reference(place)
  }

  static func reference(_ place: Int) -> PropertyList { .uid(UInt64(place)) }

  private mutating func classReference(_ name: String) -> PropertyList {
    if let known = classes[name] { return known }
    let names = [name] + (Self.ancestors[name] ?? []) + ["NSObject"]
    let reference = plain(["$classname": .string(name), "$classes": .array(names.map { .string($0) })])
    classes[name] = reference
    return reference
  }

  /// A value that is no object of a class: a number, a flag.
  mutating func plain(_ value: PropertyList) -> PropertyList {
    objects.append(value)
    return Self.reference(objects.count - 1)
  }

  /// A text, once however often it is needed; nothing for `nil`.
  mutating func text(_ text: String?) -> PropertyList {
    guard let text else { return Self.null }
    if let known = texts[text] { return known }
    let reference = plain(.string(text))
    texts[text] = reference
    return reference
  }

  mutating func list(_ items: [PropertyList], _ name: String = "NSMutableArray") -> PropertyList {
    object(name, [("NS.objects", .array(items))])
  }

  /// A dictionary, in Foundation's order of its keys.
  mutating func table(_ pairs: [(String, PropertyList)], _ name: String = "NSMutableDictionary") -> PropertyList {
    let values = Dictionary(pairs) { first, _ in first }
    let keys = FoundationOrder.sorted(pairs.map(\.0))
    let references = keys.map { text($0) }
    return object(
      name, [("NS.keys", .array(references)), ("NS.objects", .array(keys.map { values[$0] ?? Self.null }))])
  }

  func bytes(root: Int) -> [UInt8] {
    BinaryPropertyListWriter.write([
      "$version": .integer(100_000), "$archiver": .string("NSKeyedArchiver"), "$top": ["root": Self.reference(root)],
      "$objects": .array(objects),
    ])
  }
}
