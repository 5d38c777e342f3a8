import MergewalkBytes
import MergewalkObjectModel
import MergewalkDiagnostics
import MergewalkPropertyLists
import MergewalkRecordFormats

/// The progress of a run: all that a later process needs to resume it as if nothing had happened.
///
/// The transaction that holds the rows also writes it, as one value in the store's metadata, so it always agrees with
/// the rows. A run that has ended but was not reported leaves a checkpoint that ``isDone``.
@dynamicMemberLookup
struct RunCheckpoint: Sendable, Equatable {
  static let version: Int64 = 5

  // What stays the same throughout the run.

  /// The name of the run in its rejects and in the history of runs.
  var run = ""
  /// When the run began, in seconds since 1970.
  var started = 0.0
  var definition: UInt64 = 0
  /// The inputs of all parts, in order; empty when there are more than ``namedInputLimit``.
  var inputs: [SourcePrint] = []
  var inputCounts: [Int] = []
  var inputsHash: UInt64 = 0

  // What grows.

  /// The transactions that the run has committed, this one included.
  var commits = 0
  /// Whether the run has ended, and only the report is missing.
  var isDone = false
  /// Where the run is, and what was counted up to there.
  var place = RunPosition()
  var rejectBytes = 0
  /// The files whose columns a line of the rejects file has.
  var rejectHeaders: Set<RejectOutput.FilePlace> = []
  /// Which start of the machine the bytes of a store that is being built, and of records that wait, are good for; see
  /// ``BootIdentity/current``.
  var boot = ""

  /// With more inputs than this a checkpoint knows only the hash of all.
  static let namedInputLimit = 4096

  /// Gives access to the properties of the position.
  subscript<Value>(dynamicMember member: WritableKeyPath<RunPosition, Value>) -> Value {
    get { place[keyPath: member] }
    set { place[keyPath: member] = newValue }
  }
}

// MARK: - The property list

extension RunCheckpoint {
  var list: PropertyList {
    let position = place.position
    let waiting = place.ledger.waiting
    let list: PropertyList = [
      "version": .integer(Self.version), "run": .string(run), "started": .real(started),
      "definition": .data(definition.bytes), "seed": .data(place.seed.bytes),
      "inputs": .data(SourcePrint.encode(inputs)), "input_counts": .integers(inputCounts),
      "inputs_hash": .data(inputsHash.bytes), "commits": .count(commits), "done": .boolean(isDone),
      "part": .integers([place.part, position.source, position.records, position.good]),
      "hash": .data(position.hash.bytes), "ledger": .integers(place.ledger.numbers), "tally": place.tally.list,
      "reject_bytes": .count(rejectBytes),
      "first_keys": place.firstKeys.isEmpty ? nil : .keys(place.firstKeys),
      "reject_headers": rejectHeaders.isEmpty ? nil : .array(rejectHeaders.map(\.list)),
      "waiting": waiting > 0 ? .count(waiting) : nil,
      "later": place.later.map { .count($0) },
      "filtering": place.later.map { _ in .boolean(place.isFiltering) },
      "part_keys": place.partKeys.isEmpty ? nil : .keys(place.partKeys), "boot": boot.isEmpty ? nil : .string(boot),
    ]
    return list.with(place.late.entries)
  }

  /// Reads what ``list`` wrote; `nil` when it is something else or of another version.
  init?(_ list: PropertyList) {
    guard list["version"]?.integer == Self.version, let run = list["run"]?.string,
      case .real(let started)? = list["started"], let definition = list["definition"]?.word,
      let seed = list["seed"]?.word, let inputs = list["inputs"]?.data.flatMap(SourcePrint.decode),
      let inputCounts = list["input_counts"]?.integers(), let inputsHash = list["inputs_hash"]?.word,
      let commits = list["commits"]?.integer, let isDone = list["done"]?.boolean,
      let part = list["part"]?.integers(count: 4), let hash = list["hash"]?.word,
      let numbers = list["ledger"]?.integers(count: 6),
      let ledger = RecordLedger(
        numbers: numbers, waiting: Int(truncatingIfNeeded: list["waiting"]?.integer ?? 0)),
      let tally = list["tally"].flatMap(RunTally.init), let rejectBytes = list["reject_bytes"]?.integer
    else { return nil }
    self.run = run
    self.started = started
    self.definition = definition
    place.seed = seed
    self.inputs = inputs
    self.inputCounts = inputCounts
    self.inputsHash = inputsHash
    self.commits = Int(commits)
    self.isDone = isDone
    place.part = part[0]
    place.position = InputPosition(source: part[1], records: part[2], good: part[3], hash: hash)
    place.ledger = ledger
    place.tally = tally
    self.rejectBytes = Int(rejectBytes)
    place.firstKeys = list["first_keys"]?.keys ?? [:]
    place.partKeys = list["part_keys"]?.keys ?? [:]
    rejectHeaders = Set((list["reject_headers"]?.elements ?? []).compactMap { RejectOutput.FilePlace($0) })
    place.late = LateRecords(list)
    place.later = list["later"]?.integer.flatMap { Int(exactly: $0) }.flatMap { $0 < 0 ? nil : $0 }
    place.isFiltering = list["filtering"]?.boolean ?? false
    boot = list["boot"]?.string ?? ""
  }
}

extension RejectOutput.FilePlace {
  fileprivate var list: PropertyList {
    ["part": part.map { .string($0) }, "source": .count(source), "member": member.map { .string($0) }]
  }

  fileprivate init?(_ list: PropertyList) {
    guard let source = list["source"]?.integer else { return nil }
    self.init(part: list["part"]?.string, source: Int(truncatingIfNeeded: source), member: list["member"]?.string)
  }
}

extension LateRecords {
  private static var names: [(String, WritableKeyPath<LateRecords, [Int]>)] {
    [
      ("late_rejects", \.rejected), ("late_repeats", \.repeated), ("late_unfound", \.unfound),
      ("late_unsaid", \.unsaid),
    ]
  }

  fileprivate var entries: [PropertyList.Entry] {
    Self.names.filter { !self[keyPath: $0.1].isEmpty }.map { name, numbers in
      PropertyList.Entry(name, .data(AscendingNumbers.encode(self[keyPath: numbers])))
    }
  }

  fileprivate init(_ list: PropertyList) {
    for (name, numbers) in Self.names { self[keyPath: numbers] = AscendingNumbers.decode(list[name]?.data ?? []) }
  }
}

extension HeldPart {
  fileprivate var list: PropertyList {
    let list: PropertyList = [
      "nodes": .array(nodes.map { .integers($0.numbers) }), "values": .array(values.map { .integers($0.numbers) }),
      "links": .array(links.map { .integers($0.numbers) }), "keys": .keys(partKeys),
      "generation": .count(generation),
    ]
    return list.with(late.entries)
  }

  fileprivate init?(_ list: PropertyList) {
    guard let generation = list["generation"]?.integer.flatMap({ Int(exactly: $0) }),
      let nodes = list["nodes"]?.elements,
      let values = list["values"]?.elements, let links = list["links"]?.elements
    else { return nil }
    self.init()
    self.generation = generation
    partKeys = list["keys"]?.keys ?? [:]
    self.nodes = nodes.compactMap(ImportSummary.EntityCounts.init)
    self.values = values.compactMap { $0.integers().flatMap { ValueCounts(numbers: $0) } }
    self.links = links.compactMap { $0.integers(count: 5).map(ListTally.init(numbers:)) }
    late = LateRecords(list)
    guard self.nodes.count == nodes.count, self.values.count == values.count, self.links.count == links.count else {
      return nil
    }
  }
}

extension ListTally {
  fileprivate init(numbers: [Int]) {
    self.init()
    self.numbers = numbers
  }
}

extension RunTally {
  /// Parts and their records whose key cannot be read, in turn.
  private var unreadableNumbers: [Int] { unreadable.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] } }

  fileprivate var list: PropertyList {
    [
      "parts": .array(
        parts.map { part in
          [
            "name": .string(part.name), "entity": .string(part.entity), "counts": .integers(part.counts.numbers),
            "seconds": .real(part.seconds),
          ]
        }),
      "entities": .named(entities.mapValues { .integers($0.numbers) }),
      "nodes": .array(nodes.map { .integers($0.numbers) }), "find": .named(findPlans.mapValues { .string($0) }),
      "codes": .named(rejectCounts.mapValues { .count($0) }),
      "numbers": .integers([batches, fetches, statements, bytesRead, bytesDone, denied]), "seconds": .real(seconds),
      "fields": .array(fields.map { .array($0.map(\.list)) }), "lists": .array(lists.map { .array($0.map(\.list)) }),
      "values": .array(values.map { .integers($0.numbers) }), "links": .array(links.map { .integers($0.numbers) }),
      "text": .integers(text.numbers), "held": held.isEmpty ? nil : .array(held.map(\.list)),
      "unreadable": .integers(unreadableNumbers), "loss": loss.map { .string($0) },
      "unmatched": unmatched?.list, "warnings": warnings.isEmpty ? nil : .array(warnings.map(\.list)),
    ]
  }

  fileprivate init?(_ list: PropertyList) {
    guard let parts = list["parts"]?.elements, let nodes = list["nodes"]?.elements,
      let numbers = list["numbers"]?.integers(count: 6), case .real(let seconds)? = list["seconds"]
    else { return nil }
    for part in parts {
      guard let name = part["name"]?.string, let entity = part["entity"]?.string,
        let counts = part["counts"]?.integers(count: 6), case .real(let seconds)? = part["seconds"]
      else { return nil }
      var result = ImportSummary.PartCounts()
      result.counts = RecordCounts(numbers: counts)
      result.name = name
      result.entity = entity
      result.seconds = seconds
      self.parts.append(result)
    }
    for node in nodes {
      guard let counts = ImportSummary.EntityCounts(node) else { return nil }
      self.nodes.append(counts)
    }
    for entry in list["entities"]?.entries ?? [] {
      guard let counts = ImportSummary.EntityCounts(entry.value) else { return nil }
      entities[entry.key] = counts
    }
    fields = (list["fields"]?.elements ?? []).map { ($0.elements ?? []).compactMap(FieldTally.init) }
    lists = (list["lists"]?.elements ?? []).map { ($0.elements ?? []).compactMap(ListTally.init) }
    values = (list["values"]?.elements ?? []).compactMap { $0.integers().flatMap { ValueCounts(numbers: $0) } }
    links = (list["links"]?.elements ?? []).compactMap { $0.integers(count: 5).map(ListTally.init(numbers:)) }
    for element in list["held"]?.elements ?? [] {
      guard let part = HeldPart(element) else { return nil }
      held.append(part)
    }
    guard held.count <= self.parts.count else { return nil }
    if let numbers = list["text"]?.integers() { text = TextAccount(numbers: numbers) }
    let unknown = list["unreadable"]?.integers() ?? []
    for index in stride(from: 1, to: unknown.count, by: 2) { unreadable[unknown[index - 1]] = unknown[index] }
    loss = list["loss"]?.string
    for entry in list["find"]?.entries ?? [] { findPlans[entry.key] = entry.value.string }
    for entry in list["codes"]?.entries ?? [] {
      rejectCounts[entry.key] = entry.value.integer.flatMap { Int(exactly: $0) }
    }
    batches = numbers[0]
    fetches = numbers[1]
    statements = numbers[2]
    bytesRead = numbers[3]
    bytesDone = numbers[4]
    denied = numbers[5]
    self.seconds = seconds
    unmatched = list["unmatched"].flatMap { UnmatchedColumns.State($0) }
    warnings = (list["warnings"]?.elements ?? []).compactMap { RunWarning($0) }
  }
}

extension UnmatchedColumns.State {
  fileprivate var list: PropertyList {
    [
      "open": .integers(open), "filled": .integers(inFilledLists),
      "records": .integers([hasRecords ? 1 : 0, hasChildless ? 1 : 0]),
    ]
  }

  fileprivate init?(_ list: PropertyList) {
    guard let open = list["open"]?.integers(), let filled = list["filled"]?.integers(),
      let flags = list["records"]?.integers(count: 2)
    else { return nil }
    self.init(open: open, inFilledLists: filled, hasRecords: flags[0] != 0, hasChildless: flags[1] != 0)
  }
}

extension RunWarning {
  fileprivate var list: PropertyList {
    [
      "code": .string(code.rawValue), "message": .string(message), "file": file.map { .string($0) },
      "place": position.map { .integers([$0.line, $0.column, $0.byteOffset]) },
    ]
  }

  fileprivate init?(_ list: PropertyList) {
    guard let code = list["code"]?.string.flatMap(Code.init), let message = list["message"]?.string else { return nil }
    let place = list["place"]?.integers(count: 3)
    self.init(
      code, message, file: list["file"]?.string,
      position: place.map { SourcePosition(line: $0[0], column: $0[1], byteOffset: $0[2]) })
  }
}

extension ImportSummary.EntityCounts {
  fileprivate init?(_ list: PropertyList) {
    guard let numbers = list.integers(count: 8) else { return nil }
    self.init()
    self.numbers = numbers
  }
}

extension FieldTally {
  fileprivate var list: PropertyList {
    let counts = Replacement.allCases.map { replaced[$0] ?? 0 }
    return [
      "names": .array([part, entity, attribute, column].map { .string($0) }),
      "counts": .integers([read, stored, rejected] + counts),
    ]
  }

  fileprivate init?(_ list: PropertyList) {
    guard let names = list["names"]?.elements?.compactMap(\.string), names.count == 4,
      let counts = list["counts"]?.integers(), (3...3 + Replacement.allCases.count).contains(counts.count)
    else { return nil }
    self.init()
    (part, entity, attribute, column) = (names[0], names[1], names[2], names[3])
    (read, stored, rejected) = (counts[0], counts[1], counts[2])
    // An earlier version knew fewer reasons, the first of these.
    for (reason, count) in zip(Replacement.allCases, counts.dropFirst(3)) where count > 0 { replaced[reason] = count }
  }
}

extension ListTally {
  fileprivate var list: PropertyList {
    ["names": .array([part, entity, relationship, column].map { .string($0) }), "counts": .integers(numbers)]
  }

  fileprivate init?(_ list: PropertyList) {
    guard let names = list["names"]?.elements?.compactMap(\.string), names.count == 4,
      let counts = list["counts"]?.integers(count: 5)
    else { return nil }
    self.init()
    (part, entity, relationship, column) = (names[0], names[1], names[2], names[3])
    numbers = counts
  }
}

extension TextAccount {
  fileprivate var numbers: [Int] {
    [bytes, recordBytes] + SkippedText.Kind.allCases.flatMap { [skipped[$0].lines, skipped[$0].bytes] }
  }

  fileprivate init(numbers: [Int]) {
    self.init()
    guard numbers.count >= 2, numbers.count.isMultiple(of: 2) else { return }
    bytes = numbers[0]
    recordBytes = numbers[1]
    // An earlier version knew fewer kinds, the first of these.
    for (index, kind) in SkippedText.Kind.allCases.prefix(numbers.count / 2 - 1).enumerated() {
      skipped.add(kind, lines: numbers[2 + 2 * index], bytes: numbers[3 + 2 * index])
    }
  }
}

extension PropertyList {
  /// The dictionary with further entries.
  fileprivate func with(_ entries: [Entry]) -> PropertyList { .dictionary((self.entries ?? []) + entries) }

  fileprivate static func count(_ number: Int) -> PropertyList { .integer(Int64(number)) }
  fileprivate static func integers(_ numbers: [Int]) -> PropertyList { .array(numbers.map { .count($0) }) }

  /// Primary keys by the indexes of root entities.
  fileprivate static func keys(_ keys: [RootIndex: Int64]) -> PropertyList {
    .integers(keys.sorted { $0.key < $1.key }.flatMap { [$0.key.index, Int($0.value)] })
  }

  fileprivate var keys: [RootIndex: Int64]? {
    guard let numbers = integers(), numbers.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: numbers.count, by: 2).reduce(into: [:]) {
      $0[RootIndex(numbers[$1])] = Int64(numbers[$1 + 1])
    }
  }

  /// A dictionary, sorted by its keys.
  fileprivate static func named(_ values: [String: PropertyList]) -> PropertyList {
    .dictionary(values.sorted { $0.key < $1.key }.map { Entry($0.key, $0.value) })
  }

  /// The elements of an array of whole numbers from 0; `nil` when it is something else or has another count.
  fileprivate func integers(count: Int? = nil) -> [Int]? {
    guard let elements, count.map({ $0 == elements.count }) ?? true else { return nil }
    var numbers: [Int] = []
    for element in elements {
      guard let number = element.integer.flatMap({ Int(exactly: $0) }), number >= 0 else { return nil }
      numbers.append(number)
    }
    return numbers
  }

  /// The number that eight bytes make.
  fileprivate var word: UInt64? { data.flatMap { $0.count == 8 ? UInt64($0) : nil } }
}
