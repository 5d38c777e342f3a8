/// The topics of `mergewalk help TOPIC` beside the commands.
enum HelpTopic: String, CaseIterable {
  case pipelines, formats, dates, numbers, modes, rejects, variables, topics
  case exitCodes = "exit-codes"

  static var list: String { allCases.map(\.rawValue).sorted().joined(separator: ", ") }

  /// The explanation, at most 80 columns wide.
  var text: String {
    switch self {
    case .topics:
      "Topics:\n" + Self.allCases.map(\.rawValue).sorted().map { "  \($0)\n" }.joined()
        + "Read one with: mergewalk help TOPIC"
    case .exitCodes: HelpText.flow(ExitStatus.help)
    case .pipelines:
      """
      A pipeline is a YAML file that says where records come from, which
      objects they become, and which store they go into.

        pipeline: orders
        model: Shop.xcdatamodeld      # or a model in YAML
        store: shop.sqlite            # created if it does not exist
        source: orders-*.csv
        import:
          entity: Order
          find_by: [orderID]          # identifies a record's object
          attributes:
            orderID: order_id         # attribute: column
            orderedAt: { from: ordered_at, date: dd.MM.yyyy }
        rejects: { file: orders.rejects.ndjson, limit: 100 }

      mergewalk guess FILE writes one, mergewalk lint checks it, mergewalk
      reference describes all fields.
      """
    case .formats:
      """
      csv, tsv      tables with a delimiter: delimiter, quote, header, encoding
      fixed-width   columns at fixed positions in each line
      ndjson        one JSON object per line
      json          one document; “records” is the path of the objects
      json-seq      a sequence of JSON values
      xml           an element for each record
      yaml          a mapping for each record
      plist         property lists
      sqlite        tables and queries of a database
      core-data     the objects of an entity of another store

      gzip, zstd, bzip2, xz, zip and tar files are unpacked as they are
      read. Convert Parquet files and spreadsheets to CSV first.
      """
    case .dates:
      """
      By default, dates are ISO 8601: 2024-12-31, 2024-12-31T23:59:59+01:00.

        date: dd.MM.yyyy              31.12.2024
        date: MM/dd/yyyy h:mm a       12/31/2024 11:59 PM
        date: unix                    seconds since 1970; unix_ms: milliseconds
        date: core_data               seconds since 2001
        zone: "+02:00"                for dates without a zone; UTC by default

      Patterns are those of UTS 35. If several dates are rejected, the run
      suggests a pattern that fits them.
      """
    case .numbers:
      """
        decimal_mark: comma           1234,5
        group_mark: point             1.234,5
        plain_numbers: true           rejects 007 and +49, which are codes

      “fields: { decimal_mark: comma }” at the top of a pipeline applies to
      every column.
      """
    case .modes:
      """
        upsert          updates existing objects, inserts the others
        insert          only inserts; a record whose object exists is rejected
        update          only updates
        create-missing  inserts missing objects, does not change the others
        sync            as upsert, then deletes objects that the input does not name
        replace         as sync, and resets what a record does not fill

      sync and replace have safety limits: sync: { limit: 1000, ratio: 10% }.
      """
    case .rejects:
      """
      A record that cannot be imported does not stop the run. It becomes one
      line of the rejects file: its location, the reason, and the record.

        mergewalk rejects summary FILE    counts, samples, advice
        mergewalk rejects show FILE       each of them
        mergewalk rejects edit FILE --pipeline PIPELINE
                                          writes them as a table, and back
        mergewalk rejects replay FILE --pipeline PIPELINE
                                          imports them after they have been corrected

      “rejects: { limit: 100, ratio: 1% }”: above these limits, the whole
      run is rolled back, and the exit code is 3.
      """
    case .variables:
      """
      ${NAME} in a pipeline is replaced by the value of --set NAME=VALUE, or
      else by the environment variable; ${NAME:-default} has a default.

      ${secret:NAME} is a secret, which is never shown. It is the value of the
      variable NAME, or else the content of the file that NAME_FILE names.
      """
    }
  }
}
