import Importing

extension ComponentSpec {
  /// The fields of the file that say what is kept and told of a run.
  static let runFields = [
    FieldSpec(
      "history", .flag, default: "true",
      "Whether each run is noted in the table of runs beside the store, which `mergewalk runs` shows.",
      example: "false"),
    FieldSpec(
      "anomalies", .component("anomalies"), default: "the thresholds below",
      "How much a run may differ from the earlier ones before it is warned of.", example: "{ records: 20% }"),
    FieldSpec(
      "metrics", .path, default: "none",
      "A file that takes the run's numbers as OpenMetrics text, for node_exporter. `--metrics` takes its place.",
      example: "../build/orders.prom"),
    FieldSpec(
      "report", .path, default: "none", "A page that shows the run. `--report` takes its place.",
      example: "../build/orders.html"),
  ]

  /// How much a run may differ from earlier ones.
  static let anomalies = ComponentSpec(
    "anomalies", "How much a run may differ from the median of the last finished ones before it is warned of.",
    fields: [
      FieldSpec(
        "runs", .count(least: 0), default: "10", "How many earlier runs are looked at; 0 switches the warnings off.",
        example: "30"),
      FieldSpec("least", .count(least: 1), default: "3", "Fewer earlier runs than these say nothing.", example: "5"),
      FieldSpec(
        "records", .share, default: "50%", "The number of records may be this share of it more or less.",
        example: "20%"),
      FieldSpec(
        "rejects", .share, default: "5%", "The share of rejected records may be this much greater.", example: "1%"),
      FieldSpec(
        "duration", .count(least: 2), default: "3", "The time may be this many times as long, and a second more.",
        example: "2"),
      FieldSpec(
        "inserted", .share, default: "50%", "The share of records that insert may be this much greater or less.",
        example: "10%"),
    ])
}
