import MergewalkPipelines
import MergewalkRecordFormats

/// The first reject of each code, with what to do about all of them.
struct RejectAdvice {
  /// More values than these tell no more.
  private static let mostValues = 200
  /// More codes than these are for `mergewalk rejects summary`.
  private static let mostCodes = 5
  /// More lines than these are not read after a run.
  private static let mostLines = 10_000

  private var codes: [(code: String, first: RejectLine, values: [RejectedValue], width: RecordError.WidthFault?)] = []

  mutating func add(_ line: RejectLine) {
    var index = codes.firstIndex { $0.code == line.code } ?? codes.count
    if index == codes.count {
      var first = line
      first.raw = nil
      codes.append((line.code, first, [], line.width))
      index = codes.count - 1
    }
    if codes[index].width != line.width { codes[index].width = nil }
    let isSameField = line.field == codes[index].first.field
    guard isSameField, !line.isReplayed, codes[index].values.count < Self.mostValues, let raw = line.raw,
      let value = RejectedValue(raw: raw, column: line.sourceColumn)
    else { return }
    codes[index].values.append(value)
  }

  /// The advice for the rejects of a code.
  func cure(_ code: String) -> String? {
    codes.first { $0.code == code }.flatMap { RejectCure.text(code: code, samples: $0.values, width: $0.width) }
  }

  /// One line for each code: the first reject’s place and reason, and the cure.
  func lines() -> [String] {
    codes.prefix(Self.mostCodes).map { entry in
      let cure = cure(entry.code).map { "; " + $0 } ?? ""
      return "\(RejectsFile.place(entry.first)): \(RejectsFile.printable(entry.first.message))\(cure) [\(entry.code)]"
    }
  }

  /// Reads the rejects of one run, as far as it needs to.
  init(_ source: ByteSource, run: String) {
    guard var lines = try? RejectLines(source) else { return }
    var count = 0
    while count < Self.mostLines, let next = try? lines.next() {
      count += 1
      if case .success(let line) = next, line.run == run || run.isEmpty { add(line) }
    }
  }

  /// Nothing yet.
  init() {}
}
