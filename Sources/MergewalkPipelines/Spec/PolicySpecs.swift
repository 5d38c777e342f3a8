import MergewalkImporting

extension ComponentSpec {
  /// The fields of the file that say what happens about earlier runs and about other programs.
  static let policyFields = [
    FieldSpec(
      "again", .choice(["run", "skip", "fail"]), default: "`fail` for mode `insert` without `find_by`, else `run`",
      "Whether to run, skip or fail if the inputs are the same as in the last run. `--again` overrides"
        + " it.", example: "skip"),
    FieldSpec(
      "append", .flag, default: "false",
      "Whether an unfinished run may resume if inputs have grown at their end or files were added.",
      example: "true"),
    FieldSpec(
      "store_changed", .choice(["again", "refuse"]), default: "again",
      "Whether to plan the run again, or to fail, if another program wrote to the store while the run"
        + " was planned.",
      example: "refuse"),
    FieldSpec(
      "lock_wait", .duration, default: "2s",
      "How long to wait for another run, or for a program that is writing to the store. `--lock-wait`"
        + " overrides it.",
      example: "30s"),
    FieldSpec(
      "direct", .choice(["auto", "never", "always"]), default: "auto",
      "Whether the rows of a new store are written directly as pages of the file, bypassing SQLite:"
        + " `auto` does so if the inputs have 16 MiB to 8 GiB, `always` wherever it is possible. Such a run"
        + " starts over if it is interrupted. In an existing store, changed rows are held back and written"
        + " in order at the end of the run, except with `never`. `--direct` overrides it.",
      example: "never"),
    FieldSpec(
      "direct_check", .choice(["quick", "whole"]), default: "quick",
      "How a store that was written directly is checked before it gets its name: `quick` runs SQLite's"
        + " `quick_check` and counts the entries of every index, `whole` also runs `integrity_check`.", example: "whole"
    ),
  ]

  /// The fields that say how many rejects are too many.
  static let rejectLimitFields = [
    FieldSpec(
      "limit", .count(least: 0), default: "none",
      "The maximum number of rejects; one more, and the whole run is rolled back.", example: "1000"),
    FieldSpec(
      "ratio", .share, default: "none",
      "The maximum share of rejects among the records read; checked after each batch and at the end.", example: "1%"),
    FieldSpec(
      "minimum", .count(least: 0), default: "1000",
      "How many records must have been read before the share is checked; at the end it is always"
        + " checked.",
      example: "10000"),
    FieldSpec(
      "codes", .pairs, default: "none",
      "The maximum number of rejects with a code, or with any code of a stage, such as `read.*`.",
      example: "{ value.date: 10, \"read.*\": 0 }"),
  ]
}
