import MergewalkBytes
import MergewalkImporting
import MergewalkRecordFormats

/// The first records of a source, held in memory, and what they look like.
struct SourceSample {
  /// How much of a source is looked at.
  struct Limit {
    var records: Int
    var bytes: Int
  }

  /// The source's paths as the user gave them: several where files have the same columns.
  let paths: [String]
  let definition: SourceDefinition
  /// The columns' names, or their paths.
  private(set) var columns: [String] = []
  private(set) var batches: [RecordBatch] = []
  private(set) var profiles: [ColumnProfile] = []
  /// The types of the columns, judged together.
  private(set) var verdicts: [ColumnProfile.Verdict] = []
  /// The columns of which no two records have the same value, by number.
  private(set) var uniqueColumns: Set<Int> = []
  private(set) var records = 0
  private(set) var rejects = 0
  private(set) var firstReject: RecordError?
  /// Whether the pipeline says which lines are comments, without which nothing could be read; see
  /// ``beginsWithRemark(_:)``.
  private(set) var setsComment = false
  /// The records in which a detected escape stands before something ordinary.
  private(set) var doubtfulEscapes = 0
  /// Where a record has parts that are no columns, because the reader takes them from the first records.
  private(set) var surplus: RecordPosition?
  /// The first record that seems to be the header of another file.
  private(set) var nearHeader: RecordPosition?
  /// The last record, where it seems to be a footer.
  private(set) var footer: Footer?
  /// The last record, where the reader says so.
  private var namedFooter: RecordPosition?
  /// The first file, or member of an archive, with columns that the first one does not have, and these.
  private(set) var furtherColumns: (path: String, names: [String])?
  /// How many records there are of each element of an XML document, where they are its root's children.
  private(set) var elements: [(name: String, count: Int)] = []
  /// The columns that became those of the members of their objects, and are an empty text in some records.
  private(set) var emptyObjects: [(column: String, objects: Int, empty: Int)] = []
  /// The files of several that have nothing in them.
  let emptyFiles: [String]
  /// The members of archives that have nothing in them.
  private var emptyMembers: [String] = []
  /// The files and members that have nothing in them, unless that is all there is.
  var skippedFiles: [String] { (emptyFiles.count < definition.sources.count ? emptyFiles : []) + emptyMembers }
  /// Whether these are all records.
  private(set) var isWhole = true

  /// A record that seems to sum up the others.
  struct Footer {
    var line: Int
    var reason: String
  }

  /// Objects inside objects become columns down to this depth.
  private static let deepest = 4
  private static let mostColumns = 1_000

  /// Reads the sample.
  ///
  /// - Throws: what the reader throws.
  init(paths: [String], _ definition: SourceDefinition, limit: Limit) throws(ReadError) {
    self.paths = paths
    self.definition = definition
    emptyFiles = definition.sources.filter(\.isBlank).map(\.path)
    try read(.all, limit)
    // The columns of documents are those of the first records only.
    if definition.hasRawJSON, batches.contains(where: { $0.firstSurplusRecord != nil }) {
      var members = MemberList(columns)
      for batch in batches {
        for record in 0..<batch.recordCount { batch.withRawRecord(record) { members.add($0) } }
      }
      try read(.named(members.names()), limit)
    } else if surplus != nil {
      let late = lateColumns()
      if !late.isEmpty { try read(.named(columns + late), limit) }
    }
    for _ in 1..<Self.deepest {
      guard let named = expandedColumns() else { break }
      try read(.named(named), limit)
    }
    if let named = wholeElements() { try read(.named(named), limit) }
    countAsRun(limit)
    for source in definition.sources { source.endLooking() }
    verdicts = ColumnProfile.verdicts(profiles, named: columns)
    countElements()
    findUnique()
    footer = findFooter()
  }

  private mutating func read(_ request: ColumnRequest, _ limit: Limit) throws(ReadError) {
    (batches, records, rejects, firstReject, isWhole) = ([], 0, 0, nil, true)
    (doubtfulEscapes, emptyMembers, namedFooter) = (0, [], nil)
    var request = request
    var sampler: TypeSampler?
    var bytes = 0
    let isEmpty = emptyFiles.count == definition.sources.count
    for (index, source) in definition.sources.enumerated() where isEmpty || !emptyFiles.contains(source.path) {
      var reader = try open(source, request, index)
      columns = reader.columns
      noteFurther(source)
      // The first file decides; the others must have its columns.
      request = .named(columns)
      if sampler == nil { sampler = TypeSampler(columnCount: columns.count, format: definition.format) }
      while true {
        if records >= limit.records || bytes >= limit.bytes {
          isWhole = false
          break
        }
        var batch = RecordBatch()
        let size = BatchLimit(records: min(4_096, limit.records - records), bytes: min(1 << 20, limit.bytes - bytes))
        let isMore = try reader.read(into: &batch, limit: size)
        emptyMembers += batch.emptyMembers.map { "\(source.path)/\($0)" }
        if !isMore {
          namedFooter = batch.footer
          break
        }
        sampler?.add(batch)
        records += batch.recordCount + batch.errors.count
        rejects += batch.errors.count
        firstReject = firstReject ?? batch.errors.first
        doubtfulEscapes += batch.errors.count(where: { $0.code == .doubtfulEscape })
        surplus = surplus ?? batch.surplus
        nearHeader = nearHeader ?? batch.doubtfulHeader
        bytes += batch.byteCount
        batches.append(batch)
      }
      if !isWhole { break }
    }
    profiles = sampler?.profiles ?? []
  }

  // MARK: Remarks

  /// Counts what the run counts: lines that seem to be comments are none there unless the pipeline says so.
  private mutating func countAsRun(_ limit: Limit) {
    guard case .csv(var options) = definition.format, options.caution?.doubtsComments == true else { return }
    setsComment = beginsWithRemark(options)
    options.caution?.doubtsComments = false
    if !setsComment { options.comment = nil }
    var (records, rejects) = (0, 0)
    var first: RecordError?
    for (index, source) in definition.sources.enumerated() where !emptyFiles.contains(source.path) {
      guard var reader = try? RecordFormat.csv(options).reader(source: source, columns: .named(columns), index: index)
      else { return }
      var batch = RecordBatch()
      while records < limit.records {
        let size = BatchLimit(records: min(4_096, limit.records - records), bytes: 1 << 20)
        guard let isMore = try? reader.read(into: &batch, limit: size) else { return }
        if !isMore { break }
        records += batch.recordCount + batch.errors.count
        rejects += batch.errors.count
        first = first ?? batch.errors.first
      }
    }
    if !isWhole, records < self.records { return }
    (self.records, self.rejects, firstReject) = (records, rejects, first)
  }

  /// Whether the first line is a remark: it would be taken for the header, or for the record that says how many columns
  /// there are, and nothing else could be read.
  private func beginsWithRemark(_ found: CSVOptions) -> Bool {
    guard let comment = found.comment, let source = definition.sources.first, !source.isReadOnce else { return false }
    var plain = found
    plain.comment = nil
    plain.header = .none
    plain.caution = nil
    var batch = RecordBatch()
    guard var reader = try? RecordFormat.csv(plain).reader(source: source, columns: .all, index: 0),
      (try? reader.read(into: &batch, limit: BatchLimit(records: 1, bytes: 1 << 20))) == true, batch.recordCount > 0
    else { return false }
    return batch.raw(0).starts(with: comment.utf8)
  }

  private func open(
    _ source: ByteSource, _ request: ColumnRequest, _ index: Int
  ) throws(ReadError) -> any RecordReader {
    do throws(ReadError) {
      return try definition.format.reader(source: source, columns: request, index: index)
    } catch {
      guard index > 0, error.code == .missingColumn else { throw error }
      throw ReadError(
        .missingColumn, path: error.path, position: error.position,
        message: error.message + "; all files of a source have the columns of its first one, in one dialect: guess this"
          + " one by itself, or bring them into one form", hasCure: true)
    }
  }

  /// Notes the columns of a further file, or a further member of an archive, that the first one does not have.
  private mutating func noteFurther(_ source: ByteSource) {
    // What another module reads has no members.
    guard furtherColumns == nil, definition.format.hasFixedColumns, !source.isReadOnce,
      !definition.format.isCustom || definition.sources.count > 1
    else { return }
    // The members of a tar archive come only with all that is before them.
    let isShort = (source.fileSize ?? .max) <= KeySearch.mostBytes
    guard let headers = try? definition.format.headers(of: source, isWhole: isShort) else { return }
    for (path, header) in headers {
      let names = header.filter { !columns.contains($0) }
      guard !names.isEmpty else { continue }
      furtherColumns = (path, names)
      return
    }
  }

  /// The members that the first records do not have; all of them, where none but these makes ``surplus``.
  private mutating func lateColumns() -> [String] {
    // With namespaces, names are not those of the text.
    if case .xml(let options) = definition.format, !options.namespaces.isEmpty { return [] }
    var found = OccurringPaths()
    for batch in batches {
      for record in 0..<batch.recordCount {
        batch.withRawRecord(record) { raw in
          found.add(Array(raw), of: definition.format, indent: batch.records[record].column - 1)
        }
      }
    }
    let known = Set(columns)
    let late = found.columns.filter { !known.contains($0) }
    if !found.isCut, !late.isEmpty { surplus = nil }
    return late
  }

  // MARK: Objects inside objects

  /// The columns with those that hold nothing but objects replaced by their members; nil when there are none.
  private mutating func expandedColumns() -> [String]? {
    guard !definition.format.hasFixedColumns else { return nil }
    var result: [String] = []
    var isChanged = false
    var partlyEmpty: [(column: String, objects: Int, empty: Int)] = []
    // Attributes of elements are columns before the elements become their members, which are the attributes, too.
    var known: Set<String> = []
    for (column, profile) in profiles.enumerated() {
      let isObject = profile.structures > 0 && profile.structures == profile.values && profile.lists == 0
      let members = isObject ? self.members(column) : []
      let paths = members.isEmpty ? [columns[column]] : members.map { "\(columns[column]).\($0)" }
      for path in paths where known.insert(path).inserted { result.append(path) }
      if members.isEmpty { continue }
      isChanged = true
      // An element without anything in it has no members.
      let empty = definition.format.hasElements ? 0 : profile.emptyQuoted + profile.empty + profile.blank
      if empty > 0 { partlyEmpty.append((columns[column], profile.structures, empty)) }
    }
    guard isChanged, result.count <= Self.mostColumns else { return nil }
    emptyObjects += partlyEmpty
    return result
  }

  /// The columns with those of elements that stand several times and have attributes replaced by the whole elements, so
  /// that what belongs together stays together; nil when there are none.
  private func wholeElements() -> [String]? {
    guard definition.format.hasElements else { return nil }
    let repeated = columns.indices.filter { profiles[$0].lists > 0 }.map { columns[$0] }
    let elements = columns.filter { element in
      columns.contains { $0.hasPrefix("\(element).@") }
        && repeated.contains { $0 == element || $0.hasPrefix("\(element).") }
    }
    if elements.isEmpty { return nil }
    return columns.filter { column in !elements.contains { column.hasPrefix("\($0).") } }
      .map { elements.contains($0) ? $0 + RecordFormat.wholeElement : $0 }
  }

  /// The paths of the members of a column's objects; those of elements are followed by the paths of their attributes,
  /// which an element that has text is without.
  private func members(_ column: Int) -> [String] {
    var members = MemberList()
    var inner = OccurringPaths()
    for batch in batches {
      for record in 0..<batch.recordCount where batch.state(record, column) == .json {
        batch.withField(record, column) { text in
          members.add(text)
          if definition.format.hasElements { inner.add(json: Array(text)) }
        }
      }
    }
    let names = members.names()
    if !definition.format.hasElements { return names }
    return names.flatMap { name in
      // Those of XML Schema say something of the element, and are no columns of the record's own either.
      [name] + inner.paths.filter { $0.hasPrefix("\(name).@") && !$0.hasPrefix("\(name).@xsi:") }
    }
  }

  /// Counts the records by the names of their elements.
  private mutating func countElements() {
    guard case .xml(let options) = definition.format, options.records == nil else { return }
    for batch in batches {
      for record in 0..<batch.recordCount {
        let name = batch.withRawRecord(record) { raw in
          let tag = raw.drop { $0 != UInt8(ascii: "<") }.dropFirst()
          return String(
            decoding: tag.prefix { !$0.isDocumentSpace && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ">") },
            as: UTF8.self)
        }
        if let place = elements.firstIndex(where: { $0.name == name }) {
          elements[place].count += 1
        } else if elements.count < Self.mostColumns {
          elements.append((name, 1))
        }
      }
    }
  }

  // MARK: Footers

  /// The last record of delimited or fixed-width text, if one of its numbers is the sum of all others in its column, or
  /// greater than all where it alone lacks a value that the others have, or if it begins with a word for a sum.
  private func findFooter() -> Footer? {
    switch definition.format {
    case .csv, .fixedWidth: break
    default: return nil
    }
    guard isWhole, let lastBatch = batches.lastIndex(where: { $0.recordCount > 0 }) else { return nil }
    let batch = batches[lastBatch]
    let last = batch.recordCount - 1
    let line = batch.records[last].line
    let lacking = columns.indices.first { column in
      profiles[column].values == profiles[column].records - 1
        && batch.withField(last, column) { $0.allSatisfy { $0.isBlank } }
    }
    for column in columns.indices {
      guard let value = number(batch, last, column), value != 0 else { continue }
      var (sum, greatest, count) = (-value, -Double.infinity, 0)
      for (index, other) in batches.enumerated() {
        for record in 0..<other.recordCount {
          guard let found = number(other, record, column), found != 0 else { continue }
          sum += found
          count += 1
          if index != lastBatch || record != last { greatest = max(greatest, found) }
        }
      }
      // Two others may make the third by accident.
      guard count > 3 else { continue }
      if abs(sum - value) <= 1e-9 * abs(value) {
        return Footer(line: line, reason: "its “\(columns[column])” is the sum of all others")
      }
      if let lacking, value > greatest {
        return Footer(
          line: line,
          reason: "it alone has nothing in “\(columns[lacking])”, and its “\(columns[column])” is the greatest")
      }
    }
    return namedFooter.map { Footer(line: $0.line, reason: "it begins with a word for a sum") }
  }

  /// A field's number, if the column has numbers.
  private func number(_ batch: RecordBatch, _ record: Int, _ column: Int) -> Double? {
    let verdict = verdicts[column]
    guard verdict.type == .integer || verdict.type == .decimal || verdict.type == .double else { return nil }
    return batch.withField(record, column) { text in
      Double(
        String(
          decoding: text.lazy.filter { $0 != 0x20 && $0 != 9 && $0 != verdict.groupMark }.map {
            $0 == verdict.decimalMark ? UInt8(ascii: ".") : $0
          }, as: UTF8.self))
    }
  }

  // MARK: Values

  /// A number that equal values have, and other values almost never.
  static func hash(_ text: UnsafeRawBufferPointer) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes: text)
    return hasher.finalize()
  }

  private mutating func findUnique() {
    for (column, profile) in profiles.enumerated() {
      guard profile.values == profile.records, profile.values > 0 else { continue }
      var seen: Set<Int> = []
      if everyHash(column, { seen.insert($0).inserted }) { uniqueColumns.insert(column) }
    }
  }

  /// Whether `body` is true for the hash of each value of a column; nulls and empty texts are no values.
  func everyHash(_ column: Int, _ body: (Int) -> Bool) -> Bool {
    for batch in batches {
      for record in 0..<batch.recordCount {
        switch batch.state(record, column) {
        case .absent, .null: continue
        default: break
        }
        let isTrue = batch.withField(record, column) { $0.isEmpty || body(Self.hash($0)) }
        if !isTrue { return false }
      }
    }
    return true
  }

  func hashes(_ column: Int) -> Set<Int> {
    var result: Set<Int> = []
    _ = everyHash(column) {
      result.insert($0)
      return true
    }
    return result
  }

  /// The number of the first record with a structure in a column, from 0; 0 if there is none.
  func firstRecord(with column: Int) -> Int {
    var before = 0
    for batch in batches {
      for record in 0..<batch.recordCount where batch.state(record, column) == .json { return before + record }
      before += batch.recordCount
    }
    return 0
  }

  /// The first different texts of a column, without the blanks around them; those that are empty or mean null are none.
  func texts(_ column: Int, atMost most: Int) -> [String] {
    var texts: [String] = []
    var known: Set<String> = []
    for batch in batches {
      for record in 0..<batch.recordCount {
        switch batch.state(record, column) {
        case .text, .quoted, .number: break
        default: continue
        }
        let text = batch.withField(record, column) { field in
          field.withMemoryRebound(to: UInt8.self) { String(decoding: $0[WhiteSpace.trimmed($0)], as: UTF8.self) }
        }
        if text.isEmpty || ColumnProfile.nullSpellings.contains(text) || !known.insert(text).inserted { continue }
        texts.append(text)
        if texts.count == most { return texts }
      }
    }
    return texts
  }

  /// Whether no two records have the same values in all these columns.
  func isUnique(_ columns: [Int]) -> Bool {
    var seen: Set<Int> = []
    for batch in batches {
      for record in 0..<batch.recordCount {
        var hasher = Hasher()
        for column in columns { hasher.combine(batch.withField(record, column) { Self.hash($0) }) }
        if !seen.insert(hasher.finalize()).inserted { return false }
      }
    }
    return true
  }
}

/// The names of all members of many JSON objects, in the order in which they first occur.
private struct MemberList {
  private var list: [String]
  private var known: Set<String>
  /// Objects whose members were not looked at, a line for each.
  private var lines: [UInt8] = []

  /// The reader takes its columns from the first 64 KiB.
  private static let pieceSize = 1 << 16

  init(_ names: [String] = []) {
    list = names
    known = Set(names)
  }

  /// Adds the members of an object's text; what is no object has none.
  mutating func add(_ text: UnsafeRawBufferPointer) {
    if lines.count + text.count >= Self.pieceSize { look() }
    // Line ends stand between tokens only.
    lines += text.lazy.map { $0 == 10 || $0 == 13 ? 32 : $0 }
    lines.append(10)
  }

  /// The paths of the members.
  mutating func names() -> [String] {
    look()
    return list
  }

  private mutating func look() {
    defer { lines.removeAll(keepingCapacity: true) }
    guard let reader = try? NDJSONReader(source: ByteSource(bytes: lines), columns: .all) else { return }
    for name in reader.columns where known.insert(name).inserted {
      list.append(name)
    }
  }
}
