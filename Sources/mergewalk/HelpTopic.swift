/// What `mergewalk help TOPIC` explains beside the commands.
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
      A pipeline is a YAML file: where records come from, what becomes of them,
      and which store they go into.

        pipeline: orders
        model: Shop.xcdatamodeld      # or a model in YAML
        store: shop.sqlite            # made if it is not there
        source: orders-*.csv
        import:
          entity: Order
          find_by: [orderID]          # which object a record stands for
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
      fixed-width   columns at fixed places of each line
      ndjson        one JSON object a line
      json          one document; “records” says where the objects are
      json-seq      JSON values one behind the other
      xml           an element for each record
      yaml          a mapping for each record
      plist         property lists
      sqlite        tables and queries of a database
      core-data     the objects of an entity of another store

      gzip, zstd, bzip2, xz, zip and tar are unpacked on the way. Parquet and
      spreadsheets are not read: convert them to CSV first.
      """
    case .dates:
      """
      Without more, dates are ISO 8601: 2024-12-31, 2024-12-31T23:59:59+01:00.

        date: dd.MM.yyyy              31.12.2024
        date: MM/dd/yyyy h:mm a       12/31/2024 11:59 PM
        date: unix                    seconds since 1970; unix_ms: milliseconds
        date: core_data               seconds since 2001
        zone: "+02:00"                for dates that name no zone; else UTC

      Patterns are those of UTS 35. Several rejects with value.date: the run
      proposes the pattern that they fit.
      """
    case .numbers:
      """
        decimal_mark: comma           1234,5
        group_mark: point             1.234,5
        plain_numbers: true           refuses 007 and +49, which are codes

      “fields: { decimal_mark: comma }” at the top of a pipeline holds for every
      column.
      """
    case .modes:
      """
        upsert          updates objects that are there, inserts the others
        insert          only inserts; an object that is there is a reject
        update          only updates
        create-missing  inserts what is missing, leaves the rest alone
        sync            as upsert, and deletes what the input does not name
        replace         deletes all objects of the scope first

      sync and replace have safety limits: sync: { limit: 1000, ratio: 10% }.
      """
    case .rejects:
      """
      A record that cannot be imported does not stop the others. It becomes one
      line of the rejects file: where it stands, why, and the record.

        mergewalk rejects summary FILE    counts, samples, what to do
        mergewalk rejects show FILE       each of them
        mergewalk rejects edit FILE --pipeline PIPELINE
                                          writes them as a table, and back
        mergewalk rejects replay FILE --pipeline PIPELINE
                                          imports them after they were put right

      “rejects: { limit: 100, ratio: 1% }”: beyond that the whole run is rolled
      back, and the exit code is 3.
      """
    case .variables:
      """
      ${NAME} in a pipeline is replaced by --set NAME=VALUE, else by the variable
      of the environment; ${NAME:-default} has a default.

      ${secret:NAME} is a secret: it is kept out of everything that is shown. The
      file NAME_FILE or the variable NAME holds it.
      """
    }
  }
}
