// The reader benchmark's contestant: reads a whole file into batches and says what was in it.

import MergewalkRecordFormats

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

let usage = """
  usage: mergewalk-read FORMAT FILE [--columns a,b,...] [--records PATH] [--batch N] [--check]

    --columns   the columns to read (default: all)
    --records   where a document's records are (JSON: the path of their array)
    --batch     the records of a batch (default: 4096)
    --check     hash the fields' values too; the time is then worth nothing

  """

func say(_ message: String) {
  _ = message.utf8.withContiguousStorageIfAvailable { write(2, $0.baseAddress, $0.count) }
}

func fail(_ message: String, _ status: Int32) -> Never {
  say("mergewalk-read: \(message)\n")
  exit(status)
}

/// The command line: two words, and options.
struct Arguments {
  var format = ""
  var path = ""
  var columns = ColumnRequest.all
  var records: String?
  var limit = BatchLimit()
  var isChecked = false

  init(_ words: some Sequence<String>) {
    var plain: [String] = []
    var rest = words.makeIterator()
    while let word = rest.next() {
      switch word {
      case "--check": isChecked = true
      case "--columns": columns = .named((rest.next() ?? "").split(separator: ",").map(String.init))
      case "--records": records = rest.next()
      case "--batch": limit.records = max(1, rest.next().flatMap { Int($0) } ?? 0)
      default: plain.append(word)
      }
    }
    guard plain.count == 2 else {
      say(usage)
      exit(64)
    }
    (format, path) = (plain[0], plain[1])
  }

  /// The format with its options.
  var recordFormat: RecordFormat {
    switch format {
    case "csv": return .csv(CSVOptions())
    case "tsv": return .csv(.tabSeparated)
    case "ndjson": return .ndjson(NDJSONOptions())
    case "json":
      var options = JSONOptions()
      options.records = records
      return .json(options)
    case "xml":
      var options = XMLOptions()
      options.records = records
      return .xml(options)
    case "yaml":
      var options = YAMLOptions()
      options.records = records
      return .yaml(options)
    default: fail("no options are known here for the format “\(format)”", 64)
    }
  }
}

/// What was read.
struct Totals {
  var records = 0
  var refused = 0
  var fields = 0
  /// The values' bytes, and FNV-1a over them with a byte FF behind each; only with `--check`.
  var bytes = 0
  var hash: UInt64 = 0xcbf2_9ce4_8422_2325

  /// Absent and null fields count as empty values.
  mutating func check(_ batch: RecordBatch) {
    batch.bytes.withUnsafeBufferPointer { all in
      for slot in 0..<batch.recordCount * batch.columnCount {
        let start = Int(batch.starts[slot])
        for byte in all[start..<start + Int(batch.lengths[slot])] {
          hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        hash = (hash ^ 0xFF) &* 0x100_0000_01b3
        bytes += Int(batch.lengths[slot])
      }
    }
  }
}

/// Processor seconds of this process, all threads, user and system.
func processorSeconds() -> Double {
  var usage = rusage()
  getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
  let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
  return Double(seconds) + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
}

let arguments = Arguments(CommandLine.arguments.dropFirst())
var totals = Totals()
let clock = ContinuousClock()
let start = clock.now
let processorStart = processorSeconds()
do {
  var batch = RecordBatch()
  var reader = try arguments.recordFormat.reader(
    source: ByteSource(path: arguments.path), columns: arguments.columns, index: 0)
  while try reader.read(into: &batch, limit: arguments.limit) {
    totals.records += batch.recordCount
    totals.refused += batch.errors.count
    totals.fields += batch.recordCount * batch.columnCount
    if arguments.isChecked { totals.check(batch) }
  }
} catch {
  fail("\(error)", 66)
}
let seconds = (clock.now - start) / .seconds(1)
let processor = processorSeconds() - processorStart
var entries = [
  "\"records\": \(totals.records)", "\"refused\": \(totals.refused)", "\"fields\": \(totals.fields)",
  "\"seconds\": \(seconds)", "\"cpu_seconds\": \(processor)",
]
if arguments.isChecked { entries += ["\"bytes\": \(totals.bytes)", "\"hash\": \"\(String(totals.hash, radix: 16))\""] }
print("{\(entries.joined(separator: ", "))}")
