import ArgumentParser
import MergewalkBytes
import MergewalkSystem
import MergewalkImporting
import MergewalkRecordFormats

/// `mergewalk rejects summary`: how many records were rejected, by code, column and file, with samples.
struct RejectsSummaryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "summary",
    abstract: "Count rejects by code, by column and by file, with samples.",
    discussion: HelpText.flow(
      """
      EXAMPLES
        mergewalk rejects summary orders.rejects.ndjson
        mergewalk rejects summary orders.rejects.ndjson --samples 0 --json
      """))

  @Argument(help: "The rejects file.", completion: .file())
  var file: String

  @OptionGroup var filter: RejectFilter

  @Option(help: ArgumentHelp("The number of samples for each code.", valueName: "number"))
  var samples = 2

  @Flag(help: "Print one JSON object.")
  var json = false

  func validate() throws {
    try OptionPaths.check(("<file>", file))
    if !(0...100).contains(samples) { throw ValidationError("--samples takes a number from 0 to 100, not \(samples)") }
  }

  func run() throws {
    var tally = RejectTally(samples: samples, earlier: EarlierRejects(of: file).paths)
    var isWhole = true
    var names = RejectNames()
    // A run without rejects makes no file, and has none to count.
    let isThere = access(file, F_OK) == 0 || errno != ENOENT
    if !isThere { Console.words("\(file): there is no such file; a run without rejects makes none") }
    if isThere {
      isWhole = try RejectsFile.forEach(file) { line in
        if tally.count == 0, !filter.isOpen { names.add(line) }
        if filter.matches(line) { tally.add(line) }
        return true
      }
    }
    if tally.count == 0 { names.explain(filter, of: file) }
    Console.data(lines: json ? tally.json.text : tally.text)
    if !isWhole { throw ExitStatus.findings }
  }
}

struct RejectTally {
  /// How many samples of each code are kept.
  let samples: Int
  /// The files of earlier runs beside the one that is counted.
  let earlier: [String]
  private(set) var count = 0
  private(set) var codes: [String: (count: Int, samples: [RejectLine])] = [:]
  private var advice = RejectAdvice()
  private var fields: [String: Int] = [:]
  private var files: [String: Int] = [:]
  /// More different columns and files than these are counted as others, so that memory stays flat.
  private static let mostNames = 10_000
  /// The longest raw record that a sample keeps, in bytes.
  private static let longestSample = 64 << 10

  init(samples: Int, earlier: [String] = []) {
    self.samples = samples
    self.earlier = earlier
  }

  mutating func add(_ line: RejectLine) {
    count += 1
    var entry = codes[line.code] ?? (0, [])
    entry.count += 1
    if entry.samples.count < samples {
      var sample = line
      if let raw = sample.raw, raw.count > Self.longestSample {
        sample.raw = Array(raw.prefix(Self.longestSample))
        sample.isCut = true
      }
      entry.samples.append(sample)
    }
    codes[line.code] = entry
    advice.add(line)
    // A line about an object of the store is of no file.
    guard line.object == nil else { return }
    Self.count(line.field ?? "(the whole record)", &fields)
    Self.count(line.member.map { "\(line.file)/\($0)" } ?? line.file, &files)
  }

  private static func count(_ name: String, _ counts: inout [String: Int]) {
    let isRoom = counts.count < mostNames || counts[name] != nil
    counts[isRoom ? name : "(others)", default: 0] += 1
  }

  private static func sorted(_ counts: [String: Int]) -> [(name: String, count: Int)] {
    counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
  }

  /// The codes, the most frequent first.
  var sortedCodes: [(name: String, count: Int)] { Self.sorted(codes.mapValues(\.count)) }

  /// As a person reads it.
  var text: String {
    var sections = [Figures.count(count, "reject")]
    for (title, counts) in [
      ("code", sortedCodes), ("column", Self.sorted(fields)), ("file", Self.sorted(files)),
    ] where !counts.isEmpty {
      var table = TextTable(title, "rejects")
      for (name, count) in counts.prefix(30) { table.add(RejectsFile.printable(name), Figures.grouped(count)) }
      let left = counts.count - 30
      sections.append(table.text + (left > 0 ? "\n  and \(Figures.grouped(left)) more" : ""))
    }
    for (code, _) in sortedCodes {
      let lines = codes[code]?.samples ?? []
      let cure = advice.cure(code).map { ["\(code): \($0)"] } ?? []
      if !lines.isEmpty { sections.append((lines.map(RejectsFile.text) + cure).joined(separator: "\n")) }
    }
    if !earlier.isEmpty {
      sections.append((["earlier runs"] + earlier.map { "  " + RejectsFile.printable($0) }).joined(separator: "\n"))
    }
    return sections.joined(separator: "\n\n")
  }

  var json: JSONText {
    func object(_ counts: [(name: String, count: Int)]) -> JSONText {
      .object(counts.map { ($0.name, .integer($0.count)) })
    }
    return [
      "rejects": .integer(count), "codes": object(sortedCodes), "columns": object(Self.sorted(fields)),
      "files": object(Self.sorted(files)),
      "samples": .object(
        sortedCodes.map { name, _ in (name, .array((codes[name]?.samples ?? []).map(RejectsFile.json))) }),
      "advice": .object(sortedCodes.map { name, _ in (name, .text(advice.cure(name))) }),
      "earlier": .strings(earlier),
    ]
  }
}
