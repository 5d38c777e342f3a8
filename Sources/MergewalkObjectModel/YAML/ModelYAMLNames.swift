/// The words of the YAML model format.
package enum ModelYAMLNames {
  /// The names of the types as they are written, in the order of the documentation.
  static let types: [(name: String, type: AttributeType)] = [
    ("integer16", .integer16), ("integer32", .integer32), ("integer64", .integer64), ("decimal", .decimal),
    ("double", .double), ("float", .float), ("string", .string), ("boolean", .boolean), ("date", .date),
    ("binary", .binary), ("uuid", .uuid), ("uri", .uri), ("transformable", .transformable), ("object_id", .objectID),
    ("composite", .composite), ("undefined", .undefined),
  ]

  /// Other names that are read.
  static let otherTypes: [(name: String, type: AttributeType)] = [
    ("int16", .integer16), ("int32", .integer32), ("int64", .integer64), ("integer", .integer64), ("int", .integer64),
    ("bool", .boolean), ("text", .string), ("data", .binary), ("url", .uri),
  ]

  static func type(_ name: String) -> AttributeType? {
    (types + otherTypes).first { $0.name == name }?.type
  }

  /// The name of a type as it is written.
  package static func name(_ type: AttributeType) -> String { types.first { $0.type == type }?.name ?? "undefined" }

  static let deleteRules: [(name: String, rule: DeleteRule)] = [
    ("nullify", .nullify), ("cascade", .cascade), ("deny", .deny), ("no_action", .noAction),
  ]

  static let resultTypes: [(name: String, type: FetchRequestTemplate.ResultType)] = [
    ("objects", .objects), ("object_ids", .objectIDs), ("dictionaries", .dictionaries), ("count", .count),
  ]

  /// The fields of a fetch request's options and their XML names.
  static let options: [(name: String, xmlName: String)] = [
    ("include_subentities", "includeSubentities"), ("include_property_values", "includePropertyValues"),
    ("include_pending_changes", "includesPendingChanges"), ("return_faults", "returnObjectsAsFaults"),
    ("distinct", "returnDistinctResults"),
  ]

  /// The name that Xcode gives the request of a fetched property.
  static let usualRequestName = "fetchedPropertyFetchRequest"
}
