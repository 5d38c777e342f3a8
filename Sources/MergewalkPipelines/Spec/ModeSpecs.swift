import MergewalkImporting

extension ComponentSpec {
  /// Which objects go in the modes `sync` and `replace`.
  static let sync = ComponentSpec(
    "sync", "Which objects that no record names go, in the modes `sync` and `replace`.",
    fields: [
      FieldSpec(
        "delete", .choice(["remove", "mark"]), default: "remove",
        "Objects that no record names: they are deleted, or their `soft_delete` attribute says that they are"
          + " gone.", example: "mark"),
      FieldSpec(
        "where", .expression, default: "all objects of the entity",
        "Only objects that match this predicate may go; it is asked when all records are in.",
        example: "country == 'CH'"),
      FieldSpec(
        "limit", .count(least: 0), default: "none",
        "The greatest number of objects that may go; one more and the whole run is rolled back.", example: "1000"),
      FieldSpec(
        "ratio", .share, default: "none",
        "The greatest share of the objects in scope that may go; more and the whole run is rolled back.",
        example: "10%"),
      FieldSpec(
        "soft_delete", .text, default: "none",
        "A Boolean or optional Date attribute that says that an object is gone; a record that names the object clears"
          + " it.", example: "deletedAt"),
      FieldSpec(
        "unreadable", .choice(["keep", "delete"]), default: "keep",
        "Records whose key cannot be read: nothing is deleted, since any object could be meant, or they count"
          + " for nothing.", example: "delete"),
      FieldSpec(
        "allow_empty", .flag, default: "false",
        "Whether an input without one good record deletes everything in scope; else it deletes nothing.",
        example: "true"),
    ])
}

extension FieldSpec {
  /// How records are told that earlier runs have read.
  static let since = FieldSpec(
    "since", .component("since"), default: "none: all records are read",
    "The column that only grows, so that records which earlier runs have read are skipped.",
    example: "{ column: updated_at, lag: 5m }")
}

extension ComponentSpec {
  /// How an incremental import knows which records are new.
  static let since = ComponentSpec(
    "since", "How an incremental import knows which records are new.", shorthand: "column",
    fields: [
      FieldSpec(
        "column", .text, required: true,
        "A column that only grows, such as the time of the last change; the greatest value is kept in the store.",
        example: "updated_at"),
      FieldSpec(
        "type", .choice(["date", "integer", "text"]), default: "date",
        "The kind of value in the column; texts are compared by their bytes.", example: "integer"),
      FieldSpec(
        "date", .text, default: "iso8601", "How dates are written (as for `field`).", example: "dd.MM.yyyy HH:mm"),
      FieldSpec(
        "zone", .zone, default: "UTC", "The zone of dates that name none (as for `field`).", example: "\"+02:00\""),
      FieldSpec(
        "start", .text, default: "the beginning",
        "Where the first run starts: an ISO 8601 date, a number or a text.", example: "2024-01-01"),
      FieldSpec(
        "lag", .text, default: "0",
        "How far before the last value reading starts again, for records that come late: `30s`, `5m`, `2h`, `1d`, or a"
          + " number for integers.", example: "5m"),
      FieldSpec(
        "ties", .choice(["read", "skip"]), default: "read",
        "Records with exactly the last value: they are read again, since others with the same value may"
          + " have come, or skipped.", example: "skip"),
      FieldSpec(
        "rejects", .choice(["hold", "pass"]), default: "hold; pass in mode insert",
        "Whether the first rejected record holds the cursor, so that the next run reads it again, or is passed, since the"
          + " rejects file, which is needed then, has it until it is replayed.", example: "pass"),
    ])
}
