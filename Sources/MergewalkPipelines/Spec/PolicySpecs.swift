import MergewalkImporting

extension ComponentSpec {
  /// The fields of the file that say what happens about earlier runs and about other programs.
  static let policyFields = [
    FieldSpec(
      "again", .choice(["run", "skip", "fail"]), default: "`fail` for mode `insert` without `find_by`, else `run`",
      "A run whose inputs are those of the last one. `--again` takes its place.", example: "skip"),
    FieldSpec(
      "append", .flag, default: "false",
      "Whether inputs may have grown at their end, or more of them may have come, when an unfinished run goes on.",
      example: "true"),
    FieldSpec(
      "store_changed", .choice(["again", "refuse"]), default: "again",
      "A store that another program wrote to while the run was planned: plan the run again, or fail.",
      example: "refuse"),
    FieldSpec(
      "lock_wait", .duration, default: "2s",
      "How long to wait for another run, or for a program that is writing to the store. `--lock-wait` takes its place.",
      example: "30s"),
    FieldSpec(
      "direct", .choice(["auto", "never", "always"]), default: "auto",
      "Whether the rows of a new store are written as pages of the file, past SQLite: when the inputs have 16 MiB to 8 GiB,"
        + " never, or wherever it is possible. An interrupted run then begins anew. In a store that is there changed rows wait"
        + " for the end of the run and are written sorted, but for `never`. `--direct` takes its place.",
      example: "never"),
    FieldSpec(
      "direct_check", .choice(["quick", "whole"]), default: "quick",
      "How a store that was written so is checked before it gets its name: SQLite's `quick_check` and the number of entries"
        + " of every index, or its `integrity_check` as well.", example: "whole"),
  ]

  /// The fields that say how many rejects are too many.
  static let rejectLimitFields = [
    FieldSpec(
      "limit", .count(least: 0), default: "none",
      "The greatest number of rejects; one more and the whole run is rolled back.", example: "1000"),
    FieldSpec(
      "ratio", .share, default: "none",
      "The greatest share of rejects among the records read, asked after each batch and at the end.", example: "1%"),
    FieldSpec(
      "minimum", .count(least: 0), default: "1000",
      "How many records must have been read before the share is asked; at the end it is asked in any case.",
      example: "10000"),
    FieldSpec(
      "codes", .pairs, default: "none",
      "The greatest number of rejects with a code, or with all codes of a stage as `read.*`.",
      example: "{ value.date: 10, \"read.*\": 0 }"),
  ]
}
