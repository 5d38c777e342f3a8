import Foundation
import MergewalkTestSupport
import Testing

/// Pipelines in which features meet, each run by the real importer and by one that cannot be wrong.
///
/// A failing case prints what `MERGEWALK_CASE` takes to run it alone.
@Suite("Where features meet") struct CoveringTests {
  /// The rows of the covering array, as cases; or those that the environment names, with semicolons between them.
  static let cases: [MeetingCase] = {
    if let text = ProcessInfo.processInfo.environment["MERGEWALK_CASE"] {
      return text.split(separator: ";").map { text in
        guard let meeting = MeetingCase(String(text)) else {
          preconditionFailure("MERGEWALK_CASE cannot be read: \(text)")
        }
        return meeting
      }
    }
    return array.rows.enumerated().map { space.meeting($1, seed: firstSeed + UInt64($0)) }
  }()

  /// All factors, or as `MERGEWALK_MEETING_ONLY` narrows them (`list=nested,lines mode=sync`).
  static let space: FactorSpace = {
    guard let text = ProcessInfo.processInfo.environment["MERGEWALK_MEETING_ONLY"] else { return Factors.space }
    let chosen = text.split(separator: " ").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
    return FactorSpace(
      Factor.narrowed(
        KnownIssues.applied(to: Factors.all),
        to: Dictionary(uniqueKeysWithValues: chosen.map { ($0[0], $0[1].split(separator: ",").map(String.init)) })))
  }()

  /// The seed of the array and of the first case.
  static let firstSeed = ProcessInfo.processInfo.environment["MERGEWALK_MEETING_SEED"].flatMap { UInt64($0) } ?? 1

  static let array = CoveringArray(
    space, strength: Soak.isOn ? 3 : 2, seed: firstSeed, tries: Soak.isOn ? 1 : 4)

  @Test("every pair of features gives what the reference importer says", arguments: cases)
  func meet(_ meeting: MeetingCase) {
    let differences = meeting.differences()
    guard !differences.isEmpty else { return }
    // Shrinking takes a while.
    let smallest = ProcessInfo.processInfo.environment["MERGEWALK_SHRINK"] == "none" ? meeting : meeting.shrunk()
    Issue.record(
      """
      MERGEWALK_CASE='\(meeting.text)'
      differs; the smallest case that does is MERGEWALK_CASE='\(smallest.text)':
      \(smallest.differences().joined(separator: "\n"))
      \(smallest.scenario.pipelineText)
      """)
  }

  /// Cases in which rows may wait for the end of the run; in an ordinary run some of an array of pairs.
  ///
  /// It takes so many things at once that hardly a case of all pairs has them.
  static let waiting: [MeetingCase] = {
    let space = FactorSpace(
      Factor.narrowed(
        KnownIssues.applied(to: Factors.all),
        to: [
          "repeats": ["never"], "store": ["existing"], "direct": ["always"], "list": ["none"], "parent": ["none"],
          "parent-says": ["nothing"],
          "model": ["flat"], "constraint": ["key"], "stores": ["one"], "duplicates": ["last"],
          "find": ["little-memory", "pieces", "automatic", "scan"],
        ]))
    let array = CoveringArray(space, strength: 2, seed: firstSeed, tries: 1)
    return array.rows.prefix(Soak.isOn ? Int.max : 16).enumerated().map {
      space.meeting($1, seed: firstSeed + 5000 + UInt64($0))
    }
  }()

  @Test("rows that wait for the end of the run are what the reference importer says", arguments: waiting)
  func wait(_ meeting: MeetingCase) { meet(meeting) }

  @Test("rows do wait", arguments: ["automatic", "scan", "little-memory", "pieces"])
  func rowsWait(find: String) throws {
    let text = "seed=3 repeats=never store=existing direct=always find=\(find)"
    let run = try MeetingRun(#require(MeetingCase(text)).scenario)
    try run.run()
    #expect(run.differences == [])
    #expect(run.loads.contains("sorted"))
  }

  /// What arrays of other seeds have found; each is mended and stays so.
  static let once = [
    // A key that mode insert turned away was a duplicate when it came again.
    "seed=1129 records=9 duplicates=first mode=insert store=existing",
    // A record that was rejected beyond all others kept the cursor where it was.
    "seed=1170 records=12 format=ndjson mode=update owner=required-null store=existing parent=two-pass-null list=lines "
      + "since=ties",
    "seed=2044 direct=always records=9 store=existing faults=values since=ties transforms=expression",
    // A run that was resumed in its second import let objects go that the first one had named.
    "seed=3018 direct=always records=2 store=existing parts=people-sync since=ties course=stopped",
    // What the second operand does not say was null for one importer, absent for the other.
    "seed=1016 direct=always records=24 format=json faults=records parent=create list=objects transforms=evaluated "
      + "contract=missing",
    // In XML an empty element is as good a list as any.
    "seed=2035 records=2 format=xml list=objects contract=reject-types",
    // Of a list of texts, too, whether it has one element or several.
    "seed=50166 records=3 format=xml list=scalars contract=reject-types",
    // A run that was resumed in mode insert took keys of before that it had turned away for keys of its own.
    "seed=20135 records=5 files=three mode=insert store=existing list=split course=stopped transforms=columns",
    // A replay did not say what else is wrong with a record that has too many fields.
    "seed=20051 records=11 policies=reject faults=records parent=null list=ordered since=text after=replay",
    // A record was skipped for one with its key that the second pass rejected, and was nowhere.
    "seed=20009 records=2 format=xml each=elements key=integer64 duplicates=first parent=reject after=replay",
    // Objects went that only a skipped record named, as what waits for a second pass.
    "seed=160127 records=13 keys=without-index duplicates=first mode=replace store=existing faults=values parent=null "
      + "list=notes",
    "seed=160073 records=10 lines=short keys=without-index duplicates=first mode=sync-mark store=existing "
      + "faults=values parent=two-pass-null list=split",
    // A record was rejected for one with its key that its list rejects in the second pass.
    "seed=15 records=4 duplicates=reject parent=create list=notes list-options=missing-reject model=child",
    // A run that was resumed took keys that named nothing for keys that records have.
    "seed=84 records=13 duplicates=reject mode=update since=text course=stopped-dry",
    // A record that refers to what another target rejects left what it had made.
    "seed=7012 records=2 owner=reject faults=values parent=one-pass-reject list=split",
    "seed=700063 records=6 owner=update faults=records parent=one-pass-reject",
    // Files that a record has made or replaced when it was rejected: they stayed, or were gone.
    "seed=43047 records=7 store=existing parent=reject list=objects list-options=missing-reject external=files",
    "seed=43109 records=2 store=existing parent=null list=objects list-options=missing-reject external=files since=hold",
    // With relationships that are set batch by batch a row is written before its lists are looked at.
    "seed=80009 records=12 key=integer16 store=existing parent=one-pass-null list=scalars "
      + "list-options=missing-reject model=child after=replay contract=missing fields=tokens",
    // A waiting record came behind what another one had made for want of its object.
    "seed=44037 records=6 format=json each=elements parent=create list=split list-options=missing-reject model=child",
    "seed=44042 records=16 parent=create list=scalars list-options=missing-reject model=child",
    "seed=44007 records=21 parent=create list=notes list-options=missing-reject model=child",
    // A unique value that a record had which the second pass rejected was not free.
    "seed=45067 records=12 parent=reject constraint=beside",
    "seed=44023 records=5 parent=create list=split list-options=missing-reject constraint=beside",
    "seed=45089 records=11 parent=reject constraint=beside",
    "seed=44142 records=17 store=existing parent=create list=ordered list-options=missing-reject model=child "
      + "since=date",
    // What waited was looked for among later records of its batch.
    "seed=46074 records=12 duplicates=first parent=reject list=split constraint=beside",
    "seed=80005 duplicates=reject mode=sync-scope store=existing parent=reject list=scalars list-options=keep-empty "
      + "model=child constraint=beside",
    // A dry run beside an unfinished new store removed the files of that store: it had given its own the same names.
    "seed=610523 records=9 format=json each=elements files=three keys=two faults=records external=files "
      + "course=stopped-dry",
    // A derived value that other objects had changed made an object another one that records had changed back.
    "seed=777153 format=tsv container=zstd encoding=windows-1252 header=repeated lines=remarks empty-files=first "
      + "texts=tame key=integer64 keys=without-index mode=update find=little-memory batch=one owner=create-missing "
      + "policies=values store=existing faults=records parent=two-pass-null list=ordered list-options=missing-null "
      + "model=child parts=people-sync derived=some external=files since=ties rejects=none rejects-before=edited "
      + "course=stopped after=again transforms=steps process=echo hooks=record contract=evolve model-file=model.mom",
    // What a record names that is skipped for want of its own object went, when it is looked for behind that one.
    "seed=31168 records=14 key=integer16 repeats=never mode=update store=existing parent=one-pass-null list=ordered "
      + "parts=items-sync since=ties contract=missing",
    // What a record said of its parent stayed when its list rejected it in the second pass.
    "seed=108 records=20 repeats=never faults=records parent=reject parent-says=label list=ordered list-options=update",
  ]

  @Test("cases that once differed", arguments: once) func meetAgain(_ text: String) throws {
    let meeting = try #require(MeetingCase(text))
    #expect(meeting.differences().isEmpty)
  }

  @Test("every pair is in some case, or there is a reason why not") func coverage() {
    let array = Self.array
    let what = Soak.isOn ? "triples" : "pairs"
    print(
      "Meetings: \(Factors.all.count) factors, \(Factors.space.count) values, \(array.rows.count) cases (seed "
        + "\(Self.firstSeed)); \(array.covered) \(what) covered, \(array.excluded) excluded, "
        + "\(array.impossible.count) impossible without a reason")
    for (reason, pairs) in Dictionary(grouping: Factors.space.reasons, by: \.reason).sorted(by: { $0.key < $1.key }) {
      print("  \(pairs.count) pairs excluded: \(reason) (\(pairs[0].pair) ...)")
    }
    for (factor, values) in KnownIssues.values { print("  known issues leave out \(factor) \(values)") }
    #expect(
      array.impossible.isEmpty,
      "\(array.impossible.prefix(10).map { $0.map(Factors.space.name).joined(separator: " ") })"
    )
  }
}
