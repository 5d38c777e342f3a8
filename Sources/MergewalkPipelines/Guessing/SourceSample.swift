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
  /// The records with nothing in them.
  private(set) var blankRecords: BlankRecords?
  /// The last record, where the reader says so.
  private(set) var namedFooter: RecordPosition?
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

  /// Objects inside objects become columns down to this depth.
  private static let deepest = 4
  static let mostColumns = 1_000

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
    elements = elementCounts()
    uniqueColumns = findUnique()
    footer = findFooter()
    blankRecords = findBlankRecords()
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
}
