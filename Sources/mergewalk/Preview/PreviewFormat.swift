import ArgumentParser

/// The values of `preview --format`.
enum PreviewFormat: String, ExpressibleByArgument, CaseIterable {
  case table, csv, ndjson
}

/// The values of `preview --records`.
enum RecordCount: ExpressibleByArgument {
  case all
  case first(Int)

  init?(argument: String) {
    if argument == "all" {
      self = .all
    } else if let count = Int(argument), count > 0 {
      self = .first(count)
    } else {
      return nil
    }
  }

  /// The greatest number of records.
  var limit: Int {
    switch self {
    case .all: .max
    case .first(let count): count
    }
  }
}

/// One `key=value` of `--option`; the value may be empty.
struct SourceOption {
  let name: String
  let value: String

  init(_ argument: String) throws {
    let assignment = try Assignment(argument, option: "--option")
    (name, value) = (assignment.name, assignment.value)
  }
}
