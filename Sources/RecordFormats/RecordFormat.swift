/// How the records of an input are written, with the reader's options.
public enum RecordFormat: Sendable, Hashable {
  /// Comma-separated values and their relatives.
  case csv(CSVOptions)
  /// One JSON object a line.
  case ndjson(NDJSONOptions)
}
