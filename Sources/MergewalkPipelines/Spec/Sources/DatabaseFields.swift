import MergewalkImporting

extension FieldSpec {
  static let databaseSources: [FieldSpec] = [
    FieldSpec(
      "table", .text, default: "the only table",
      "The table or view of a database whose rows are the records. For delimited text that holds"
        + " several tables, separated by blank lines or new headers: the number of the table.",
      example: "orders"),
    FieldSpec(
      "query", .text, default: "none: a whole table",
      "A SELECT whose rows are the records; it can only read.",
      example: "SELECT id, name FROM customers WHERE active"),
    FieldSpec(
      "recursion_time", .duration, default: "10s",
      "The processor time that a recursive query or view may take, since it might never end.", example: "5m"),
    FieldSpec(
      "blobs", .choice(of: SQLiteSourceOptions.Blobs.self), default: "base64",
      "How binary values of a database are written: Binary attributes read `base64`, UUID attributes"
        + " also read `hex`, and `text` treats the bytes as text.", example: "hex"),
    FieldSpec(
      "entity", .text, default: "needed for `core-data`",
      "The entity of a Core Data store whose objects are the records.", example: "Order"),
    FieldSpec(
      "model", .path, default: "the copy that the store carries",
      "The model of the Core Data store that is read; if it has several versions, the one that fits is"
        + " used.",
      example: "Shop.xcdatamodeld"),
    FieldSpec(
      "model_version", .text, default: "the one that fits", "The version of that model.", example: "Shop 2"),
    FieldSpec(
      "where", .text, default: "all objects",
      "A predicate that selects the objects of a Core Data store; dates and UUIDs are written in"
        + " quotes.",
      example: "\"placed >= '2024-01-01' AND customer.country == 'GB'\""),
    FieldSpec(
      "sort", .text, default: "the order of the identities",
      "The order of a Core Data store's objects: keys separated by commas, with `-` before a key for"
        + " descending order.",
      example: "customer.name,-placed"),
    FieldSpec(
      "include_subentities", .flag, default: "true",
      "Whether objects of entities that inherit from the entity are read too.", example: "false"),
  ]
}
