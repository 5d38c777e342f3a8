import MergewalkImporting

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
    FieldSpec(
      "notify", .components("notify"), default: "none",
      "Webhooks and commands that tell how a run ended. [notifications.md](notifications.md) has the rules.",
      example: "[{ url: \"${secret:HOOK}\", when: [failure, rejects] }]"),
  ]

  /// Who is told how a run ended.
  static let notify = ComponentSpec(
    "notify",
    "A message about the end of a run, to a URL or by a command. One that cannot be sent is a warning of the run.",
    alternatives: [["url"], ["command"]],
    fields: [
      FieldSpec(
        "when", .choices(RunNotification.Occasion.allCases.map(\.rawValue)), default: "[failure, rejects, anomaly]",
        "Which runs are told of: those that did not finish, that rejected records, that differ from earlier ones, or all.",
        example: "[failure, anomaly]"),
      FieldSpec(
        "url", .text, default: "required without `command`",
        "The URL that the body is posted to, by the machine's `curl`.", example: "\"${secret:HOOK}\""),
      FieldSpec(
        "headers", .pairs, default: "none", "Headers of the request; `Content-Type` follows from the body.",
        example: "{ Authorization: \"Bearer ${secret:TOKEN}\" }"),
      FieldSpec(
        "command", .texts, default: "required without `url`",
        "In place of `url`: a program with its arguments, which reads the body from its standard input; no shell reads them, and placeholders may stand in them.",
        example: "[mail, -s, \"{{pipeline}}: {{status}}\", data@example.com]"),
      FieldSpec(
        "folder", .path, default: "the pipeline's folder", "The folder that the command starts in.", example: "scripts"),
      FieldSpec(
        "body", .text, default: "a JSON object with all that is known",
        "The message; `{{name}}` stands for what is known of the run.",
        example: "\"{{pipeline}}: {{message}}\""),
      FieldSpec(
        "timeout", .duration, default: "10s", "The longest time that it may take; then it is given up.", example: "30s"),
    ])

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
