extension ComponentSpec {
  /// Which objects go in the modes `sync` and `replace`.
  static let sync = ComponentSpec(
    "sync", "Which objects that no record names go, in the modes `sync` and `replace`.",
    fields: [
      FieldSpec(
        "delete", .choice(["remove", "mark"]), default: "remove",
        "What becomes of an object that no record names: it is deleted, or its `soft_delete` attribute says that it is"
          + " gone.", example: "mark"),
      FieldSpec(
        "where", .text, default: "all objects of the entity",
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
        "What records mean whose key cannot be read: nothing is deleted, since any object could be meant, or they count"
          + " for nothing.", example: "delete"),
      FieldSpec(
        "allow_empty", .flag, default: "false",
        "Whether an input without one good record deletes everything in scope; else it deletes nothing.",
        example: "true"),
    ])
}
