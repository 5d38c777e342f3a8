import MergewalkImporting

extension ComponentSpec {
  /// The fields of the file that say what is kept and told of a run.
  static let runFields = [
    FieldSpec(
      "history", .flag, default: "true",
      "Whether each run is recorded in the table of runs beside the store, which `mergewalk runs`"
        + " shows.",
      example: "false"),
    FieldSpec(
      "anomalies", .component("anomalies"), default: "the thresholds below",
      "How much a run may differ from earlier runs before a warning is given.", example: "{ records: 20% }"),
    FieldSpec(
      "metrics", .path, default: "none",
      "A file for the run's figures as OpenMetrics text, for node_exporter. `--metrics` overrides it.",
      example: "../build/orders.prom"),
    FieldSpec(
      "report", .path, default: "none", "An HTML page about the run. `--report` overrides it.",
      example: "../build/orders.html"),
    FieldSpec(
      "notify", .components("notify"), default: "none",
      "Webhooks and commands that report how a run ended; see [notifications.md](notifications.md).",
      example: "[{ url: \"${secret:HOOK}\", when: [failure, rejects] }]"),
  ]

  static let notify = ComponentSpec(
    "notify",
    "A message about how a run ended, posted to a URL or given to a command. If it cannot be sent,"
      + " the run gives a warning.",
    alternatives: [["url"], ["command"]],
    fields: [
      FieldSpec(
        "when", .choices(RunNotification.Occasion.allCases.map(\.rawValue)), default: "[failure, rejects, anomaly]",
        "The runs to report: those that did not finish, that rejected records, that differ from earlier"
          + " ones, or all of them.",
        example: "[failure, anomaly]"),
      FieldSpec(
        "url", .text, default: "required without `command`",
        "The URL to which the system's `curl` posts the body.", example: "\"${secret:HOOK}\""),
      FieldSpec(
        "headers", .pairs, default: "none", "Headers of the request; `Content-Type` is derived from the body.",
        example: "{ Authorization: \"Bearer ${secret:TOKEN}\" }"),
      FieldSpec(
        "command", .texts, default: "required without `url`",
        "A program with its arguments, in place of `url`. It reads the body from its standard input. It"
          + " is started without a shell; the arguments may contain placeholders.",
        example: "[mail, -s, \"{{pipeline}}: {{status}}\", data@example.com]"),
      FieldSpec(
        "folder", .path, default: "the pipeline's folder", "The folder in which the command starts.", example: "scripts"
      ),
      FieldSpec(
        "body", .text, default: "a JSON object with all that is known",
        "The message; `{{name}}` is replaced by a value of the run.",
        example: "\"{{pipeline}}: {{message}}\""),
      FieldSpec(
        "timeout", .duration, default: "10s", "How long sending may take before it is given up.", example: "30s"),
    ])

  static let anomalies = ComponentSpec(
    "anomalies", "How much a run may differ from the median of the last finished runs before a warning is given.",
    fields: [
      FieldSpec(
        "runs", .count(least: 0), default: "10", "How many earlier runs to compare with; 0 switches the warnings off.",
        example: "30"),
      FieldSpec(
        "least", .count(least: 1), default: "3",
        "The minimum number of earlier runs; with fewer, there are no warnings.", example: "5"),
      FieldSpec(
        "records", .share, default: "50%", "By what share the number of records may be higher or lower.",
        example: "20%"),
      FieldSpec(
        "rejects", .share, default: "5%", "By how much the share of rejected records may be higher.", example: "1%"),
      FieldSpec(
        "duration", .count(least: 2), default: "3",
        "How many times as long the run may take; one second more is always allowed.",
        example: "2"),
      FieldSpec(
        "inserted", .share, default: "50%", "By how much the share of inserted records may be higher or lower.",
        example: "10%"),
    ])
}
