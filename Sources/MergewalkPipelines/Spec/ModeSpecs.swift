import MergewalkImporting

extension ComponentSpec {
  static let sync = ComponentSpec(
    "sync", "The objects that the modes `sync` and `replace` delete, among those that no record names.",
    fields: [
      FieldSpec(
        "delete", .choice(["remove", "mark"]), default: "remove",
        "Whether objects that no record names are deleted, or marked as gone with their `soft_delete`"
          + " attribute.", example: "mark"),
      FieldSpec(
        "where", .expression, default: "all objects of the entity",
        "Only objects that match this predicate may be deleted; it is evaluated after all records are"
          + " imported.",
        example: "country == 'CH'"),
      FieldSpec(
        "limit", .count(least: 0), default: "none",
        "The maximum number of objects that may be deleted, with those that delete rules delete with them; one"
          + " more, and the whole run is rolled back.",
        example: "1000"),
      FieldSpec(
        "ratio", .share, default: "none",
        "The maximum share of the objects in scope that may be deleted; if more, the whole run is rolled"
          + " back.",
        example: "10%"),
      FieldSpec(
        "soft_delete", .text, default: "none",
        "A Boolean or optional Date attribute that marks an object as gone, with `delete: mark`; a record that names"
          + " the object clears it.", example: "deletedAt"),
      FieldSpec(
        "unreadable", .choice(["keep", "delete"]), default: "keep",
        "If a record's key cannot be read: `keep` deletes nothing, since the record could mean any"
          + " object; `delete` ignores the record.", example: "delete"),
      FieldSpec(
        "allow_empty", .flag, default: "false",
        "Whether an input without a single good record deletes everything in scope; otherwise it deletes"
          + " nothing.",
        example: "true"),
    ])
}

extension FieldSpec {
  /// How records are told that earlier runs have read.
  static let since = FieldSpec(
    "since", .component("since"), default: "none: all records are read",
    "A column whose values only grow; records that earlier runs have read are skipped.",
    example: "{ column: updated_at, lag: 5m }")
}

extension ComponentSpec {
  static let since = ComponentSpec(
    "since", "How an incremental import knows which records are new.", shorthand: "column",
    fields: [
      FieldSpec(
        "column", .text, required: true,
        "A column whose values only grow, such as the time of the last change; the greatest value is kept"
          + " in the store.",
        example: "updated_at"),
      FieldSpec(
        "type", .choice(["date", "integer", "text"]), default: "date",
        "The kind of value in the column; texts are compared by their bytes.", example: "integer"),
      FieldSpec(
        "date", .text, default: "as the attribute says, or iso8601",
        "How dates are written (as for `field`). Without it the column is read like the attribute that it fills.",
        example: "dd.MM.yyyy HH:mm"),
      FieldSpec(
        "zone", .zone, default: "as the attribute says, or UTC",
        "The time zone of dates that do not give one (as for `field`).", example: "\"+02:00\""),
      FieldSpec(
        "start", .text, default: "the beginning",
        "Where the first run starts: an ISO 8601 date, a number or a text.", example: "2024-01-01"),
      FieldSpec(
        "lag", .text, default: "0",
        "How far before the last value to start reading, for records that arrive late: `30s`, `5m`, `2h`,"
          + " `1d`, or a number for integers.", example: "5m"),
      FieldSpec(
        "ties", .choice(["read", "skip"]), default: "read",
        "Whether records with exactly the last value are read again, since others with the same value may"
          + " have arrived, or skipped.", example: "skip"),
      FieldSpec(
        "rejects", .choice(["hold", "pass"]), default: "hold; pass in mode insert",
        "Whether the cursor stays at the first rejected record, so that the next run reads it again"
          + " (`hold`), or moves past it (`pass`). `pass` requires a rejects file, which keeps the record"
          + " until it is replayed.", example: "pass"),
    ])
}
