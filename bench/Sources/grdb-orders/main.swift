/// The benchmark's job as an application with GRDB would do it: records, batches, one transaction a batch.

import Foundation
import GRDB

let usage = """
  usage: grdb-orders load|nightly ORDERS.csv STORE.sqlite | fetch STORE.sqlite REPETITIONS
         grdb-orders objects NEW-STORE.sqlite COUNT

  """
guard CommandLine.arguments.count == 4 else {
  FileHandle.standardError.write(Data(usage.utf8))
  exit(64)
}
let (csv, store) = (CommandLine.arguments[2], CommandLine.arguments[3])

do {
  if CommandLine.arguments[1] == "fetch" {
    guard let repetitions = Int(CommandLine.arguments[3]), repetitions > 0 else { throw UsageError() }
    let json = try JSONEncoder().encode(try fetch(store: CommandLine.arguments[2], repetitions: repetitions))
    FileHandle.standardOutput.write(json + Data("\n".utf8))
    exit(0)
  }
  if CommandLine.arguments[1] == "objects" {
    guard let count = Int(CommandLine.arguments[3]), count > 0 else { throw UsageError() }
    let json = try JSONEncoder().encode(try objects(store: CommandLine.arguments[2], count: count))
    FileHandle.standardOutput.write(json + Data("\n".utf8))
    exit(0)
  }
  let counts =
    switch CommandLine.arguments[1] {
    case "load": try load(csv: csv, store: store)
    case "nightly": try nightly(csv: csv, store: store)
    default: throw UsageError()
    }
  let json = try JSONEncoder().encode(counts)
  FileHandle.standardOutput.write(json + Data("\n".utf8))
} catch is UsageError {
  FileHandle.standardError.write(Data(usage.utf8))
  exit(64)
} catch {
  FileHandle.standardError.write(Data("grdb-orders: \(error)\n".utf8))
  exit(2)
}

struct UsageError: Error {}
