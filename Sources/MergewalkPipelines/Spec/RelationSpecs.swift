import MergewalkImporting

extension FieldSpec {
  /// The fields of a to-many relationship besides those of a to-one relationship.
  static let lists: [FieldSpec] = [
    FieldSpec(
      "each", .text, default: "none",
      "For a to-many relationship: the column that holds a JSON array (or the nested elements of XML, YAML and"
        + " property lists). The columns below it are members of an element; `.` is the element itself.",
      example: "lines"),
    FieldSpec(
      "split", .text, default: "none",
      "For a to-many relationship: what separates the elements of a text; the text is in the column that `find_by`"
        + " names, or in that of `each`. A JSON array is taken too.", example: "\";\""),
    FieldSpec(
      "trim", .flag, default: "true", "Whether white space around the pieces of a text is removed.", example: "false"),
    FieldSpec(
      "links", .choice(["replace", "add"]), default: "replace",
      "Objects that are related already and not in the list: they are no longer related, or they"
        + " stay. A record without the column changes nothing.", example: "add"),
    FieldSpec(
      "orphans", .choice(["unlink", "delete"]), default: "unlink",
      "Objects that belong to one owner and are no longer in its list: they stay without an owner, or"
        + " they are deleted, as the model's delete rules say.", example: "delete"),
    FieldSpec(
      "find_in", .choice(["owner", "everywhere"]),
      default: "owner, when each object belongs to one owner and no uniqueness constraint covers `find_by`",
      "Where an element's object is looked for: among those of its owner, so that every order may have a line 1, or"
        + " among all.", example: "everywhere"),
    FieldSpec(
      "empty", .choice(["clear", "keep", "reject"]), default: "clear",
      "A null, an empty text and a list without elements: nothing is related, all stays, or the record is"
        + " rejected.", example: "keep"),
    FieldSpec(
      "empty_elements", .choice(["skip", "reject"]), default: "skip",
      "Empty pieces, `null` and `\"\"` in a list: they are skipped, or the record is rejected.",
      example: "reject"),
  ]
}
