import ArgumentParser

/// `mergewalk rejects`: look at rejected records, and import them once they are corrected.
struct RejectsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rejects",
    abstract: "Show, count and edit rejected records, and import them again.",
    discussion: HelpText.flow(
      """
      EXAMPLES
        mergewalk rejects summary orders.rejects.ndjson
        mergewalk rejects edit orders.rejects.ndjson --pipeline orders.yaml
        mergewalk rejects replay orders.rejects.ndjson --pipeline orders.yaml
      """),
    subcommands: [
      RejectsShowCommand.self, RejectsSummaryCommand.self, RejectsEditCommand.self, RejectsReplayCommand.self,
      RejectsCleanCommand.self,
    ])
}
