import MergewalkImporting

extension FieldSpec {
  /// The options of databases.
  static let databaseSources: [FieldSpec] = [
    FieldSpec(
      "table", .text, default: "the only table",
      "The table or view of a database whose rows are the records; of delimited text that holds several tables, one"
        + " below the other with blank lines or new headers between them, the number of the table.",
      example: "orders"),
    FieldSpec(
      "query", .text, default: "none: a whole table",
      "The rows that are the records: one SELECT, which can only read.",
      example: "SELECT id, name FROM customers WHERE active"),
    FieldSpec(
      "recursion_time", .duration, default: "10s",
      "The processor time that a recursive query or view may take, because it need not end.", example: "5m"),
    FieldSpec(
      "blobs", .choice(of: SQLiteSourceOptions.Blobs.self), default: "base64",
      "How a database's values that are bytes are spelt: `base64` is what Binary attributes read, `hex` UUIDs too,"
        + " `text` takes them for text.", example: "hex"),
    FieldSpec(
      "entity", .text, default: "needed for `core-data`",
      "The entity of a Core Data store whose objects are the records.", example: "Order"),
    FieldSpec(
      "model", .path, default: "the copy that the store carries",
      "The model of the Core Data store that is read; of several versions the one that fits is taken.",
      example: "Shop.xcdatamodeld"),
    FieldSpec(
      "model_version", .text, default: "the one that fits", "The version of that model.", example: "Shop 2"),
    FieldSpec(
      "where", .text, default: "all objects",
      "Which objects of a Core Data store, as a predicate; dates and UUIDs stand in quotes.",
      example: "\"placed >= '2024-01-01' AND customer.country == 'GB'\""),
    FieldSpec(
      "sort", .text, default: "the order of the identities",
      "The order of a Core Data store's objects: keys with commas between them, `-` before one for descending.",
      example: "customer.name,-placed"),
    FieldSpec(
      "include_subentities", .flag, default: "true",
      "Whether objects of entities that inherit from the entity are read too.", example: "false"),
  ]
}
