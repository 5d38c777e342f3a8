import MergewalkDiagnostics
import MergewalkBytes
import MergewalkImporting
import MergewalkObjectModel
import MergewalkRecordFormats

/// The contents of `_plan/plan.json`: the parts of a family and all that determines their stores.
struct FamilyPlan: Sendable {
  struct Part: Sendable {
    var value: String
    /// The value as a name of files: that of the receipt.
    var name: String
    /// The store's path in the family's folder.
    var path: String
    /// The records that were split off for it; nil when they were split by another program.
    var records: Int?
    /// The digest of its records.
    var digest: String
    /// Where its records stand in the sources, which rejects name; see ``PlacesHash``.
    var places = ""
    /// The file of the spool that has them.
    var unit: Int?
    /// Files that another program has split off.
    var files: [StoreReceipt.File] = []
  }

  /// A source as it was when it was split.
  struct Source: Sendable, Hashable {
    /// The path as the user gave it, which rejects name.
    var path: String
    /// The same, whatever folder a task runs in.
    var place: String
    /// A mark that shows whether it was written to since; nil for input that can be read only once.
    var state: String?
    /// The types of the first values of its columns, where a contract is about types; see ``ContractTypes/kinds``.
    var kinds: String?

    init(_ path: String, state: String?) {
      self.path = path
      place = ResolvedPath.fromRoot(path)
      self.state = state
    }

    init(path: String, place: String, state: String?) {
      self.path = path
      self.place = place
      self.state = state
    }
  }

  /// A pipeline that runs into each store first.
  struct Shared: Sendable, Hashable {
    var path: String
    var digest: String
  }

  var pipeline = ""
  var pipelinePath = ""
  var variables: [String: String] = [:]
  /// The digest of everything that decides what stores become of records.
  var base = ""
  var model = ""
  var sources: [Source] = []
  var shared: [Shared] = []
  var forms: [SpoolForm] = []
  var limits = RejectPolicy()
  /// The stores of the published family that may go.
  var gone = StoresPolicy.Gone()
  var headers: [[UInt8]] = []
  var units: [SpoolUnit] = []
  var parts: [Part] = []
  /// Whether another program has split the records into folders called `key=value`.
  var hasFolders = false
  /// How many records the folders of another program must have; the records of a split were counted before.
  var expectedRecords: Int?
  /// The outcomes of records in the split; nil when another program has split them.
  var counts: Splitter.Counts?
  /// Stores of earlier plans that are not of this one.
  var former: [String] = []
  var version = ImportSession.version

  /// The name of the plan: a digest of all that determines a byte of its stores.
  var id: String {
    let digest = DigestStream()
    digest.add(text: base)
    for part in parts { digest.add(text: key(part)) }
    return Hexadecimal.text(digest.finish())
  }

  /// The name of a part's store, whatever the other parts are.
  func key(_ part: Part) -> String {
    let digest = DigestStream()
    for text in [base, part.value, part.path, part.digest] + sources.compactMap(\.kinds) { digest.add(text: text) }
    return Hexadecimal.text(digest.finish())
  }

  /// The places that the rejects of a part have beside its records: its sources, and the positions in them.
  func places(_ part: Part) -> String {
    Self.joined([part.places] + sources.map(\.path) + part.files.map(\.path))
  }

  /// The digest of everything but the parts.
  static func base(
    _ definition: ImportDefinition, _ policy: StoresPolicy, shared: [(definition: ImportDefinition, contents: String)]
  ) -> String {
    let digest = DigestStream()
    digest.add(text: "mergewalk stores 2")
    digest.add(text: ImportSession.version)
    digest.add(text: definition.name)
    digest.add(text: definition.outcomeDigest)
    digest.add(text: "\(policy.column)\u{0}\(policy.path.text)\u{0}\(policy.missing)")
    for (definition, contents) in shared {
      digest.add(text: definition.outcomeDigest)
      digest.add(text: contents)
    }
    return Hexadecimal.text(digest.finish())
  }

  /// The parts whose records are in one file of the spool, or that have files of their own, in the order of the plan.
  var groups: [[Int]] {
    var groups: [[Int]] = []
    var ofUnit: [Int: Int] = [:]
    for (number, part) in parts.enumerated() {
      if let unit = part.unit, let group = ofUnit[unit] {
        groups[group].append(number)
      } else {
        if let unit = part.unit { ofUnit[unit] = groups.count }
        groups.append([number])
      }
    }
    return groups
  }

  /// The sources from which the split has taken records into the spool's files of some parts, in order.
  func sourceNumbers(ofParts numbers: [Int]) -> [Int] {
    let units = Set(numbers.compactMap { parts[$0].unit })
    let found = Set(units.lazy.flatMap { self.units[$0].segments.map(\.run.source) })
    return found.filter(sources.indices.contains).sorted()
  }

  /// The groups of one of several tasks: the largest are dealt out first, so that all have about as much to do.
  func groups(ofTask number: Int, of count: Int) -> [[Int]] {
    func size(_ group: [Int]) -> Int {
      group.reduce(0) { total, part in
        total + parts[part].files.reduce(parts[part].records ?? 0) { $0 + $1.bytes / 64 }
      }
    }
    let all = groups
    let sizes = all.map(size)
    let order = all.indices.sorted { (sizes[$1], $0) < (sizes[$0], $1) }
    var loads = Array(repeating: 0, count: count)
    var mine: [Int] = []
    for group in order {
      let task = loads.indices.min { (loads[$0], $0) < (loads[$1], $1) } ?? 0
      loads[task] += sizes[group] + 1
      if task == number { mine.append(group) }
    }
    return mine.sorted().map { all[$0] }
  }
}
