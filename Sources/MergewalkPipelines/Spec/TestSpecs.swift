import MergewalkImporting

extension ComponentRegistry {
  /// The components of files with tests of a pipeline.
  package static let tests = ComponentRegistry([
    .pipelineTests, .testCase, .testInput, .testBefore, .testRun, .testExpectation, .testCounts, .testReject,
  ])
}

extension ComponentSpec {
  static let pipelineTests = ComponentSpec(
    "tests", "The file itself. It is named after its pipeline: `orders_test.yaml` tests `orders.yaml`.",
    fields: [
      FieldSpec(
        "include", .texts, default: "none", "Other files that supply fields this file does not set.",
        example: "[common_cases.yaml]"),
      FieldSpec(
        "pipeline", .path, default: "the file's name without `_test`", "The pipeline.", example: "orders.yaml"),
      FieldSpec(
        "variables", .pairs, default: "none",
        "Values of variables in all cases; they override `--set` and the environment.",
        example: "{ DATE: 2024-05-01 }"),
      FieldSpec(
        "cases", .components("case"), required: true, "The cases; each has a store of its own.",
        example: "[{ name: a new order, input: \"...\", expect: { counts: { inserted: 1 } } }]"),
    ])

  static let testCase = ComponentSpec(
    "case", "One case: an input and the expected result.",
    fields: [
      FieldSpec(
        "name", .text, required: true, "The case's name: the behaviour that it tests.",
        example: "an order twice is one order"),
      FieldSpec(
        "variables", .pairs, default: "none", "Values of variables in this case.", example: "{ DATE: 2024-05-01 }"),
      FieldSpec(
        "input", .component("input"), default: "the files that the pipeline names",
        "The text to read in place of all files of a pipeline with one source.", example: "\"id,name\\n1,Ada\\n\""),
      FieldSpec(
        "inputs", .named("input"), default: "none",
        "The texts to read in place of single files, by the files' names in the pipeline, with or without"
          + " folders.",
        example: "{ orders.csv: \"id\\n1\\n\" }"),
      FieldSpec(
        "before", .component("before"), default: "there is no store", "The content of the store before the run.",
        example: "{ rows: { Category: [{ name: Home }] } }"),
      FieldSpec(
        "expect", .component("expect"), required: true, "The expected result.", example: "{ counts: { inserted: 1 } }"),
    ])

  static let testInput = ComponentSpec(
    "input", "The input to read in place of files.", shorthand: "text", alternatives: [["text"], ["files"]],
    fields: [
      FieldSpec("text", .content, default: "none", "The content of one file.", example: "\"id,name\\n1,Ada\\n\""),
      FieldSpec(
        "files", .texts, default: "none", "Files, globs and folders, relative to the file with the tests.",
        example: "[small.csv]"),
      FieldSpec(
        "name", .text, default: "the name of the file in the pipeline",
        "The name of the file with the text; its extension can determine the format.", example: "orders.tsv"),
    ])

  static let testBefore = ComponentSpec(
    "before", "The content of the store before the run: first the rows, then the results of the runs.",
    fields: [
      FieldSpec(
        "rows", .tree("names of entities, each with a list of rows"), default: "none",
        "Objects by entity: attributes by name, relationships as nested rows that identify an object of"
          + " this list.",
        example: "{ Category: [{ name: Home }] }"),
      FieldSpec(
        "runs", .components("run"), default: "none", "Pipelines that run first, in this order.",
        example: "[{ pipeline: categories.yaml }]"),
    ])

  static let testRun = ComponentSpec(
    "run", "A run before the tested one; it must succeed without rejects.", shorthand: "pipeline",
    fields: [
      FieldSpec("pipeline", .path, default: "the tested one", "The pipeline.", example: "categories.yaml"),
      FieldSpec(
        "variables", .pairs, default: "those of the case", "Values of variables.", example: "{ DATE: 2024-04-30 }"),
      FieldSpec(
        "input", .component("input"), default: "the files that the pipeline names", "As for `case`.",
        example: "\"id,name\\n1,Ada\\n\""),
      FieldSpec("inputs", .named("input"), default: "none", "As for `case`.", example: "{ orders.csv: \"id\\n1\\n\" }"),
    ])

  static let testExpectation = ComponentSpec(
    "expect",
    "The expected result. Only what is listed is compared, but a reject that is not listed is a"
      + " failure.",
    fields: [
      FieldSpec(
        "exit", .count(least: 0), default: "1 if rejects are named, else 0", "The exit code of `mergewalk run`.",
        example: "3"),
      FieldSpec(
        "counts", .component("counts"), default: "none", "The counts of the summary.",
        example: "{ read: 2, inserted: 1 }"),
      FieldSpec(
        "objects", .pairs, default: "none", "The number of objects of each entity after the run.",
        example: "{ Order: 2 }"),
      FieldSpec(
        "rows", .tree("names of entities, each with a list of rows"), default: "none",
        "All objects of the entities: the attributes to compare by name, relationships as nested rows or"
          + " lists of rows.",
        example: "{ Order: [{ orderID: 1, customer: { email: a@example.com } }] }"),
      FieldSpec(
        "contains", .tree("names of entities, each with a list of rows"), default: "none",
        "Objects that must exist; there may be others.", example: "{ Order: [{ orderID: 1, quantity: 2 }] }"),
      FieldSpec(
        "rejects", .components("reject"), default: "none are allowed", "All records that are rejected.",
        example: "[{ code: value.integer, record: 2, field: quantity }]"),
      FieldSpec(
        "error", .text, default: "none", "The code of the finding or the error that keeps the pipeline from running.",
        example: "unknownColumn"),
    ])

  static let testCounts = ComponentSpec(
    "counts", "The counts of the summary.",
    fields: RecordCounts.names.map {
      FieldSpec($0, .count(least: 0), "The number of records \($0).", example: "1")
    }
      + ["deleted", "marked", "denied"].map {
        FieldSpec($0, .count(least: 0), "The number of objects \($0) because no record named them.", example: "1")
      })

  static let testReject = ComponentSpec(
    "reject", "A record that is rejected; what is not listed is not compared.", shorthand: "code",
    fields: [
      FieldSpec("code", .text, required: true, "The code of the reason.", example: "value.integer"),
      FieldSpec("record", .count(least: 1), "The record's number in its file, from 1.", example: "2"),
      FieldSpec(
        "line", .count(least: 1), "The line on which the record begins, or the line of the field at fault.",
        example: "3"),
      FieldSpec("field", .text, "The column at fault.", example: "quantity"),
      FieldSpec("message", .text, "A part of the message.", example: "not a whole number"),
    ])
}
